import AudioModel
import ByteSource
import Media
import MartletTestSupport
import Testing

/// Media made by other people's programs, and what those programs decode from it.
enum MediaBench {
  /// Sound of a test: reproducible, different in every second and in both channels, with a peak of 0.9.
  static func sound(frames: Int, channels: Int, rate: Int = 44_100) -> PCMBlock {
    let block = PCMBlock(channels: channels, capacity: max(frames, 1))
    var noise: UInt32 = 1
    for channel in 0..<channels {
      let plane = block.plane(channel)
      var low: Float = 0
      var phase: Float = 0
      for index in 0..<frames {
        noise = noise &* 1_664_525 &+ 1_013_904_223
        low += (Float(Int32(bitPattern: noise)) * 0x1p-31 - low) * 0.2
        let second = index / rate
        phase += Float(220 + 110 * channel + 70 * second) / Float(rate)
        phase -= phase.rounded(.down)
        // A grid of 16 bits, so that lossless formats of that depth have to give back every sample.
        plane[index] = ((0.5 * (2 * phase - 1) + 0.3 * low) * 32_768).rounded() / 32_768
      }
    }
    block.advance(frames)
    return block
  }

  /// Writes the sound as a WAV file with 16 bits.
  static func wave(_ path: String, frames: Int, channels: Int = 2, rate: Int = 44_100) throws -> PCMBlock {
    let block = sound(frames: frames, channels: channels, rate: rate)
    let format = PCMFormat(sampleRate: SampleRate(hertz: rate)!, layout: ChannelLayout(count: channels)!)
    let writer = try MediaFileWriter.wav(path: path, format: format, sample: .s16)
    try writer.write(block)
    try writer.finish()
    return block
  }

  /// Opens a file.
  static func open(_ path: String) throws -> MediaReader {
    let reader = MediaReader(source: FileSource(path: path))
    try reader.open()
    return reader
  }

  /// Reads all that is left.
  static func rest(_ reader: MediaReader, limit: Int = .max) throws -> PCMBlock {
    let all = PCMBlock(channels: reader.facts.format.channels, capacity: 4_096)
    let part = PCMBlock(channels: all.channels, capacity: 4_096)
    while all.frameCount < limit {
      let count = try reader.read(into: part, upTo: min(4_096, limit - all.frameCount))
      if count == 0 { break }
      all.append(part, count: count)
    }
    return all
  }

  /// The largest difference of the frames of `part` from those of `whole` behind `start`.
  static func difference(_ part: PCMBlock, _ whole: PCMBlock, from start: Int = 0) -> Float {
    var largest: Float = 0
    for channel in 0..<part.channels {
      let left = part.plane(channel)
      let right = whole.plane(channel) + start
      for index in 0..<part.frameCount where abs(left[index] - right[index]) > largest {
        largest = abs(left[index] - right[index])
      }
    }
    return largest
  }

  /// Frames of a WAV file that another program wrote.
  static func frames(_ path: String) throws -> Int64 {
    let reader = MediaReader(source: FileSource(path: path), registry: .builtIn)
    try reader.open()
    defer { reader.close() }
    return try #require(reader.facts.duration).frames
  }
}

/// A folder that goes with the test.
final class TestFolder {
  let path = ToolBox.temporaryFolder()
  func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
  deinit { ToolBox.remove(path) }
}
