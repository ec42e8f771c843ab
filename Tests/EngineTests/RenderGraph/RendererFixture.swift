import AudioModel
import RenderGraph

/// A renderer with the test's hand on both sides of it. Frame f of channel c of a stream is f + 1 + c / 2: exact in
/// Float32, never silent, and it says its own number.
final class RendererFixture {
  let format: PCMFormat
  let renderer: Renderer
  private(set) var output: [Float] = []
  private(set) var events: [RenderEvent] = []

  init(channels: Int = 1, maximumFrames: Int = 64, rampFrames: Int = 3) {
    format = PCMFormat(sampleRate: .studio, layout: ChannelLayout(count: channels)!)
    renderer = Renderer(format: format, maximumFrames: maximumFrames, rampFrames: rampFrames)
  }

  func makeBuffer(_ generation: Int, frames: Int, capacity: Int = 1000, history: Int = 100, ends: Bool = true)
    -> StreamBuffer
  {
    let buffer = StreamBuffer(format: format, capacity: capacity, history: history, generation: generation)
    append(frames, to: buffer)
    if ends { buffer.finish() }
    return buffer
  }

  func append(_ frames: Int, to buffer: StreamBuffer) {
    guard frames > 0 else { return }
    let block = PCMBlock(channels: format.channels, capacity: frames)
    let first = buffer.framesWritten
    for channel in 0..<format.channels {
      for frame in 0..<frames {
        block.plane(channel)[frame] = Float(first + Int64(frame)) + 1 + Float(channel) / 2
      }
    }
    block.advance(frames)
    precondition(buffer.write(block, from: 0, count: frames) == frames)
  }

  /// One render call. Samples that are not rendered stay NaN and are not returned.
  @discardableResult
  func render(_ frames: Int) -> [Float] {
    var samples = [Float](repeating: .nan, count: frames * format.channels)
    let count = samples.withUnsafeMutableBufferPointer { renderer.render($0.baseAddress!, frames: frames) }
    let rendered = Array(samples.prefix(count * format.channels))
    output += rendered
    return rendered
  }

  func takeEvents() -> [RenderEvent] {
    var taken: [RenderEvent] = []
    renderer.takeEvents { taken.append($0) }
    return taken
  }
}

extension RenderEvent {
  init(_ kind: Kind, _ outputFrame: Int64, _ generation: Int, _ streamFrame: Int64) {
    self.init(kind: kind, outputFrame: outputFrame, generation: generation, streamFrame: streamFrame)
  }
}
