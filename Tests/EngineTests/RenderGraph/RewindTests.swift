import AudioModel
import RenderGraph
import Testing

@Suite("Taking back")
struct RewindTests {
  private func frames(_ range: Range<Int>) -> [Float] { range.map { Float($0 + 1) } }

  private func runningFixture(frames: Int = 1000, rampFrames: Int = 3, ramp: Bool = false) -> RendererFixture {
    let fixture = RendererFixture(rampFrames: rampFrames)
    fixture.renderer.replace(fixture.makeBuffer(1, frames: frames), ramp: ramp)
    fixture.renderer.run()
    return fixture
  }

  @Test("frames taken back are rendered again, the same")
  func running() {
    let fixture = runningFixture()
    fixture.render(50)
    #expect(fixture.renderer.rewind(frames: 20) == 20)
    #expect(fixture.render(30) == frames(30..<60))
    #expect(
      fixture.takeEvents() == [
        RenderEvent(.running, 0, 1, 0), RenderEvent(.rewound, 30, 1, 30), RenderEvent(.running, 30, 1, 30),
      ])
  }

  @Test("not beyond the history, even in two steps")
  func history() {
    let fixture = runningFixture()
    fixture.render(300)
    #expect(fixture.renderer.rewind(frames: 80) == 80)
    #expect(fixture.renderer.rewind(frames: 80) == 20)
    #expect(fixture.renderer.rewind(frames: 80) == 0)
    #expect(fixture.render(5) == frames(200..<205))
  }

  @Test("the writer never overwrites what can be taken back")
  func historyIsKept() {
    let fixture = RendererFixture()
    let buffer = fixture.makeBuffer(1, frames: 50, capacity: 50, history: 20, ends: false)
    fixture.renderer.replace(buffer, ramp: false)
    fixture.renderer.run()
    fixture.render(50)
    fixture.append(50, to: buffer)
    #expect(buffer.writableFrames == 0)
    #expect(fixture.renderer.rewind(frames: 50) == 20)
    #expect(buffer.writableFrames == 0)
    #expect(fixture.render(70) == frames(30..<100))
    #expect(buffer.writableFrames == 50)
  }

  @Test("only to the beginning of the stretch: a pause's silence gives back no sound")
  func stretches() {
    let fixture = runningFixture()
    fixture.render(10)
    fixture.renderer.pause()
    fixture.render(10)
    #expect(fixture.renderer.rewind(frames: 100) == 7, "three of ten were the ramp")
    fixture.renderer.run()
    #expect(fixture.render(4) == [3.5, 7.5, 12.0, 17])
    #expect(
      fixture.takeEvents() == [
        RenderEvent(.running, 0, 1, 0), RenderEvent(.holding, 13, 1, 13), RenderEvent(.rewound, 13, 1, 13),
        RenderEvent(.holding, 13, 1, 13), RenderEvent(.running, 13, 1, 13),
      ])
  }

  @Test("a ramp that was taken back ramps again", arguments: 1...8)
  func ramp(back: Int) {
    let fixture = runningFixture(ramp: true)
    let first = fixture.render(8)
    #expect(fixture.renderer.rewind(frames: back) == back)
    #expect(fixture.render(back) == Array(first.suffix(back)))
  }

  @Test("half a ramp out that was taken back goes out again", arguments: 1...2)
  func rampOut(back: Int) {
    let fixture = runningFixture()
    fixture.render(10)
    fixture.renderer.pause()
    let first = fixture.render(2)
    #expect(fixture.renderer.rewind(frames: back) == back)
    let wanted: [Float] = Array(first.suffix(back)) + [3.25, 0]
    #expect(fixture.render(back + 2) == wanted)
  }

  @Test("an end that was taken back comes again")
  func end() {
    let fixture = runningFixture(frames: 10)
    fixture.render(20)
    #expect(fixture.renderer.rewind(frames: 4) == 4)
    #expect(fixture.render(20) == frames(6..<10))
    #expect(fixture.render(20) == [])
    #expect(
      fixture.takeEvents() == [
        RenderEvent(.running, 0, 1, 0), RenderEvent(.finished, 10, 1, 10), RenderEvent(.rewound, 6, 1, 6),
        RenderEvent(.running, 6, 1, 6), RenderEvent(.finished, 10, 1, 10),
      ])
  }

  @Test("starved silence is taken back and filled with sound")
  func starved() {
    let fixture = RendererFixture()
    let buffer = fixture.makeBuffer(1, frames: 5, ends: false)
    fixture.renderer.replace(buffer, ramp: false)
    fixture.renderer.run()
    fixture.render(12)
    #expect(fixture.renderer.rewind(frames: 100) == 7)
    #expect(fixture.renderer.starvedFrames == 0)
    fixture.append(10, to: buffer)
    #expect(fixture.render(5) == frames(5..<10))
  }

  @Test("a gain moves from where it was at the frame gone back to")
  func gain() {
    let fixture = RendererFixture(rampFrames: 0)
    fixture.renderer.replace(fixture.makeBuffer(1, frames: 5000, capacity: 5000, history: 2000), ramp: false)
    fixture.renderer.run()
    fixture.renderer.setGain(0.5)
    let before = fixture.render(1000)
    #expect(before == frames(0..<1000).map { $0 * 0.5 })
    fixture.renderer.setGain(0)
    fixture.render(600)
    fixture.renderer.setGain(0.25)
    fixture.render(100)
    #expect(fixture.renderer.rewind(frames: 1200) == 1200)
    let again = fixture.render(481)
    // From 0.5, which was heard, straight to 0.25: through the steps of neither of the ramps that were taken back.
    for index in 0..<480 {
      let gain = 0.5 - 0.25 * Float(index + 1) / 481
      let wanted = Float(500 + index + 1) * gain
      #expect(abs(again[index] - wanted) < 1e-3)
    }
    #expect(again[480] == 981 * 0.25)
  }

  @Test("nothing to take back")
  func nothing() {
    let fixture = runningFixture()
    #expect(fixture.renderer.rewind(frames: 10) == 0)
    fixture.render(10)
    #expect(fixture.renderer.rewind(frames: 0) == 0)
    #expect(fixture.renderer.rewind(frames: -5) == 0)
    fixture.renderer.replace(nil, ramp: false)
    fixture.render(0)
    #expect(fixture.renderer.rewind(frames: 5) == 0, "the stretch begins with the replacement")
  }
}
