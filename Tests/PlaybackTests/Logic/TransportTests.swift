import PlaybackLogic
import Testing

@Suite struct TransportTests {
  private func expect(
    _ transport: inout Transport, _ event: Transport.Event, _ action: Transport.Action?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let answer = transport.handle(event)
    #expect(answer == action, sourceLocation: sourceLocation)
  }

  private func expectRuns(_ transport: inout Transport, sourceLocation: SourceLocation = #_sourceLocation) {
    let runs = transport.filled()
    #expect(runs, sourceLocation: sourceLocation)
  }

  private func expectHolds(_ transport: inout Transport, sourceLocation: SourceLocation = #_sourceLocation) {
    let runs = transport.filled()
    #expect(!runs, sourceLocation: sourceLocation)
  }

  @Test func theUsualWay() {
    var transport = Transport()
    expect(&transport, .play, .begin)
    #expect(transport.state == .opening)
    expect(&transport, .opened, nil)
    #expect(transport.state == .buffering)
    expectRuns(&transport)
    #expect(transport.state == .playing)
    expect(&transport, .pause, .hold)
    expect(&transport, .play, .run)
    expect(&transport, .starved, .hold)
    #expect(transport.state == .buffering)
    expectRuns(&transport)
    expect(&transport, .finished(anythingPlayed: true), nil)
    #expect(transport.state == .ended)
    expect(&transport, .play, .begin)
  }

  @Test func aPauseBeforeTheFirstSoundHoldsUntilPlay() {
    var transport = Transport()
    _ = transport.handle(.play)
    expect(&transport, .pause, nil)
    #expect(transport.state == .paused)
    expect(&transport, .opened, nil)
    expectHolds(&transport)
    #expect(transport.state == .paused)
    expect(&transport, .play, .run)
    #expect(transport.state == .playing)
  }

  @Test func aPauseBeforeTheItemIsOpenGoesOnOpening() {
    var transport = Transport()
    _ = transport.handle(.play)
    _ = transport.handle(.pause)
    expect(&transport, .play, nil)
    #expect(transport.state == .opening)
  }

  @Test func aSeekIsPlayingUntilItTakesLong() {
    var transport = Transport()
    _ = transport.handle(.play)
    _ = transport.handle(.opened)
    _ = transport.filled()
    transport.refill()
    #expect(transport.state == .playing)
    transport.refillIsSlow()
    #expect(transport.state == .buffering)
    expectRuns(&transport)
    transport.refillIsSlow()
    #expect(transport.state == .playing)
  }

  @Test func aSeekWhilePausedStaysPaused() {
    var transport = Transport()
    _ = transport.handle(.play)
    _ = transport.handle(.opened)
    _ = transport.filled()
    _ = transport.handle(.pause)
    transport.refill()
    expect(&transport, .play, nil)
    #expect(transport.state == .buffering)
    _ = transport.handle(.pause)
    expectHolds(&transport)
    expect(&transport, .play, .run)
  }

  @Test func nothingPlayedIsAFailure() {
    var transport = Transport()
    _ = transport.handle(.play)
    _ = transport.handle(.finished(anythingPlayed: false))
    #expect(transport.state == .failed)
  }

  @Test(arguments: [Transport.Event.pause, .stop, .starved, .opened, .finished(anythingPlayed: true)])
  func nothingDisturbsRest(event: Transport.Event) {
    var transport = Transport()
    expect(&transport, event, nil)
    #expect(transport.state == .idle)
  }

  @Test(
    arguments: [
      (false, 0, 10.0, 0.1), (true, 0, 10, 1), (true, 0, 1, 0.5), (false, 0, 0.1, 0.05), (false, 0.2, 10, 0.3),
      (true, 1, 2.4, 1.2),
    ])
  func thresholds(afterStarvation: Bool, latency: Double, capacity: Double, expected: Double) {
    let policy = BufferingPolicy(
      startThreshold: 0.1, restartThreshold: 1, outputLatency: latency, capacity: capacity)
    #expect(abs(policy.threshold(afterStarvation: afterStarvation) - expected) < 1e-12)
  }
}
