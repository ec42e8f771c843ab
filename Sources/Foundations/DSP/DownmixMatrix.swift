internal import AudioModel

/// The coefficients of a ``ChannelMixer``.
enum DownmixMatrix {
  /// Where a loudspeaker's signal goes when the output has none in its place: the first line whose loudspeakers are
  /// all there. The numbers are bits of `dwChannelMask`.
  private static let replacements: [Int: [[(position: Int, gain: Double)]]] = {
    let minus3 = 0.5.squareRoot()
    let (left, right, centre, backLeft, backRight) = (0, 1, 2, 4, 5)
    let (backCentre, sideLeft, sideRight) = (8, 9, 10)
    return [
      left: [[(centre, minus3)]],
      right: [[(centre, minus3)]],
      centre: [[(left, minus3), (right, minus3)]],
      3: [],
      backLeft: [[(sideLeft, 1)], [(left, minus3)]],
      backRight: [[(sideRight, 1)], [(right, minus3)]],
      6: [[(left, 1)]],
      7: [[(right, 1)]],
      backCentre: [
        [(backLeft, minus3), (backRight, minus3)], [(sideLeft, minus3), (sideRight, minus3)],
        [(left, 0.5), (right, 0.5)],
      ],
      sideLeft: [[(backLeft, 1)], [(left, minus3)]],
      sideRight: [[(backRight, 1)], [(right, minus3)]],
      11: [[(left, 0.5), (right, 0.5)]],
      12: [[(left, minus3)]],
      13: [[(centre, minus3)], [(left, 0.5), (right, 0.5)]],
      14: [[(right, minus3)]],
      15: [[(backLeft, minus3)], [(sideLeft, minus3)], [(left, 0.5)]],
      16: [[(backCentre, minus3)], [(backLeft, 0.5), (backRight, 0.5)], [(left, 0.35), (right, 0.35)]],
      17: [[(backRight, minus3)], [(sideRight, minus3)], [(right, 0.5)]],
    ]
  }()

  /// Rows of the output's channels, columns of the input's.
  static func coefficients(from input: ChannelLayout, to output: ChannelLayout) -> [[Double]] {
    var matrix = [[Double]](repeating: [Double](repeating: 0, count: input.count), count: output.count)
    if input == output {
      for channel in 0..<input.count { matrix[channel][channel] = 1 }
      return matrix
    }
    let targets = positions(output)
    if input.count == 1, targets[2] == nil, output.count > 1 {
      // Mono is heard as loud as before: not spread over two loudspeakers like a centre channel.
      matrix[targets[0] ?? 0][0] = 1
      matrix[targets[1] ?? 1][0] = 1
      return matrix
    }
    guard input.mask != 0, output.mask != 0 else {
      for channel in 0..<input.count { matrix[channel % output.count][channel] = 1 }
      return normalized(matrix)
    }
    for (position, channel) in positions(input).sorted(by: { $0.key < $1.key }) {
      for (target, gain) in place(position, among: targets) { matrix[target][channel] += gain }
    }
    return normalized(matrix)
  }

  /// Channel numbers by position.
  private static func positions(_ layout: ChannelLayout) -> [Int: Int] {
    var result: [Int: Int] = [:]
    for bit in 0..<32 where layout.mask & (1 << UInt32(bit)) != 0 { result[bit] = result.count }
    return result
  }

  /// The output channels that a position's signal goes to.
  private static func place(_ position: Int, among targets: [Int: Int]) -> [(channel: Int, gain: Double)] {
    if let channel = targets[position] { return [(channel, 1)] }
    let lines = replacements[position] ?? []
    let direct = lines.first { $0.allSatisfy { targets[$0.position] != nil } }
    if let direct { return direct.map { (targets[$0.position]!, $0.gain) } }
    // Nothing near: by way of the last resort's own replacement, as a surround to mono goes by way of left and right.
    guard position != 0, position != 1, position != 2, let last = lines.last else { return [] }
    return last.flatMap { step in place(step.position, among: targets).map { ($0.channel, $0.gain * step.gain) } }
  }

  private static func normalized(_ matrix: [[Double]]) -> [[Double]] {
    let greatest = matrix.map { $0.reduce(0) { $0 + abs($1) } }.max() ?? 0
    return greatest > 1 ? matrix.map { $0.map { $0 / greatest } } : matrix
  }
}
