internal import AVFAudio
internal import Testing

@Suite struct AVAudioTimeTests {
  @Test func whatIsValidIsWhatWasGiven() {
    let host = AVAudioTime(hostTime: 5)
    #expect(host.isHostTimeValid && !host.isSampleTimeValid && host.hostTime == 5 && host.sampleRate == 0)
    let sample = AVAudioTime(sampleTime: -7, atRate: 48_000)
    #expect(!sample.isHostTimeValid && sample.isSampleTimeValid && sample.sampleTime == -7)
    #expect(sample.sampleRate == 48_000)
    let both = AVAudioTime(hostTime: 5, sampleTime: 7, atRate: 48_000)
    #expect(both.isHostTimeValid && both.isSampleTimeValid)
    #expect(both.audioTimeStamp.mFlags == .sampleHostTimeValid && both.audioTimeStamp.mSampleTime == 7)
    var stamp = AudioTimeStamp()
    stamp.mSampleTime = 3.75
    stamp.mFlags = [.sampleTimeValid, .rateScalarValid]
    #expect(AVAudioTime(audioTimeStamp: &stamp, sampleRate: 1).sampleTime == 3)
    stamp.mSampleTime = .nan
    #expect(AVAudioTime(audioTimeStamp: &stamp, sampleRate: 1).sampleTime == 0)
    stamp.mSampleTime = 1e300
    #expect(AVAudioTime(audioTimeStamp: &stamp, sampleRate: 1).sampleTime == .max)
  }

  @Test func hostTimeCountsNanoseconds() {
    #expect(AVAudioTime.hostTime(forSeconds: 1.5) == 1_500_000_000)
    #expect(AVAudioTime.seconds(forHostTime: 2_250_000_000) == 2.25)
    #expect(AVAudioTime.hostTime(forSeconds: -1) == 0)
    #expect(AVAudioTime.hostTime(forSeconds: .nan) == 0)
    #expect(AVAudioTime.hostTime(forSeconds: .infinity) == .max)
  }

  @Test func oneTimeFollowsFromTheOther() throws {
    let anchor = AVAudioTime(hostTime: 1_000_000_000, sampleTime: 44_100, atRate: 44_100)
    let later = try #require(AVAudioTime(hostTime: 1_500_000_000).extrapolateTime(fromAnchor: anchor))
    #expect(later.sampleTime == 66_150 && later.hostTime == 1_500_000_000 && later.sampleRate == 44_100)
    let earlier = try #require(AVAudioTime(sampleTime: 22_050, atRate: 44_100).extrapolateTime(fromAnchor: anchor))
    #expect(earlier.hostTime == 500_000_000 && earlier.isHostTimeValid)
    let whole = try #require(anchor.extrapolateTime(fromAnchor: later))
    #expect(whole.sampleTime == 44_100 && whole.hostTime == 1_000_000_000)
  }

  @Test func nothingFollowsFromTooLittle() {
    let anchor = AVAudioTime(hostTime: 1_000_000_000, sampleTime: 0, atRate: 44_100)
    #expect(AVAudioTime(sampleTime: 1, atRate: 48_000).extrapolateTime(fromAnchor: anchor) == nil)
    #expect(anchor.extrapolateTime(fromAnchor: AVAudioTime(hostTime: 1)) == nil)
    #expect(AVAudioTime(sampleTime: -88_200, atRate: 44_100).extrapolateTime(fromAnchor: anchor) == nil)
    #expect(AVAudioTime(sampleTime: .max, atRate: 44_100).extrapolateTime(fromAnchor: anchor) == nil)
    #expect(AVAudioTime(hostTime: .max).extrapolateTime(fromAnchor: anchor) != nil)
  }
}
