import AudioModel
import MartletTestSupport
import RenderGraph
import Testing

/// What sounds goes on, and what can't makes no click.
@Suite("Graphs that change while they sound")
struct GraphChangeTests {
  private static let studio = GraphFixture.format(48_000)
  /// Of a sine of 200 Hz at half of full scale, from one frame at 48 kHz to the next.
  private static let smooth: Float = 0.0132
  /// What a fade of 5 ms adds for two.
  private static let fading: Float = 0.0132 + 2 * 0.5 / 240

  @Test(
    "another rate of a mixer's output: out, then in, and then as it should be", arguments: [24_000, 96_000, 44_100])
  func rateOfAMixer(rate: Int) {
    let (output, main, mixer) = (OutputNode(), Mixer(), Mixer())
    let source = GraphFixture.sine(200, rate: 44_100)
    let into = GraphConnection(from: source, to: mixer, bus: 0, format: GraphFixture.format(44_100))
    let end = GraphConnection(from: main, to: output, bus: 0, format: Self.studio)
    func onward(_ rate: Int, fade: Int = 0) -> GraphConnection {
      GraphConnection(from: mixer, to: main, bus: 0, format: GraphFixture.format(rate), fadeFrames: fade)
    }
    let before = onward(48_000)
    let fixture = GraphFixture(output, Self.studio, [into, before, end]) {
      $0.formats = [(mixer, Self.studio), (main, Self.studio)]
    }
    var heard = fixture.render(4860)
    let after = onward(rate, fade: 240)
    fixture.install([into, after, end]) {
      $0.formats = [(mixer, GraphFixture.format(rate)), (main, Self.studio)]
    }
    heard += fixture.render(9600)
    #expect(greatestStep(heard) < Self.fading)
    #expect(before.hasLeft)
    // Only for a moment.
    #expect(heard.indices.allSatisfy { $0 + 480 > heard.count || heard[$0..<$0 + 480].contains { abs($0) > 0.1 } })
    #expect(greatestStep(Array(heard.suffix(4800))) < Self.smooth)
    #expect(heard.suffix(4800).contains { $0 > 0.499 } && heard.suffix(4800).allSatisfy { $0 < 0.501 })
  }

  @Test(
    "other channels of a source, with room for what each side wants", arguments: [(2, 1), (1, 2), (2, 8), (8, 1)])
  func channelsOfASource(from: Int, to: Int) {
    let (output, main) = (OutputNode(), Mixer())
    let source = GraphFixture.sine(200, rate: 48_000)
    let end = GraphConnection(from: main, to: output, bus: 0, format: GraphFixture.format(48_000, 2))
    let before = GraphConnection(from: source, to: main, bus: 0, format: GraphFixture.format(48_000, from))
    let after = GraphConnection(
      from: source, to: main, bus: 0, format: GraphFixture.format(48_000, to), fadeFrames: 240)
    let fixture = GraphFixture(output, GraphFixture.format(48_000, 2), [before, end])
    let first = fixture.render(4860)
    fixture.install([after, end])
    let heard = first + fixture.render(4800)
    // Of eight channels a mix is louder than one.
    let loudest = max(1, heard.reduce(0) { max($0, abs($1)) } / 0.5)
    #expect(greatestStep(heard) < Self.fading * loudest)
    #expect(heard.suffix(2400).contains { $0 > 0.3 })
  }

  @Test("another format in front of an effect, which follows")
  func throughAnEffect() {
    let (output, main, stage) = (OutputNode(), Mixer(), EffectStage(Nothing()))
    let source = GraphFixture.sine(200, rate: 48_000)
    let end = GraphConnection(from: main, to: output, bus: 0, format: GraphFixture.format(48_000, 2))
    func way(_ channels: Int, fade: Int) -> [GraphConnection] {
      let format = GraphFixture.format(48_000, channels)
      return [
        GraphConnection(from: source, to: stage, bus: 0, format: format, fadeFrames: fade),
        GraphConnection(from: stage, to: main, bus: 0, format: format, fadeFrames: fade), end,
      ]
    }
    let fixture = GraphFixture(output, GraphFixture.format(48_000, 2), way(1, fade: 0))
    var heard = fixture.render(4860)
    for channels in [2, 1, 2] {
      fixture.install(way(channels, fade: 240))
      heard += fixture.render(4860)
    }
    #expect(greatestStep(heard) < Self.fading)
    #expect(heard.suffix(2400).contains { $0 > 0.49 })
  }

  private final class Nothing: EffectKernel {
    let (latency, tail) = (0, 0)
    func process(_ call: BlockCall) {}
    func reset() {}
  }

  @Test("another format of what leads to the output")
  func formatOfTheEnd() {
    let (output, main) = (OutputNode(), Mixer())
    let into = GraphConnection(
      from: GraphFixture.sine(200, rate: 48_000), to: main, bus: 0, format: Self.studio)
    func end(_ rate: Int, fade: Int) -> GraphConnection {
      GraphConnection(from: main, to: output, bus: 0, format: GraphFixture.format(rate), fadeFrames: fade)
    }
    let fixture = GraphFixture(output, Self.studio, [into, end(48_000, fade: 0)])
    var heard = fixture.render(4860)
    #expect(greatestStep(heard) < Self.smooth)
    for rate in [44_100, 48_000, 32_000] {
      fixture.install([into, end(rate, fade: 240)]) { $0.formats = [(main, GraphFixture.format(rate))] }
      heard += fixture.render(4800)
    }
    #expect(greatestStep(heard) < Self.fading)
    #expect(heard.suffix(2400).contains { $0 > 0.49 })
  }

  @Test("another way to the output fades over")
  func anotherEnd() {
    let output = OutputNode()
    let (low, high) = (GraphFixture.source { _, _ in 0.25 }, GraphFixture.source { _, _ in 0.75 })
    let fixture = GraphFixture(
      output, Self.studio, [GraphConnection(from: low, to: output, bus: 0, format: Self.studio)])
    var heard = fixture.render(480)
    fixture.install([GraphConnection(from: high, to: output, bus: 0, format: Self.studio, fadeFrames: 240)])
    heard += fixture.render(960)
    #expect(heard.prefix(480).allSatisfy { $0 == 0.25 } && heard.suffix(480).allSatisfy { $0 == 0.75 })
    #expect(greatestStep(heard) < 1 / 240 && heard.allSatisfy { (0.24...0.76).contains($0) })
  }

  @Test("changes that come before the last one is done", arguments: [1, 7, 64, 300])
  func manyChanges(part: Int) {
    let (output, main, mixer) = (OutputNode(), Mixer(), Mixer())
    let into = GraphConnection(
      from: GraphFixture.sine(200, rate: 48_000), to: mixer, bus: 0, format: Self.studio)
    let end = GraphConnection(from: main, to: output, bus: 0, format: Self.studio)
    let fixture = GraphFixture(
      output, Self.studio,
      [into, GraphConnection(from: mixer, to: main, bus: 0, format: Self.studio), end])
    var heard = fixture.render(1060)
    var last: GraphConnection?
    for rate in [24_000, 48_000, 8000, 44_100, 48_000, 96_000] {
      let next = GraphConnection(
        from: mixer, to: main, bus: 0, format: GraphFixture.format(rate), fadeFrames: 240)
      fixture.install([into, next, end])
      heard += fixture.render(part, by: part)
      last = next
    }
    heard += fixture.render(4800)
    #expect(greatestStep(heard) < Self.fading)
    #expect(last?.hasLeft == false)
    #expect(heard.suffix(2400).contains { $0 > 0.49 })
  }

  @Test("without a clock the edge is hard, at once, and nothing is left of what was")
  func offline() {
    let (output, main, mixer) = (OutputNode(), Mixer(), Mixer())
    let source = GraphFixture.ruler()
    let into = GraphConnection(from: source, to: mixer, bus: 0, format: Self.studio)
    let end = GraphConnection(from: main, to: output, bus: 0, format: Self.studio)
    let fixture = GraphFixture(
      output, Self.studio,
      [into, GraphConnection(from: mixer, to: main, bus: 0, format: Self.studio), end], isRealtime: false)
    var heard = fixture.render(100)
    fixture.install([into, GraphConnection(from: mixer, to: main, bus: 1, format: Self.studio), end])
    heard += fixture.render(100)
    #expect(difference(heard, countUp(200)) == nil)
  }

  @Test("more room for a mixer's input: its filter goes on")
  func moreRoom() {
    func run(changes: Bool) -> [Float] {
      let (output, main, mixer, slow) = (OutputNode(), Mixer(), Mixer(), Mixer())
      let into = GraphConnection(
        from: GraphFixture.sine(1000, rate: 44_100), to: mixer, bus: 0, format: GraphFixture.format(44_100))
      let straight = GraphConnection(from: mixer, to: main, bus: 0, format: Self.studio)
      let end = GraphConnection(from: main, to: output, bus: 0, format: Self.studio)
      let fixture = GraphFixture(output, Self.studio, [into, straight, end]) { $0.formats = [(mixer, Self.studio)] }
      var heard = fixture.render(1000, by: 100)
      if changes {
        // By way of a low rate the mixer has to give many frames at once; they are not to be heard.
        let aside = GraphConnection(from: mixer, to: slow, bus: 0, format: Self.studio)
        let back = GraphConnection(
          from: slow, to: main, bus: 1, format: GraphFixture.format(8000), mix: GraphConnection.Mix(volume: 0))
        fixture.install([into, straight, aside, back, end]) {
          $0.formats = [(mixer, Self.studio), (slow, GraphFixture.format(8000))]
        }
      }
      heard += fixture.render(3000, by: 100)
      return heard
    }
    #expect(difference(run(changes: true), run(changes: false)) == nil)
  }
}
