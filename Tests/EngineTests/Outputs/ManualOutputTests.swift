import AudioModel
import AudioOutput
import MartletTestSupport
import Testing

@Suite struct ManualOutputTests {
  let request = OutputRequest(
    format: PCMFormat(sampleRate: .studio, layout: .stereo), latency: 0.02, maximumFrames: 512)

  @Test(arguments: [0, 1000])
  func manualOutputKeepsTheContract(queue: Int) throws {
    let output = ManualOutput(queue: queue, margin: queue / 10)
    let contract = OutputContract(
      request, make: { output }, pump: { output.pull(frames: 256) }, heard: { output.heard })
    let violations = try contract.violations()
    #expect(violations == [])
  }

  @Test(
    arguments: [
      [.oddSizes], [.bursts(count: 4)], [.oddSizes, .bursts(count: 3)], [.vanishes(after: 3, returnsAfter: 5)],
    ] as [Set<MisbehavingOutput.Fault>])
  func misbehavingOutputsStillLoseNothing(faults: Set<MisbehavingOutput.Fault>) throws {
    let output = MisbehavingOutput(faults, inner: ManualOutput(queue: 700))
    let contract = OutputContract(
      request, make: { output }, pump: { output.pull(frames: 256) }, heard: { output.inner.heard })
    let violations = try contract.violations()
    #expect(violations == [])
  }

  @Test func contractsFindFaults() throws {
    let silent = MisbehavingOutput([.neverDrains])
    let contract = OutputContract(request, make: { silent }, pump: { silent.pull(frames: 4096) })
    #expect(try contract.violations().contains("in vain waited for drained, time 1"))
    let liar = MisbehavingOutput([.liesAboutDelay(frames: 10_000_000)])
    let other = OutputContract(request, make: { liar }, pump: { liar.pull(frames: 256) })
    #expect(try other.violations().contains { $0.hasPrefix("pending 10") })
    let choosy = MisbehavingOutput([.refusesFormat])
    #expect(throws: AudioError.self) { try OutputContract(request, make: { choosy }).violations() }
    let lossy = ManualOutput()
    let loss = OutputContract(
      request, make: { lossy }, pump: { lossy.pull(frames: 256) }, heard: { Array(lossy.heard.dropFirst(2)) })
    #expect(try loss.violations().count == 1)
  }

  @Test func aPullIsOneCallback() throws {
    let output = ManualOutput(queue: 100)
    let source = CountingSource(channels: 2, maximumFrames: 512)
    _ = try output.open(request, source: source) { source.note($0) }
    #expect(output.pull(frames: 64) == 0)
    try output.start()
    #expect(output.wait(for: .playing))
    #expect(output.pull(frames: 64) == 64)
    #expect(output.heard == [])
    #expect(output.timing == OutputTiming(rendered: 64, pending: 64))
    #expect(output.pull(frames: 600) == 600)
    #expect(output.callbacks == 3)
    #expect(output.heard == Array(source.expectedSamples.prefix(564 * 2)))
    #expect(output.timing == OutputTiming(rendered: 664, pending: 100))
    source.jumpWhenRewound(to: 9000)
    output.withdraw()
    #expect(source.now.rewound == 100)
    #expect(source.now.expected == [0..<564, 9000..<9100])
    source.end(after: 10)
    #expect(output.pull(frames: 64) == 10)
    #expect(output.pull(frames: 64) == 0)
    #expect(output.heard == source.expectedSamples)
    #expect(source.now.events == [.drained])
    output.deliver(.underrun(frames: 3))
    #expect(source.now.events == [.drained, .underrun(frames: 3)])
    output.close()
    #expect(output.pull(frames: 64) == 0)
    #expect(source.now.violations == [])
  }

  @Test func manualClockMovesWhenTold() async throws {
    let clock = ManualClock()
    let sleeper = Task {
      try await clock.sleep(for: .seconds(2))
      return clock.now.offset
    }
    let cancelled = Task { try await clock.sleep(for: .seconds(5)) }
    await clock.waitForSleepers(2)
    clock.advance(by: .seconds(1))
    #expect(clock.sleeperCount == 2)
    clock.advance(by: .seconds(1))
    #expect(try await sleeper.value == .seconds(2))
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(clock.sleeperCount == 0)
  }
}
