import AudioModel
import RenderGraph
import Testing

@Suite("Renderer")
struct RendererTests {
  /// Frames of the fixture's mono stream.
  private func frames(_ range: Range<Int>) -> [Float] { range.map { Float($0 + 1) } }
  private func silence(_ count: Int) -> [Float] { [Float](repeating: 0, count: count) }
  /// What a ramp of three frames makes of frames from `first` on.
  private func rampedIn(_ first: Int) -> [Float] { (0..<3).map { Float(first + $0 + 1) * Float($0 + 1) / 4 } }
  private func rampedOut(_ first: Int) -> [Float] { (0..<3).map { Float(first + $0 + 1) * Float(3 - $0) / 4 } }

  private func joined(_ parts: [Float]...) -> [Float] { parts.flatMap { $0 } }

  // MARK: Passing

  @Test("frames pass bit for bit, whatever the size of calls", arguments: [1, 7, 64, 200])
  func exact(call: Int) {
    let fixture = RendererFixture(channels: 2)
    fixture.renderer.replace(fixture.makeBuffer(4, frames: 500), ramp: false)
    fixture.renderer.run()
    while fixture.render(call).count == call * 2 {}
    let wanted = (1...500).flatMap { (number: Int) -> [Float] in [Float(number), Float(number) + 0.5] }
    #expect(fixture.output == wanted)
    #expect(fixture.takeEvents() == [RenderEvent(.running, 0, 4, 0), RenderEvent(.finished, 500, 4, 500)])
  }

  @Test("signs, infinities, NaN and denormals pass too")
  func exactBits() {
    let values: [Float] = [-0.0, .infinity, -.infinity, .leastNonzeroMagnitude, -.leastNormalMagnitude, .nan, 1e30]
    let format = PCMFormat(sampleRate: .studio, layout: .mono)
    let offline = OfflineRenderer(format: format)
    let block = PCMBlock(channels: 1, capacity: values.count)
    for (index, value) in values.enumerated() { block.plane(0)[index] = value }
    block.advance(values.count)
    _ = offline.buffer.write(block, from: 0, count: values.count)
    var bits: [UInt32] = []
    #expect(offline.render(frames: 100) { bits += $0.map(\.bitPattern) } == values.count)
    #expect(bits == values.map(\.bitPattern))
    #expect(offline.render(frames: 100) { _ in Issue.record("nothing is there") } == 0)
  }

  @Test("without a buffer, and before run, there is silence and no event")
  func idle() {
    let fixture = RendererFixture()
    #expect(fixture.render(5) == silence(5))
    fixture.renderer.run()
    #expect(fixture.render(5) == silence(5))
    #expect(fixture.takeEvents() == [])
  }

  @Test("five channels keep their places")
  func manyChannels() {
    let fixture = RendererFixture(channels: 5)
    fixture.renderer.replace(fixture.makeBuffer(0, frames: 2), ramp: false)
    fixture.renderer.run()
    #expect(fixture.render(9) == [1, 1.5, 2, 2.5, 3, 2, 2.5, 3, 3.5, 4])
  }

  // MARK: Pause and resumption

  @Test("a pause loses, repeats and adds no frame")
  func pause() {
    let fixture = RendererFixture()
    fixture.renderer.replace(fixture.makeBuffer(1, frames: 100), ramp: false)
    fixture.renderer.run()
    #expect(fixture.render(10) == frames(0..<10))
    fixture.renderer.pause()
    #expect(fixture.render(8) == joined(rampedOut(10), silence(5)))
    #expect(fixture.render(4) == silence(4))
    fixture.renderer.run()
    #expect(fixture.render(6) == joined(rampedIn(13), frames(16..<19)))
    #expect(
      fixture.takeEvents() == [
        RenderEvent(.running, 0, 1, 0), RenderEvent(.holding, 13, 1, 13), RenderEvent(.running, 22, 1, 13),
      ])
  }

  @Test("a ramp goes on over the borders of calls")
  func rampOverCalls() {
    let fixture = RendererFixture()
    fixture.renderer.replace(fixture.makeBuffer(1, frames: 100), ramp: false)
    fixture.renderer.run()
    fixture.render(10)
    fixture.renderer.pause()
    #expect(joined(fixture.render(2), fixture.render(2)) == joined(rampedOut(10), silence(1)))
    fixture.renderer.run()
    #expect(joined(fixture.render(1), fixture.render(1), fixture.render(2)) == joined(rampedIn(13), frames(16..<17)))
  }

  @Test("a resumption within the ramp turns round where it is")
  func turnRound() {
    let fixture = RendererFixture()
    fixture.renderer.replace(fixture.makeBuffer(1, frames: 100), ramp: false)
    fixture.renderer.run()
    fixture.render(10)
    fixture.renderer.pause()
    #expect(fixture.render(2) == [8.25, 6.0])
    fixture.renderer.run()
    // From a half to 1 in three frames: steps of an eighth.
    #expect(fixture.render(4) == [8.125, 10.5, 13.125, 16])
    #expect(fixture.takeEvents() == [RenderEvent(.running, 0, 1, 0)])
  }

  @Test("with fewer frames left than a ramp, it ramps over those, and then ends")
  func shortRampOut() {
    let fixture = RendererFixture()
    fixture.renderer.replace(fixture.makeBuffer(1, frames: 11), ramp: false)
    fixture.renderer.run()
    fixture.render(10)
    fixture.renderer.pause()
    #expect(fixture.render(3) == [5.5, 0, 0])
    fixture.renderer.run()
    #expect(fixture.render(3) == [])
    #expect(
      fixture.takeEvents() == [
        RenderEvent(.running, 0, 1, 0), RenderEvent(.holding, 11, 1, 11), RenderEvent(.finished, 13, 1, 11),
      ])
  }

  @Test("run and pause before the first call cancel out")
  func cancelled() {
    let fixture = RendererFixture()
    fixture.renderer.replace(fixture.makeBuffer(1, frames: 100), ramp: false)
    fixture.renderer.run()
    fixture.renderer.pause()
    #expect(fixture.render(3) == silence(3))
    #expect(fixture.takeEvents() == [RenderEvent(.holding, 0, 1, 0)])
    fixture.renderer.run()
    #expect(fixture.render(3) == frames(0..<3), "the very start has no ramp")
  }

  // MARK: Replacement

  @Test("a replacement ramps out the old and ramps in the new")
  func replacement() {
    let fixture = RendererFixture()
    fixture.renderer.replace(fixture.makeBuffer(1, frames: 100), ramp: false)
    fixture.renderer.run()
    fixture.render(10)
    fixture.renderer.replace(fixture.makeBuffer(2, frames: 100), ramp: true)
    #expect(fixture.render(10) == joined(rampedOut(10), rampedIn(0), frames(3..<7)))
    #expect(fixture.takeEvents() == [RenderEvent(.running, 0, 1, 0), RenderEvent(.running, 13, 2, 0)])
  }

  @Test("without a ramp both edges are hard")
  func hardReplacement() {
    let fixture = RendererFixture()
    fixture.renderer.replace(fixture.makeBuffer(1, frames: 100), ramp: false)
    fixture.renderer.run()
    fixture.render(10)
    fixture.renderer.replace(fixture.makeBuffer(2, frames: 100), ramp: false)
    #expect(fixture.render(4) == frames(0..<4))
    #expect(fixture.takeEvents() == [RenderEvent(.running, 0, 1, 0), RenderEvent(.running, 10, 2, 0)])
  }

  @Test("of two replacements within a ramp the last one counts")
  func superseded() {
    let fixture = RendererFixture()
    fixture.renderer.replace(fixture.makeBuffer(1, frames: 100), ramp: false)
    fixture.renderer.run()
    fixture.render(10)
    fixture.renderer.replace(fixture.makeBuffer(2, frames: 100), ramp: true)
    #expect(fixture.render(1) == [8.25])
    weak var superseded: StreamBuffer?
    do {
      let buffer = fixture.makeBuffer(3, frames: 100)
      superseded = buffer
      fixture.renderer.replace(buffer, ramp: true)
    }
    fixture.renderer.replace(fixture.makeBuffer(4, frames: 100), ramp: true)
    #expect(fixture.render(6) == joined(Array(rampedOut(10).dropFirst()), rampedIn(0), frames(3..<4)))
    #expect(superseded != nil, "the device's thread frees nothing")
    fixture.renderer.collectRetired()
    #expect(superseded == nil)
    #expect(fixture.takeEvents() == [RenderEvent(.running, 0, 1, 0), RenderEvent(.running, 13, 4, 0)])
  }

  @Test("a paused renderer takes another buffer and stays paused")
  func replacementWhilePaused() {
    let fixture = RendererFixture()
    fixture.renderer.replace(fixture.makeBuffer(1, frames: 100), ramp: false)
    fixture.render(2)
    fixture.renderer.replace(fixture.makeBuffer(2, frames: 100), ramp: true)
    #expect(fixture.render(2) == silence(2))
    fixture.renderer.run()
    #expect(fixture.render(4) == joined(rampedIn(0), frames(3..<4)))
    #expect(
      fixture.takeEvents() == [
        RenderEvent(.holding, 0, 1, 0), RenderEvent(.holding, 2, 2, 0), RenderEvent(.running, 4, 2, 0),
      ])
  }

  @Test("replaced by nothing, it is silent and does not end")
  func removal() {
    let fixture = RendererFixture()
    fixture.renderer.replace(fixture.makeBuffer(1, frames: 100), ramp: false)
    fixture.renderer.run()
    fixture.render(10)
    fixture.renderer.replace(nil, ramp: true)
    #expect(fixture.render(5) == joined(rampedOut(10), silence(2)))
    #expect(fixture.takeEvents() == [RenderEvent(.running, 0, 1, 0), RenderEvent(.holding, 13, -1, 0)])
  }

  // MARK: End and starvation

  @Test("an ended stream renders short until another buffer comes")
  func end() {
    let fixture = RendererFixture()
    fixture.renderer.replace(fixture.makeBuffer(1, frames: 10), ramp: false)
    fixture.renderer.run()
    #expect(fixture.render(12) == frames(0..<10))
    #expect(fixture.render(12) == [])
    fixture.renderer.pause()
    fixture.renderer.run()
    #expect(fixture.render(12) == [])
    fixture.renderer.replace(fixture.makeBuffer(2, frames: 10), ramp: false)
    #expect(fixture.render(4) == frames(0..<4))
    #expect(
      fixture.takeEvents() == [
        RenderEvent(.running, 0, 1, 0), RenderEvent(.finished, 10, 1, 10), RenderEvent(.running, 10, 2, 0),
      ])
  }

  @Test("an empty ended stream ends at once")
  func emptyStream() {
    let fixture = RendererFixture()
    fixture.renderer.replace(fixture.makeBuffer(1, frames: 0), ramp: false)
    fixture.renderer.run()
    #expect(fixture.render(4) == [])
    #expect(fixture.takeEvents() == [RenderEvent(.finished, 0, 1, 0)])
  }

  @Test("a starved stream goes on with the next frame")
  func starvation() {
    let fixture = RendererFixture()
    let buffer = fixture.makeBuffer(1, frames: 5, ends: false)
    fixture.renderer.replace(buffer, ramp: false)
    fixture.renderer.run()
    #expect(fixture.render(8) == joined(frames(0..<5), silence(3)))
    #expect(fixture.render(4) == silence(4))
    #expect(fixture.renderer.starvedFrames == 7)
    fixture.append(5, to: buffer)
    #expect(fixture.render(5) == frames(5..<10), "real frames are not ramped")
    #expect(
      fixture.takeEvents() == [
        RenderEvent(.running, 0, 1, 0), RenderEvent(.starved, 5, 1, 5), RenderEvent(.running, 12, 1, 5),
      ])
  }

  @Test("waiting for a first frame is no starvation")
  func waiting() {
    let fixture = RendererFixture()
    let buffer = fixture.makeBuffer(1, frames: 0, ends: false)
    fixture.renderer.replace(buffer, ramp: false)
    fixture.renderer.run()
    #expect(fixture.render(4) == silence(4))
    fixture.append(5, to: buffer)
    #expect(fixture.render(5) == frames(0..<5))
    #expect(fixture.renderer.starvedFrames == 0)
    #expect(fixture.takeEvents() == [RenderEvent(.holding, 0, 1, 0), RenderEvent(.running, 4, 1, 0)])
  }

  @Test("starved within a ramp, the ramp goes on where it stood")
  func starvedRamp() {
    let fixture = RendererFixture()
    let buffer = fixture.makeBuffer(1, frames: 1, ends: false)
    fixture.renderer.replace(buffer, ramp: true)
    fixture.renderer.run()
    #expect(fixture.render(2) == [0.25, 0])
    fixture.append(9, to: buffer)
    #expect(fixture.render(4) == [1.0, 2.25, 4, 5])
  }

  // MARK: Gain and levels

  @Test("a gain set before the first frame holds from it on, a later one ramps")
  func gain() {
    let fixture = RendererFixture()
    fixture.renderer.replace(fixture.makeBuffer(1, frames: 1000), ramp: false)
    fixture.renderer.run()
    fixture.renderer.setGain(0.5)
    #expect(fixture.render(4) == [0.5, 1, 1.5, 2])
    fixture.renderer.setGain(0.25)
    fixture.renderer.setGain(0)
    let ramp = fixture.render(481)
    for index in 0..<480 {
      let gain = 0.5 - 0.5 * Float(index + 1) / 481
      let wanted = Float(index + 5) * gain
      #expect(abs(ramp[index] - wanted) < 1e-3)
    }
    #expect(ramp[480] == 0)
    #expect(fixture.render(10) == silence(10))
  }

  @Test("levels are peaks behind the gain, since the last call")
  func levels() {
    let fixture = RendererFixture(channels: 2)
    fixture.renderer.replace(fixture.makeBuffer(1, frames: 100), ramp: false)
    fixture.renderer.run()
    fixture.renderer.setGain(0.5)
    fixture.render(9)
    var levels: [Float] = [9, 9]
    fixture.renderer.takeLevels(into: &levels)
    #expect(levels == [4.5, 4.75])
    fixture.renderer.takeLevels(into: &levels)
    #expect(levels == [0, 0])
  }

  // MARK: Plans

  @Test("another plan goes on where the old one was, and the old one comes back")
  func plans() {
    let fixture = RendererFixture()
    fixture.renderer.replace(fixture.makeBuffer(1, frames: 100), ramp: false)
    fixture.renderer.run()
    fixture.renderer.setGain(0.5)
    #expect(fixture.render(2) == [0.5, 1])
    weak var first: RenderPlan?
    do {
      let plan = fixture.renderer.makePlan(format: fixture.format, maximumFrames: 2)
      first = plan
      fixture.renderer.install(plan)
    }
    #expect(fixture.render(3) == [1.5, 2, 2.5])
    fixture.renderer.install(fixture.renderer.makePlan(format: fixture.format, maximumFrames: 64))
    #expect(fixture.render(1) == [3])
    #expect(first != nil)
    fixture.renderer.collectRetired()
    #expect(first == nil)
  }

  @Test("a stream with other channels than the plan's is not played")
  func mismatch() {
    let fixture = RendererFixture()
    let buffer = fixture.makeBuffer(1, frames: 100)
    fixture.renderer.replace(buffer, ramp: false)
    fixture.renderer.run()
    fixture.render(5)
    fixture.renderer.install(
      fixture.renderer.makePlan(format: PCMFormat(sampleRate: .studio, layout: .stereo), maximumFrames: 64))
    var samples = [Float](repeating: .nan, count: 8)
    #expect(samples.withUnsafeMutableBufferPointer { fixture.renderer.render($0.baseAddress!, frames: 4) } == 4)
    #expect(samples == silence(8))
    fixture.renderer.install(fixture.renderer.makePlan(format: fixture.format, maximumFrames: 64))
    #expect(fixture.render(4) == joined(rampedIn(5), frames(8..<9)))
  }

  // MARK: Bounds

  @Test("commands that nobody takes stay bounded, and the last of each kind counts")
  func manyCommands() {
    let fixture = RendererFixture()
    for generation in 0..<1000 {
      fixture.renderer.replace(fixture.makeBuffer(generation, frames: 4), ramp: false)
      if generation % 2 == 0 { fixture.renderer.run() } else { fixture.renderer.pause() }
    }
    fixture.renderer.run()
    var calls = 0
    while fixture.takeEvents().last?.generation != 999, calls < 100 {
      fixture.render(1)
      fixture.renderer.collectRetired()
      calls += 1
    }
    #expect(fixture.render(10).count < 10, "it runs to the end")
    #expect(calls < 10)
  }

  @Test("when events find no room, the state is told again as soon as there is")
  func manyEvents() {
    let fixture = RendererFixture(rampFrames: 0)
    fixture.renderer.replace(fixture.makeBuffer(7, frames: 1000), ramp: false)
    for call in 0..<400 {
      if call % 2 == 0 { fixture.renderer.run() } else { fixture.renderer.pause() }
      fixture.render(1)
    }
    #expect(fixture.takeEvents().count == 256)
    fixture.renderer.run()
    fixture.render(1)
    #expect(fixture.takeEvents().last == RenderEvent(.running, 400, 7, 200))
  }
}
