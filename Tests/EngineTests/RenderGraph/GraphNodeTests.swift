import AudioModel
import MartletTestSupport
import Platform
import Realtime
import RenderGraph
import Synchronization
import Testing

/// Nodes of a graph, one kind at a time.
@Suite("Nodes of a graph")
struct GraphNodeTests {
  private static let studio = GraphFixture.format(48_000)

  // MARK: Sinks

  @Test("a sink gets every frame once, at its own rate, and keeps pace", arguments: [44_100, 48_000, 96_000, 8000])
  func sinks(rate: Int) {
    struct Heard {
      var samples: [Float] = []
      var next: Int64 = 0
      var isContiguous = true
    }
    let heard = Monitor(Heard())
    let sink = BlockSink { call in
      heard.withLock {
        if call.sampleTime != $0.next { $0.isContiguous = false }
        $0.next = call.sampleTime + Int64(call.frames)
        $0.samples += Array(UnsafeBufferPointer(start: call.planes, count: call.frames))
      }
    }
    let (output, main, source) = (OutputNode(), Mixer(), GraphFixture.ruler())
    let format = GraphFixture.format(rate)
    let fixture = GraphFixture(
      output, Self.studio,
      [
        GraphConnection(from: source, to: main, bus: 0, format: format),
        GraphConnection(from: source, to: sink, bus: 0, format: format),
        GraphConnection(from: main, to: output, bus: 0, format: Self.studio),
      ])
    var rendered = 0
    for part in [1, 100, 511, 512, 513, 2000, 48_000] {
      _ = fixture.render(part, by: part)
      rendered += part
      #expect(heard.withLock { $0.samples.count } == rendered * rate / 48_000)
    }
    let result = heard.withLock { $0 }
    #expect(result.isContiguous)
    #expect(difference(result.samples, countUp(result.samples.count)) == nil)
  }

  @Test("a sink of what nothing else hears")
  func sinkAlone() {
    let heard = Monitor<[Float]>([])
    let sink = BlockSink { call in
      heard.withLock { $0 += Array(UnsafeBufferPointer(start: call.planes, count: call.frames)) }
    }
    let source = GraphFixture.ruler()
    let fixture = GraphFixture(
      OutputNode(), Self.studio, [GraphConnection(from: source, to: sink, bus: 0, format: Self.studio)])
    #expect(fixture.render(1000).allSatisfy { $0 == 0 })
    #expect(difference(heard.withLock { $0 }, countUp(1000)) == nil)
  }

  // MARK: Sources that capture

  /// A microphone that the test speaks into.
  private final class Microphone {
    let source: CaptureSource
    let fixture: GraphFixture
    var said = 0

    init(cushion: Int, limit: Int, channels: Int = 1) {
      let format = GraphFixture.format(48_000, channels)
      source = CaptureSource(format: format, cushion: cushion, limit: limit)
      let output = OutputNode()
      fixture = GraphFixture(output, format, [GraphConnection(from: source, to: output, bus: 0, format: format)])
    }

    func say(_ frames: Int) {
      let channels = source.format.channels
      let samples = (0..<frames * channels).map { Float(said + $0 / channels + 1) + Float($0 % channels) / 2 }
      samples.withUnsafeBufferPointer {
        source.receive($0.baseAddress!, frames: frames, at: CaptureTime(frame: Int64(said), hostNanoseconds: 0))
      }
      said += frames
    }

    func hear(_ frames: Int) -> [Float] { fixture.render(frames, by: frames) }
  }

  @Test("what is said is heard behind a cushion, every channel, frame by frame")
  func cushion() {
    let microphone = Microphone(cushion: 100, limit: 1000, channels: 2)
    microphone.say(149)
    #expect(microphone.hear(50) == [Float](repeating: 0, count: 50))
    microphone.say(1)
    #expect(microphone.hear(50) == countUp(50))
    microphone.say(3000)
    #expect(microphone.source.missingFrames == 0 && microphone.source.droppedFrames == 0)
  }

  @Test("where too little was said silence stands in, is counted, and the cushion fills again")
  func underflow() {
    let microphone = Microphone(cushion: 100, limit: 1000)
    #expect(microphone.hear(64).allSatisfy { $0 == 0 })
    #expect(microphone.source.missingFrames == 0, "before the first sound nothing is missing")
    microphone.say(200)
    #expect(microphone.hear(64) == countUp(64))
    #expect(microphone.hear(100) == countUp(100, from: 65))
    #expect(microphone.hear(64) == countUp(36, from: 165) + [Float](repeating: 0, count: 28))
    #expect(microphone.source.missingFrames == 28)
    microphone.say(100)
    #expect(microphone.hear(64).allSatisfy { $0 == 0 }, "the cushion is not full yet")
    microphone.say(64)
    #expect(microphone.hear(64) == countUp(64, from: 201))
    #expect(microphone.source.missingFrames == 28 && microphone.source.droppedFrames == 0)
  }

  @Test("where too much was said the oldest is dropped, down to the cushion, and counted")
  func overflow() {
    let microphone = Microphone(cushion: 100, limit: 1000)
    microphone.say(1064)
    #expect(microphone.hear(64) == countUp(64))
    microphone.say(65)
    // 1065 wait, one more than the limit and this call.
    #expect(microphone.hear(64) == countUp(64, from: 1129 - 164 + 1))
    #expect(microphone.source.droppedFrames == 1129 - 64 - 164)
    #expect(microphone.source.missingFrames == 0)
  }

  @Test("more than the ring holds, with nobody listening")
  func full() {
    let microphone = Microphone(cushion: 100, limit: 1000)
    for _ in 0..<200 { microphone.say(1000) }
    let heard = microphone.hear(64)
    #expect(zip(heard, heard.dropFirst()).allSatisfy { $1 == $0 + 1 })
    // What was dropped and what was heard and what waits is all that was said.
    #expect(microphone.source.droppedFrames + 164 == 200_000)
    microphone.say(64)
    #expect(microphone.hear(64).allSatisfy { $0 > 0 })
  }

  @Test("clocks that drift: it stays within its limits, and what is heard is in order", arguments: [-8, 0, 8])
  func drift(surplus: Int) {
    let microphone = Microphone(cushion: 512, limit: 2048)
    var heard: [Float] = []
    for _ in 0..<4000 {
      microphone.say(256 + surplus / 4)
      heard += microphone.hear(256)
    }
    let sound = heard.filter { $0 != 0 }
    #expect(zip(sound, sound.dropFirst()).allSatisfy { $1 > $0 })
    let (missing, dropped) = (Int(microphone.source.missingFrames), Int(microphone.source.droppedFrames))
    switch surplus {
    case 0:
      #expect(missing == 0 && dropped == 0)
      #expect(zip(sound, sound.dropFirst()).allSatisfy { $1 == $0 + 1 })
    case 1...:
      #expect(missing == 0 && dropped > 0)
      // All that was said was heard, dropped, or waits.
      let waiting = microphone.said - dropped - sound.count
      #expect((0...2048).contains(waiting))
    default:
      #expect(missing > 0 && dropped == 0)
      #expect(microphone.said - sound.count <= 2048)
    }
  }

  // MARK: Effects

  /// Turns the sound upside down, `delay` frames later.
  private final class Inverter: EffectKernel, @unchecked Sendable {
    let line: UnsafeMutablePointer<Float>
    let latency: Int
    let tail = 0
    private let place = Atomic<Int>(0)

    init(delay: Int) {
      latency = delay
      line = .allocate(capacity: max(1, delay))
      line.initialize(repeating: 0, count: max(1, delay))
    }

    deinit { line.deallocate() }

    func process(_ call: BlockCall) {
      for frame in 0..<call.frames {
        let sound = -call.planes[frame]
        guard latency > 0 else {
          call.planes[frame] = sound
          continue
        }
        let index = place.wrappingAdd(1, ordering: .relaxed).oldValue % latency
        call.planes[frame] = line[index]
        line[index] = sound
      }
    }

    func reset() { line.update(repeating: 0, count: max(1, latency)) }
  }

  private static func effect(_ kernel: Inverter, of source: BlockSource) -> (EffectStage, GraphFixture) {
    let (stage, output) = (EffectStage(kernel), OutputNode())
    return (
      stage,
      GraphFixture(
        output, studio,
        [
          GraphConnection(from: source, to: stage, bus: 0, format: studio),
          GraphConnection(from: stage, to: output, bus: 0, format: studio),
        ])
    )
  }

  @Test("bypass is a cross-fade of 10 ms in a straight line, both ways", arguments: [64, 480, 1000])
  func bypass(part: Int) {
    let (stage, fixture) = Self.effect(Inverter(delay: 0), of: GraphFixture.source { _, _ in 1 })
    #expect(fixture.render(part, by: part).allSatisfy { $0 == -1 })
    stage.isBypassed = true
    #expect(stage.isBypassed)
    let gone = fixture.render(2000, by: part)
    #expect(zip(gone, gone.dropFirst()).allSatisfy { $1 >= $0 - 1e-6 && $1 - $0 < 2.1 / 480 })
    #expect(abs(gone[240]) < 0.01)
    #expect(gone[481...].allSatisfy { $0 == 1 })
    stage.isBypassed = false
    let back = fixture.render(2000, by: part)
    #expect(zip(back, back.dropFirst()).allSatisfy { $1 <= $0 + 1e-6 && $0 - $1 < 2.1 / 480 })
    #expect(back[481...].allSatisfy { $0 == -1 })
  }

  @Test("a change of mind in the middle of a fade turns round without a jump")
  func turnsRound() {
    let (stage, fixture) = Self.effect(Inverter(delay: 0), of: GraphFixture.source { _, _ in 1 })
    var heard = fixture.render(100)
    for turn in 0..<9 {
      stage.isBypassed = turn % 2 == 0
      heard += fixture.render(100, by: 33)
    }
    #expect(greatestStep(heard) < 2.1 / 480 && heard.allSatisfy { abs($0) <= 1.000001 })
  }

  @Test("a delay goes on with the sound while it is bypassed, so that what comes back has a past")
  func delayWhileBypassed() {
    let (stage, fixture) = Self.effect(Inverter(delay: 1000), of: GraphFixture.ruler())
    #expect(difference(fixture.render(1500), [Float](repeating: 0, count: 1000) + countUp(500).map { -$0 }) == nil)
    stage.isBypassed = true
    #expect(difference(Array(fixture.render(2000)[481...]), countUp(1519, from: 1982)) == nil)
    stage.isBypassed = false
    let back = fixture.render(1000)
    #expect(difference(Array(back[481...]), countUp(519, from: 2982).map { -$0 }) == nil)
  }

  @Test("bypassed from the start there is no fade; reset forgets what the line holds")
  func startAndReset() {
    let (stage, fixture) = Self.effect(Inverter(delay: 50), of: GraphFixture.ruler())
    stage.isBypassed = true
    #expect(difference(fixture.render(300), countUp(300)) == nil)
    stage.isBypassed = false
    _ = fixture.render(700)
    stage.reset()
    let heard = fixture.render(100)
    #expect(heard[..<50].allSatisfy { $0 == 0 } && heard[50] == -1001)
  }

  @Test("an effect that nothing leads to is silent")
  func effectAlone() {
    let (stage, output) = (EffectStage(Inverter(delay: 0)), OutputNode())
    let fixture = GraphFixture(
      output, Self.studio, [GraphConnection(from: stage, to: output, bus: 0, format: Self.studio)])
    #expect(fixture.render(100).allSatisfy { $0 == 0 })
  }

  // MARK: One output, several inputs

  @Test("all readers of an output get the same frames, whatever their rate", arguments: [1, 100, 512, 3000])
  func fanOut(part: Int) {
    let (output, main, source) = (OutputNode(), Mixer(), GraphFixture.ruler())
    var connections = (0..<3).map {
      GraphConnection(from: source, to: main, bus: $0, format: Self.studio)
    }
    connections.append(GraphConnection(from: main, to: output, bus: 0, format: Self.studio))
    let fixture = GraphFixture(output, Self.studio, connections)
    #expect(difference(fixture.render(3000, by: part), countUp(3000).map { 3 * $0 }) == nil)
    #expect(source.times.frame == 3000, "rendered once for all")
  }

  @Test("a reader that comes later begins with the frames of its first call, and one may go")
  func lateReader() {
    let (output, main, source) = (OutputNode(), Mixer(), GraphFixture.ruler())
    let first = GraphConnection(from: source, to: main, bus: 0, format: Self.studio)
    let second = GraphConnection(from: source, to: main, bus: 1, format: Self.studio)
    let end = GraphConnection(from: main, to: output, bus: 0, format: Self.studio)
    let fixture = GraphFixture(output, Self.studio, [first, end], isRealtime: false)
    var heard = fixture.render(300)
    fixture.install([first, second, end])
    heard += fixture.render(300)
    fixture.install([second, end])
    heard += fixture.render(300)
    #expect(
      difference(heard, countUp(300) + countUp(300, from: 301).map { 2 * $0 } + countUp(300, from: 601)) == nil)
  }

  @Test("two ways of one sound that meet again, one of them by another rate, stay together")
  func diamond() {
    let (output, main, aside) = (OutputNode(), Mixer(), Mixer())
    let source = GraphFixture.source { _, _ in 0.25 }
    let fixture = GraphFixture(
      output, Self.studio,
      [
        GraphConnection(from: source, to: main, bus: 0, format: Self.studio),
        GraphConnection(from: source, to: aside, bus: 0, format: Self.studio),
        GraphConnection(from: aside, to: main, bus: 1, format: GraphFixture.format(32_000)),
        GraphConnection(from: main, to: output, bus: 0, format: Self.studio),
      ])
    let heard = fixture.render(20_000, by: 333)
    #expect(heard[2000...].allSatisfy { abs($0 - 0.5) < 1e-5 })
  }

  // MARK: Plans

  @Test("circles are found, diamonds are none")
  func circles() {
    let (output, a, b, c) = (OutputNode(), Mixer(), Mixer(), Mixer())
    func graph(_ pairs: [(GraphNode, GraphNode)]) -> GraphDescription {
      GraphDescription(
        output: output, format: Self.studio,
        connections: pairs.enumerated().map {
          GraphConnection(from: $1.0, to: $1.1, bus: $0, format: Self.studio)
        })
    }
    #expect(!graph([]).hasCycle)
    #expect(!graph([(a, b), (a, c), (b, output), (c, output)]).hasCycle)
    #expect(graph([(a, a)]).hasCycle)
    #expect(graph([(a, b), (b, c), (c, a), (c, output)]).hasCycle)
    #expect(graph([(a, output), (b, c), (c, b)]).hasCycle, "also where nothing hears it")
  }

  @Test("a plan with a circle, or for no frames, is not made")
  func impossiblePlans() async {
    await #expect(processExitsWith: .failure) {
      let (output, a, b) = (OutputNode(), Mixer(), Mixer())
      let format = GraphFixture.format(48_000)
      let circle = [
        GraphConnection(from: a, to: b, bus: 0, format: format),
        GraphConnection(from: b, to: a, bus: 0, format: format),
      ]
      _ = GraphFixture(output, format, circle)
    }
    await #expect(processExitsWith: .failure) {
      let format = GraphFixture.format(48_000)
      let graph = GraphDescription(output: OutputNode(), format: format, connections: [])
      _ = RenderPlan.compile(graph, maximumFrames: 0, hasSoftEdges: false)
    }
    await #expect(processExitsWith: .failure) {
      let fixture = GraphFixture(OutputNode(), GraphFixture.format(48_000), [])
      fixture.renderer.install(
        GraphDescription(output: fixture.output, format: GraphFixture.format(44_100), connections: []))
    }
  }

  @Test("nothing connected is silence, counted")
  func nothing() {
    let fixture = GraphFixture(OutputNode(), GraphFixture.format(48_000, 2), [])
    #expect(fixture.render(1000, channel: 1).allSatisfy { $0 == 0 })
    #expect(fixture.renderer.times.frame == 1000 && fixture.renderer.callCount == 4)
  }
}
