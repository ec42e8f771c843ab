import AudioModel
import Glibc
import RenderGraph

/// A graph with the test's hand on its renderer.
final class GraphFixture {
  let output: OutputNode
  let format: PCMFormat
  let renderer: GraphRenderer

  init(
    _ output: OutputNode, _ format: PCMFormat, _ connections: [GraphConnection], isRealtime: Bool = true,
    _ change: (inout GraphDescription) -> Void = { _ in }
  ) {
    self.output = output
    self.format = format
    var graph = GraphDescription(output: output, format: format, connections: connections)
    change(&graph)
    renderer = GraphRenderer(graph, maximumFrames: 512, isRealtime: isRealtime)
  }

  /// Goes over to other connections.
  func install(_ connections: [GraphConnection], _ change: (inout GraphDescription) -> Void = { _ in }) {
    var graph = GraphDescription(output: output, format: format, connections: connections)
    change(&graph)
    renderer.install(graph)
  }

  /// Renders in calls of `part` frames, with a tick behind each, and gives one channel.
  func render(_ frames: Int, by part: Int = 256, channel: Int = 0) -> [Float] {
    var heard: [Float] = []
    var samples = [Float](repeating: .nan, count: part * format.channels)
    while heard.count < frames {
      let count = min(part, frames - heard.count)
      _ = samples.withUnsafeMutableBufferPointer { renderer.render($0.baseAddress!, frames: count) }
      heard += (0..<count).map { samples[$0 * format.channels + channel] }
      renderer.tick()
    }
    return heard
  }

  static func format(_ hertz: Int, _ channels: Int = 1) -> PCMFormat {
    PCMFormat(sampleRate: SampleRate(hertz: hertz)!, layout: ChannelLayout(count: channels)!)
  }

  /// A source whose frames follow from their number and the channel.
  static func source(_ value: @escaping @Sendable (Int64, Int) -> Float) -> BlockSource {
    BlockSource { call in
      for channel in 0..<call.channels {
        for frame in 0..<call.frames {
          call.planes[channel * call.stride + frame] = value(call.sampleTime + Int64(frame), channel)
        }
      }
      return true
    }
  }

  /// Frames that say their own number, beginning with 1.
  static func ruler() -> BlockSource { source { frame, channel in Float(frame + 1) + Float(channel) / 2 } }

  /// A sine, the same in all channels.
  static func sine(_ hertz: Double, rate: Double, level: Double = 0.5) -> BlockSource {
    source { frame, _ in Float(level * sin(2 * Double.pi * hertz * Double(frame) / rate)) }
  }
}

/// The greatest step from one sample to the next.
func greatestStep(_ samples: [Float]) -> Float {
  zip(samples, samples.dropFirst()).reduce(0) { max($0, abs($1.1 - $1.0)) }
}

/// Samples 1, 2, 3 …
func countUp(_ count: Int, from first: Int = 1) -> [Float] { (0..<count).map { Float(first + $0) } }
