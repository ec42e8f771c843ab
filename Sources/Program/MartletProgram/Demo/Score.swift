/// The piece: ten bars of four beats, as notes in the order in which they begin.
package struct Score: Sendable {
  /// A note of one of the instruments.
  package struct Note: Hashable, Sendable {
    /// Seconds from the start.
    var time: Double
    /// Seconds until it is let go.
    var length: Double
    /// MIDI number; 69 is 440 Hz.
    var pitch: Int
    /// Amplitude, 0…1.
    var strength: Double
    /// −1 left … 1 right.
    var pan: Double
    var instrument: Instrument
  }

  /// Who plays.
  package enum Instrument: Hashable, Sendable {
    case pad, string, bass, bell
  }

  /// Seconds of a beat: 84 a minute.
  static let beat = 60.0 / 84
  /// Seconds in all, the last bar's echo included.
  package static let duration = 32.0

  private struct Bar {
    var bass: Int
    var chord: [Int]
    /// Beat, pitch and strength of the bells.
    var melody: [(Double, Int, Double)] = []
  }

  // D major: I – vi – IV – V, twice, then IV – V – I.
  private static let bars: [Bar] = [
    Bar(bass: 38, chord: [62, 66, 69, 73]),
    Bar(bass: 35, chord: [62, 66, 69, 71]),
    Bar(bass: 43, chord: [62, 66, 67, 71], melody: [(0, 81, 0.7), (1.5, 78, 0.5), (3, 76, 0.5)]),
    Bar(bass: 45, chord: [61, 64, 69, 71], melody: [(0, 76, 0.6), (2, 74, 0.5), (3, 73, 0.4)]),
    Bar(bass: 38, chord: [62, 66, 69, 76], melody: [(0, 74, 0.7), (1.5, 78, 0.5), (2.5, 81, 0.6)]),
    Bar(bass: 35, chord: [62, 66, 69, 73], melody: [(0, 85, 0.6), (2, 83, 0.5), (3, 81, 0.5)]),
    Bar(bass: 43, chord: [62, 66, 69, 71], melody: [(0, 83, 0.6), (1.5, 81, 0.5), (3, 78, 0.5)]),
    Bar(bass: 45, chord: [61, 64, 67, 71], melody: [(0, 79, 0.6), (1, 78, 0.4), (2, 76, 0.6)]),
    Bar(bass: 43, chord: [62, 66, 67, 71], melody: [(0, 78, 0.6), (2, 74, 0.5)]),
    Bar(bass: 38, chord: [62, 66, 69, 74], melody: [(0, 86, 0.5), (0.5, 81, 0.4), (1, 78, 0.4)]),
  ]

  /// All notes.
  package let notes: [Note]

  /// Writes the piece out.
  package init() {
    var notes: [Note] = []
    for (number, bar) in Self.bars.enumerated() {
      let start = 0.03 + Double(number) * 4 * Self.beat
      let isLast = number == Self.bars.count - 1
      Self.addPad(bar, at: start, to: &notes)
      Self.addBass(bar, at: start, isLast: isLast, to: &notes)
      Self.addStrings(bar, at: start, number: number, isLast: isLast, to: &notes)
      for (beat, pitch, strength) in bar.melody {
        notes.append(
          Note(
            time: start + beat * Self.beat, length: 3, pitch: pitch, strength: 0.17 * strength,
            pan: beat.truncatingRemainder(dividingBy: 2) < 1 ? 0.25 : -0.25, instrument: .bell))
      }
    }
    self.notes = notes.sorted { $0.time < $1.time }
  }

  private static func addPad(_ bar: Bar, at start: Double, to notes: inout [Note]) {
    for (index, pitch) in bar.chord.enumerated() {
      // The chord lies in two hands: the outer voices wide, the inner ones near the middle.
      notes.append(
        Note(
          time: start, length: 4 * beat, pitch: pitch - 12, strength: 0.035,
          pan: [-0.7, 0.3, -0.3, 0.7][index % 4], instrument: .pad))
    }
  }

  private static func addBass(_ bar: Bar, at start: Double, isLast: Bool, to notes: inout [Note]) {
    notes.append(
      Note(
        time: start, length: (isLast ? 4 : 1.5) * beat, pitch: bar.bass, strength: 0.17, pan: 0, instrument: .bass))
    if isLast { return }
    notes.append(
      Note(
        time: start + 2.5 * beat, length: beat, pitch: bar.bass + (bar.bass < 40 ? 12 : 0), strength: 0.11, pan: 0,
        instrument: .bass))
  }

  /// Broken chords in quavers, up and down over an octave and a half; a strummed chord at the end.
  private static func addStrings(_ bar: Bar, at start: Double, number: Int, isLast: Bool, to notes: inout [Note]) {
    let steps = isLast ? [0, 1, 2, 3, 4] : [0, 2, 1, 3, 4, 3, 1, 2]
    for (index, step) in steps.enumerated() {
      let pitch = step < bar.chord.count ? bar.chord[step] : bar.chord[0] + 12
      let accent = index % 4 == 0 ? 1.0 : index % 2 == 0 ? 0.8 : 0.65
      notes.append(
        Note(
          time: start + Double(index) * (isLast ? 0.06 : beat / 2), length: 2.5, pitch: pitch,
          strength: (number == 0 ? 0.12 : 0.15) * accent, pan: index % 2 == 0 ? -0.4 : 0.4, instrument: .string))
    }
  }
}
