import AudioModel
import RenderGraph
import Testing

@Suite("Offline renderer")
struct OfflineRendererTests {
  @Test("filled and rendered in turn, all frames come, once", arguments: [(64, 50), (1000, 64), (7, 7)])
  func inTurn(capacity: Int, call: Int) {
    let format = PCMFormat(sampleRate: .studio, layout: .stereo)
    let offline = OfflineRenderer(format: format, capacity: capacity, maximumFrames: 64)
    let block = PCMBlock(channels: 2, capacity: 1000)
    for frame in 0..<1000 {
      block.plane(0)[frame] = Float(frame + 1)
      block.plane(1)[frame] = -Float(frame + 1)
    }
    block.advance(1000)
    var output: [Float] = []
    var written = 0
    while true {
      written += offline.buffer.write(block, from: written, count: 1000 - written)
      if written == 1000 && !offline.buffer.isFinished { offline.buffer.finish() }
      if offline.render(frames: call, { output += $0 }) == 0 { break }
    }
    let wanted = (1...1000).flatMap { (number: Int) -> [Float] in [Float(number), -Float(number)] }
    #expect(output == wanted)
  }

  private struct Full: Error {}

  @Test("an error of the receiver comes through")
  func failure() {
    let offline = OfflineRenderer(format: PCMFormat(sampleRate: .studio, layout: .mono))
    let block = PCMBlock(channels: 1, capacity: 4)
    block.appendSilence(4)
    _ = offline.buffer.write(block, from: 0, count: 4)
    #expect(throws: Full.self) {
      _ = try offline.render(frames: 4) { (_: UnsafeBufferPointer<Float>) throws(Full) in throw Full() }
    }
  }
}
