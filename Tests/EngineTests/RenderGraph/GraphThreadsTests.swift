import AudioModel
import MartletTestSupport
import Platform
import Realtime
import RenderGraph
import Synchronization
import Testing

/// One thread renders while others change everything that may be changed.
@Suite("A graph under several threads")
struct GraphThreadsTests {
  @Test("installing, ticking, mixing, bypassing and capturing while it renders: what stays sounds on, exactly")
  func everythingAtOnce() {
    let format = GraphFixture.format(48_000)
    let (output, main, aside) = (OutputNode(), Mixer(), Mixer())
    let steady = GraphFixture.ruler()
    let silence = GraphFixture.source { _, _ in 0 }
    let stage = EffectStage(Halver())
    let capture = CaptureSource(format: format, cushion: 10, limit: 100)
    let kept = [
      GraphConnection(from: steady, to: main, bus: 0, format: format),
      GraphConnection(from: main, to: output, bus: 0, format: format),
    ]
    let fixture = GraphFixture(output, format, kept)
    let renderer = fixture.renderer
    let isDone = Atomic<Bool>(false)
    let quiet = Monitor<GraphConnection?>(nil)

    // What is added is silent, but is not left out: rates, taps, sinks, an effect, a microphone.
    @Sendable func change(_ number: Int) {
      var connections = kept
      let rate = [48_000, 44_100, 96_000, 8000][number % 4]
      let other = GraphFixture.format(rate)
      let way = GraphConnection(from: silence, to: stage, bus: 0, format: other)
      connections.append(way)
      connections.append(GraphConnection(from: stage, to: aside, bus: 0, format: other, fadeFrames: 10))
      let back = GraphConnection(from: aside, to: main, bus: 1, format: format, fadeFrames: 10)
      connections.append(back)
      if number % 3 == 0 {
        connections.append(
          GraphConnection(
            from: capture, to: main, bus: 2, format: format, mix: GraphConnection.Mix(volume: 0), fadeFrames: 10))
      }
      if number % 5 == 0 {
        connections.append(GraphConnection(from: steady, to: BlockSink { _ in }, bus: 0, format: format))
      }
      var graph = GraphDescription(output: output, format: format, connections: number % 7 == 0 ? kept : connections)
      if number % 2 == 0 { graph.taps = [(main, Tap(format: format, blockFrames: 128, capacity: 1024))] }
      graph.formats = [(main, format), (aside, format)]
      quiet.withLock { $0 = back }
      renderer.install(graph)
    }
    let editors = (0..<2).map { first in
      NamedThread("test-editor") {
        var number = first
        while !isDone.load(ordering: .acquiring) {
          change(number)
          renderer.tick()
          number += 2
        }
      }
    }
    let mixer = NamedThread("test-mixer") {
      var number = 0
      while !isDone.load(ordering: .acquiring) {
        number += 1
        quiet.withLock { $0 }?.mix = GraphConnection.Mix(volume: Float(number % 3), pan: Float(number % 3 - 1))
        aside.volume = Float(number % 2)
        stage.isBypassed = number % 4 < 2
        if number % 9 == 0 { stage.reset() }
        _ = renderer.times
        _ = steady.times
      }
    }
    let voice = NamedThread("test-voice") {
      let samples = [Float](repeating: 1, count: 64)
      while !isDone.load(ordering: .acquiring) {
        samples.withUnsafeBufferPointer {
          capture.receive($0.baseAddress!, frames: 64, at: CaptureTime(frame: 0, hostNanoseconds: 0))
        }
      }
    }
    let heard = Monitor<String?>(nil)
    let device = NamedThread("test-device") {
      let samples = UnsafeMutablePointer<Float>.allocate(capacity: 600)
      defer { samples.deallocate() }
      var next: Float = 1
      for call in 0..<3000 {
        let frames = call % 600 + 1
        _ = renderer.render(samples, frames: frames)
        for frame in 0..<frames {
          if samples[frame] != next {
            heard.withLock { $0 = $0 ?? "call \(call), frame \(frame): \(samples[frame]) in place of \(next)" }
          }
          next += 1
        }
      }
      isDone.store(true, ordering: .releasing)
    }
    for thread in editors + [mixer, voice, device] { thread.join() }
    #expect(heard.withLock { $0 } == nil)
  }

  private final class Halver: EffectKernel {
    let latency = 0
    let tail = 0
    func process(_ call: BlockCall) { for frame in 0..<call.frames { call.planes[frame] *= 0.5 } }
    func reset() {}
  }
}
