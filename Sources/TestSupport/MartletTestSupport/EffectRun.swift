internal import Realtime

/// A processor of an effect, at work on planes that lie one behind the other.
final class EffectRun {
  private let format: EffectFormat
  private let processor: any EffectProcessor

  init(_ effect: any AudioEffect, _ format: EffectFormat) {
    self.format = format
    processor = effect.makeProcessor(for: format)
  }

  var latency: Int { processor.latency }
  var tail: Int { processor.tail }
  func reset() { processor.reset() }

  /// Processes planes in blocks of these sizes, over and over.
  func process(_ planes: [Float], by sizes: [Int] = [512]) -> [Float] {
    var planes = planes
    let count = planes.count / format.channels
    planes.withUnsafeMutableBufferPointer { samples in
      guard let first = samples.baseAddress else { return }
      var (done, turn) = (0, 0)
      while done < count {
        let size = min(sizes[turn % sizes.count], count - done)
        processor.process(
          EffectBlock(planes: first + done, stride: count, channels: format.channels, frames: size))
        (done, turn) = (done + size, turn + 1)
      }
    }
    return planes
  }

  /// Processes one block, behind a single frame also a reset, and counts what it does there.
  func watch(_ planes: [Float], _ counts: inout AllocationGuard) {
    var planes = planes
    let count = planes.count / format.channels
    planes.withUnsafeMutableBufferPointer { samples in
      guard let first = samples.baseAddress else { return }
      let block = EffectBlock(planes: first, stride: count, channels: format.channels, frames: count)
      counts.watch { processor.process(block) }
      if count == 1 { counts.watch { processor.reset() } }
    }
  }

  /// Where two runs differ first, by their bits, in words.
  static func difference(_ found: [Float], _ expected: [Float]) -> String? {
    for (index, pair) in zip(found, expected).enumerated() where pair.0.bitPattern != pair.1.bitPattern {
      return "sample \(index) is \(pair.0) instead of \(pair.1)"
    }
    return found.count == expected.count ? nil : "there are \(found.count) samples instead of \(expected.count)"
  }
}
