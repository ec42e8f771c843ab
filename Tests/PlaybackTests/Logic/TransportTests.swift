import PlaybackLogic
import Testing

@Suite struct TransportTests {
  @Test func theUsualWay() {
    var transport = Transport()
    #expect(transport.handle(.play) == .begin)
    #expect(transport.state == .opening)
    #expect(transport.handle(.opened) == nil)
    #expect(transport.state == .buffering)
    #expect(transport.filled())
    #expect(transport.state == .playing)
    #expect(transport.handle(.pause) == .hold)
    #expect(transport.handle(.play) == .run)
    #expect(transport.handle(.starved) == .hold)
    #expect(transport.state == .buffering)
    #expect(transport.filled())
    #expect(transport.handle(.finished(anythingPlayed: true)) == nil)
    #expect(transport.state == .ended)
    #expect(transport.handle(.play) == .begin)
  }

  @Test func aPauseBeforeTheFirstSoundHoldsUntilPlay() {
    var transport = Transport()
    _ = transport.handle(.play)
    #expect(transport.handle(.pause) == nil)
    #expect(transport.state == .paused)
    #expect(transport.handle(.opened) == nil)
    #expect(!transport.filled())
    #expect(transport.state == .paused)
    #expect(transport.handle(.play) == .run)
    #expect(transport.state == .playing)
  }

  @Test func aPauseBeforeTheItemIsOpenGoesOnOpening() {
    var transport = Transport()
    _ = transport.handle(.play)
    _ = transport.handle(.pause)
    #expect(transport.handle(.play) == nil)
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
    #expect(transport.filled())
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
    #expect(transport.handle(.play) == nil)
    #expect(transport.state == .buffering)
    _ = transport.handle(.pause)
    #expect(!transport.filled())
    #expect(transport.handle(.play) == .run)
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
    #expect(transport.handle(event) == nil)
    #expect(transport.state == .idle)
  }

  @Test(
    arguments: [(false, 10.0, 0.1), (true, 10, 1), (true, 1, 0.5), (false, 0.1, 0.05)])
  func thresholds(afterStarvation: Bool, capacity: Double, expected: Double) {
    let policy = BufferingPolicy(startThreshold: 0.1, restartThreshold: 1, capacity: capacity)
    #expect(policy.threshold(afterStarvation: afterStarvation) == expected)
  }
}
