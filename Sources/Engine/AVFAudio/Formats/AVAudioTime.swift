public import CoreAudioTypes
public import Foundation

/// A point in time: a sample time at a rate, a host time, or both. Immutable; for any thread.
///
/// Host time is nanoseconds of `CLOCK_MONOTONIC`.
open class AVAudioTime: NSObject, @unchecked Sendable {
  /// Which parts of the time stamp are valid, and what they say.
  public let audioTimeStamp: AudioTimeStamp

  /// Frames per second of the sample time; 0 where there is none.
  public let sampleRate: Double

  /// A point in time by a time stamp.
  /// - Parameters:
  ///   - ts: Its flags say what is valid.
  ///   - sampleRate: Frames per second of its sample time.
  public init(audioTimeStamp ts: UnsafePointer<AudioTimeStamp>, sampleRate: Double) {
    audioTimeStamp = ts.pointee
    self.sampleRate = sampleRate
  }

  /// A point in time by host time alone.
  public convenience init(hostTime: UInt64) {
    var stamp = AudioTimeStamp()
    stamp.mHostTime = hostTime
    stamp.mFlags = .hostTimeValid
    self.init(audioTimeStamp: &stamp, sampleRate: 0)
  }

  /// A point in time by sample time alone.
  /// - Parameters:
  ///   - sampleTime: Frames since a start that only the caller knows.
  ///   - sampleRate: Frames per second.
  public convenience init(sampleTime: AVAudioFramePosition, atRate sampleRate: Double) {
    var stamp = AudioTimeStamp()
    stamp.mSampleTime = Double(sampleTime)
    stamp.mFlags = .sampleTimeValid
    self.init(audioTimeStamp: &stamp, sampleRate: sampleRate)
  }

  /// A point in time by host time and sample time.
  public convenience init(hostTime: UInt64, sampleTime: AVAudioFramePosition, atRate sampleRate: Double) {
    var stamp = AudioTimeStamp()
    stamp.mHostTime = hostTime
    stamp.mSampleTime = Double(sampleTime)
    stamp.mFlags = .sampleHostTimeValid
    self.init(audioTimeStamp: &stamp, sampleRate: sampleRate)
  }

  /// Seconds as host time, rounded to the nearest tick.
  /// - Parameter seconds: Not negative; what is negative or not a number counts as 0.
  open class func hostTime(forSeconds seconds: TimeInterval) -> UInt64 {
    let ticks = (seconds * 1e9).rounded()
    guard ticks > 0 else { return 0 }
    return ticks < 0x1p64 ? UInt64(ticks) : .max
  }

  /// Host time as seconds.
  open class func seconds(forHostTime hostTime: UInt64) -> TimeInterval { Double(hostTime) / 1e9 }

  /// Whether there is a host time.
  public var isHostTimeValid: Bool { audioTimeStamp.mFlags.contains(.hostTimeValid) }

  /// Host time, if it is valid.
  public var hostTime: UInt64 { audioTimeStamp.mHostTime }

  /// Whether there is a sample time.
  public var isSampleTimeValid: Bool { audioTimeStamp.mFlags.contains(.sampleTimeValid) }

  /// Sample time, if it is valid; fractions of a frame are cut off.
  public var sampleTime: AVAudioFramePosition { AVAudioFramePosition(clamping: audioTimeStamp.mSampleTime) }

  /// This point with both times, by what `anchorTime` says about their relation.
  ///
  /// Of host time 1 s behind the anchor, the sample time is one rate behind the anchor's, and the other way round.
  /// - Parameter anchorTime: Has both times, and a rate.
  /// - Returns: nil where the anchor lacks a time, or this point has neither, or a sample time of another rate.
  open func extrapolateTime(fromAnchor anchorTime: AVAudioTime) -> AVAudioTime? {
    guard anchorTime.isHostTimeValid, anchorTime.isSampleTimeValid, anchorTime.sampleRate > 0 else { return nil }
    if isHostTimeValid, isSampleTimeValid { return self }
    let rate = anchorTime.sampleRate
    if isSampleTimeValid {
      guard sampleRate == rate else { return nil }
      let (frames, isTooFar) = sampleTime.subtractingReportingOverflow(anchorTime.sampleTime)
      let ticks = (Double(frames) / rate * 1e9).rounded()
      let host = Int128(anchorTime.hostTime) + Int128(clamping: ticks)
      guard !isTooFar, let host = UInt64(exactly: host) else { return nil }
      return AVAudioTime(hostTime: host, sampleTime: sampleTime, atRate: rate)
    }
    guard isHostTimeValid else { return nil }
    let ticks = Int128(hostTime) - Int128(anchorTime.hostTime)
    let frames = (Double(ticks) * rate / 1e9).rounded()
    let (sample, isTooFar) = anchorTime.sampleTime.addingReportingOverflow(AVAudioFramePosition(clamping: frames))
    return isTooFar ? nil : AVAudioTime(hostTime: hostTime, sampleTime: sample, atRate: rate)
  }

  open override var description: String {
    let host = isHostTimeValid ? "\(Self.seconds(forHostTime: hostTime)) s" : "none"
    let sample = isSampleTimeValid ? "\(sampleTime) at \(sampleRate) Hz" : "none"
    return "<AVAudioTime: host \(host), sample \(sample)>"
  }
}

extension FixedWidthInteger {
  /// The whole part of a number, as near as the type comes to it; 0 for what is none.
  fileprivate init(clamping value: Double) {
    if let exact = Self(exactly: value.rounded(.towardZero)) {
      self = exact
    } else {
      self = value.isNaN ? 0 : value < 0 ? .min : .max
    }
  }
}
