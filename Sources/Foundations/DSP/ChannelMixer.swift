package import AudioModel

/// Brings a signal from one layout of channels to another.
///
/// A loudspeaker that both layouts have keeps its signal. What the output lacks goes to its neighbours as ITU-R BS.775
/// does it: centre and surrounds to the front at −3 dB each, the low-frequency channel nowhere. Mono goes to left and
/// right as it is, and
/// stereo to mono as half the sum. Where a channel's coefficients would
/// add up to more than 1, all are divided by the greatest sum: nothing can clip, and the balance stays. Channels of
/// unknown position go to the one of the same number, counted round.
///
/// Channels with a single coefficient of 1 pass bit for bit. For one thread, not the device's.
package final class ChannelMixer {
  /// Layout of the input.
  package let input: ChannelLayout
  /// Layout of the output.
  package let output: ChannelLayout
  /// Coefficients: `matrix[o][i]` is the part of input channel i in output channel o.
  package let matrix: [[Float]]
  private let terms: [[Term]]

  private struct Term {
    var channel: Int
    var coefficient: Float
  }

  /// Chooses the coefficients.
  package init(from input: ChannelLayout, to output: ChannelLayout) {
    self.input = input
    self.output = output
    matrix = DownmixMatrix.coefficients(from: input, to: output).map { $0.map { Float($0) } }
    terms = matrix.map { row in
      row.indices.filter { row[$0] != 0 }.map { Term(channel: $0, coefficient: row[$0]) }
    }
  }

  /// Whether the output is the input.
  package var isIdentity: Bool { input == output }

  /// Mixes frames `start` ..< `start + count` of `source` and appends them to `target`.
  package func process(_ source: PCMBlock, from start: Int, count: Int, into target: PCMBlock) {
    precondition(source.channels == input.count && target.channels == output.count)
    precondition(start >= 0 && count >= 0 && start + count <= source.frameCount)
    target.reserve(count)
    for (channel, row) in terms.enumerated() {
      let plane = target.plane(channel) + target.frameCount
      guard let first = row.first else {
        plane.update(repeating: 0, count: count)
        continue
      }
      Self.set(plane, source.plane(first.channel) + start, first.coefficient, count: count)
      for term in row.dropFirst() {
        Self.add(plane, source.plane(term.channel) + start, term.coefficient, count: count)
      }
    }
    target.advance(count)
  }

  private static func set(
    _ target: UnsafeMutablePointer<Float>, _ source: UnsafePointer<Float>, _ coefficient: Float, count: Int
  ) {
    if coefficient == 1 {
      target.update(from: source, count: count)
    } else {
      for index in 0..<count { target[index] = source[index] * coefficient }
    }
  }

  private static func add(
    _ target: UnsafeMutablePointer<Float>, _ source: UnsafePointer<Float>, _ coefficient: Float, count: Int
  ) {
    for index in 0..<count { target[index] += source[index] * coefficient }
  }
}
