import AudioModel
import Glibc
import Platform
import Realtime
import RenderGraph
import Synchronization
import Testing

@Suite("Renderer under three threads")
struct ThreadedRenderTests {
  @Test("worker, device and control at once: every frame comes once, in order, or is ramped")
  func threads() {
    let format = PCMFormat(sampleRate: .studio, layout: .mono)
    let renderer = Renderer(format: format, maximumFrames: 64, rampFrames: 8)
    let frames = 20_000
    let buffer = StreamBuffer(format: format, capacity: 256, history: 32, generation: 1)
    renderer.replace(buffer, ramp: false)
    renderer.run()
    let worker = NamedThread("test-worker") {
      let block = PCMBlock(channels: 1, capacity: 50)
      var next = 0
      while next < frames {
        block.removeAll()
        let size = min(50, frames - next)
        for index in 0..<size { block.plane(0)[index] = Float(next + index + 1) }
        block.advance(size)
        var sent = 0
        while sent < size {
          sent += buffer.write(block, from: sent, count: size - sent)
          if sent < size { sched_yield() }
        }
        next += size
      }
      buffer.finish()
    }
    let isDone = Flag()
    let isRight = Flag()
    let device = NamedThread("test-device") {
      let samples = UnsafeMutablePointer<Float>.allocate(capacity: 100)
      defer { samples.deallocate() }
      var expected: Float = 1
      var good = true
      while true {
        let count = renderer.render(samples, frames: 100)
        // Silence between frames is free; a frame is its number, or less of it within a ramp of eight ninths.
        for index in 0..<count where samples[index] != 0 {
          if samples[index] > expected || samples[index] < expected / 9.01 { good = false }
          expected += 1
        }
        if count < 100 { break }
        sched_yield()
      }
      if good && expected == Float(frames + 1) { isRight.set() }
      isDone.set()
    }
    var kinds: [RenderEvent.Kind] = []
    var turn = 0
    while !isDone.isSet {
      if turn % 2 == 0 { renderer.pause() } else { renderer.run() }
      renderer.takeEvents { kinds.append($0.kind) }
      renderer.collectRetired()
      turn += 1
      sched_yield()
    }
    worker.join()
    device.join()
    #expect(isRight.isSet)
  }

  private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
  }
}
