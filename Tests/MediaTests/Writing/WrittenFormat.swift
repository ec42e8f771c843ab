import AudioModel
import ByteSource
import Codecs
import Containers
import Glibc
import MartletTestSupport
import Media
import Testing

/// One format as it is written by a test.
struct WrittenFormat: Sendable, CustomTestStringConvertible {
  var pathExtension: String
  var codec: Codec?
  var rate = 44_100
  var layout = ChannelLayout.stereo
  var sample: WAVHeader.Sample?
  var frames = 100_003

  var format: PCMFormat { PCMFormat(sampleRate: SampleRate(hertz: rate)!, layout: layout) }
  var testDescription: String {
    "\(pathExtension) \(codec?.rawValue ?? "") \(sample?.rawValue ?? "") \(rate) \(layout)"
  }

  /// Writes sound in blocks of odd sizes.
  func write(_ planes: [[Float]], to path: String, options: MediaFileWriter.Options = .init()) throws {
    var options = options
    options.sample = sample
    let writer = try MediaFileWriter(WritingTarget(path: path, codec: codec), format: format, options: options)
    var done = 0
    var part = 1
    while done < planes[0].count {
      let count = min(part, planes[0].count - done)
      try writer.write(Self.block(planes, from: done, count: count))
      done += count
      part = part * 7 % 9973 + 1
    }
    try writer.finish()
  }

  static func block(_ planes: [[Float]], from start: Int, count: Int) -> PCMBlock {
    let block = PCMBlock(channels: planes.count, capacity: max(count, 1))
    for (channel, plane) in planes.enumerated() {
      plane.withUnsafeBufferPointer {
        if count > 0 { block.plane(channel).update(from: $0.baseAddress! + start, count: count) }
      }
    }
    block.advance(count)
    return block
  }

  /// Sound with a place in every frame: a sweep whose channels differ, band-limited so that lossy codecs keep it.
  func sound() -> [[Float]] {
    (0..<layout.count).map { channel in
      (0..<frames).map { frame in
        let time = Double(frame) / Double(rate)
        let hertz = 200 + 100 * Double(channel) + 300 * time
        return Float(0.4 * sin(2 * Double.pi * hertz * time) * (0.6 + 0.4 * sin(2 * Double.pi * 3.1 * time)))
      }
    }
  }
}

/// What comes of comparing planes.
enum PlaneComparison {
  /// The first difference; `nil` where there is none.
  static func difference(_ found: UnsafePointer<Float>, _ expected: [Float]) -> String? {
    for index in expected.indices where found[index].bitPattern != expected[index].bitPattern {
      return "frame \(index): \(found[index]), not \(expected[index])"
    }
    return nil
  }

  /// By how many frames the first plane is late, of -limit...limit, and how loud what differs is then, in decibels.
  static func lag(_ found: UnsafePointer<Float>, _ expected: [Float], limit: Int) -> (lag: Int, noise: Double) {
    var best = (lag: 0, noise: Double.infinity)
    let power = expected.reduce(0.0) { $0 + Double($1) * Double($1) }
    for lag in -limit...limit {
      var error = 0.0
      for index in limit..<expected.count - limit {
        let difference = Double(found[index + lag] - expected[index])
        error += difference * difference
      }
      if error < best.noise { best = (lag, error) }
    }
    return (best.lag, 10 * log10(max(best.noise, 1e-30) / power))
  }
}
