import AudioModel
import DSP
import Glibc
import Testing

/// Speech and music told apart, as it is heard: the automatic choice sounds like the one or like the other.
@Suite("Time-stretching: speech or music") struct ContentClassifierTests {
  private static let hertz = 22_050

  /// Pulses of a voice that glides, through two resonances, in syllables with pauses.
  private static func speech(_ seconds: Double) -> [Float] {
    var phase = 0.0
    var states = [(0.0, 0.0), (0.0, 0.0)]
    return (0..<Int(seconds * Double(hertz))).map { frame in
      let time = Double(frame) / Double(hertz)
      let syllable = time.truncatingRemainder(dividingBy: 0.3) / 0.2
      let pause = time.truncatingRemainder(dividingBy: 1.7) > 1.35
      let level = syllable < 1 && !pause ? sin(Double.pi * syllable) : 0
      phase += (120 + 25 * sin(2 * Double.pi * 0.7 * time) + 15 * sin(2 * Double.pi * 2.3 * time)) / Double(hertz)
      var sample = 0.0
      if phase >= 1 {
        phase -= 1
        sample = level
      }
      for (index, formant) in [(600 + 200 * sin(9 * time), 0.985), (1700 + 400 * cos(7 * time), 0.975)].enumerated() {
        let (y1, y2) = states[index]
        let y =
          sample + 2 * formant.1 * cos(2 * Double.pi * formant.0 / Double(hertz)) * y1
          - formant.1 * formant.1 * y2
        states[index] = (y, y1)
        sample = 0.5 * y
      }
      return Float(0.4 * sample)
    }
  }

  private static func chord(_ seconds: Double) -> [Float] {
    (0..<Int(seconds * Double(hertz))).map { frame in
      let time = Double(frame) / Double(hertz)
      return [220.0, 277.2, 329.6, 440.9, 659.3].reduce(Float(0)) { $0 + Float(0.1 * sin(2 * Double.pi * $1 * time)) }
    }
  }

  /// A low stroke each half second, and noise between.
  private static func drums(_ seconds: Double) -> [Float] {
    let noise = StretchSignals.noise(Int(seconds * Double(hertz)), amplitude: 1)
    return noise.enumerated().map { frame, noise in
      let beat = (Double(frame) / Double(hertz)).truncatingRemainder(dividingBy: 0.5)
      let hat = (Double(frame) / Double(hertz)).truncatingRemainder(dividingBy: 0.125)
      return Float(0.6 * sin(2 * Double.pi * 60 * beat) * exp(-beat * 12)) + noise * 0.2 * Float(exp(-hat * 40))
    }
  }

  /// What the last half second of a signal is taken for, when everything before was heard at rate 1: from there on the
  /// automatic choice's bits are those of the one or of the other.
  private static func chosen(_ signal: [Float]) -> String {
    let start = (signal.count - hertz / 2) / 256 * 256
    let runs = [StretchAlgorithm.automatic, .speech, .music].map { algorithm in
      StretchRun([signal], hertz: hertz, StretchRun.Setting(algorithm: algorithm)) {
        $0 == start ? StretchRun.Setting(rate: 1.3, algorithm: algorithm) : nil
      }.output[0]
    }
    let isSpeech = StretchSignals.difference(runs[0], runs[1]) == nil
    let isMusic = StretchSignals.difference(runs[0], runs[2]) == nil
    return isSpeech == isMusic ? "neither" : isSpeech ? "speech" : "music"
  }

  @Test("pauses and voices are speech, chords and strokes are music")
  func kinds() {
    #expect(Self.chosen(Self.speech(3)) == "speech")
    #expect(Self.chosen(Self.chord(3)) == "music")
    #expect(Self.chosen(Self.drums(3)) == "music")
  }

  @Test("what follows the other is known as what it is after some seconds")
  func changes() {
    #expect(Self.chosen(Self.speech(2) + Self.chord(3)) == "music")
    #expect(Self.chosen(Self.chord(2) + Self.speech(5)) == "speech")
  }
}
