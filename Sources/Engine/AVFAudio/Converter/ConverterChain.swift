internal import AudioModel
internal import DSP

/// Channels and rate of a converter, from planes to planes.
final class ConverterChain {
  private let map: [Int]?
  private let converter: FormatConverter
  private let mapped: PCMBlock
  private let output: PCMFormat

  /// - Parameters:
  ///   - map: Of each output channel the input channel it is, or −1 for silence; `nil` mixes by ITU-R BS.775.
  init(from input: PCMFormat, to output: PCMFormat, map: [Int]?, quality: ResamplerQuality) {
    self.output = output
    self.map = input.layout == output.layout && map == Array(0..<output.channels) ? nil : map
    let source = self.map == nil ? input : PCMFormat(sampleRate: input.sampleRate, layout: output.layout)
    converter = FormatConverter(from: source, to: output, quality: quality)
    mapped = PCMBlock(channels: output.channels, capacity: 1)
  }

  /// Converts a block, and appends what is complete.
  func process(_ block: PCMBlock, into target: PCMBlock) {
    guard let map else { return converter.process(block, from: 0, count: block.frameCount, into: target) }
    mapped.removeAll()
    mapped.reserve(block.frameCount)
    for (channel, source) in map.enumerated() {
      if source >= 0, source < block.channels {
        mapped.plane(channel).update(from: block.plane(source), count: block.frameCount)
      } else {
        mapped.plane(channel).update(repeating: 0, count: block.frameCount)
      }
    }
    mapped.advance(block.frameCount)
    converter.process(mapped, from: 0, count: mapped.frameCount, into: target)
  }

  /// Appends the end.
  func finish(into target: PCMBlock) { converter.finish(into: target) }
}
