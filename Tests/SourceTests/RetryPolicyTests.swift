import ByteSource
import Testing

@Suite struct RetryPolicyTests {
  private let policy = RetryPolicy()

  private func delays(_ fault: RetryPolicy.Fault, hasBegun: Bool) -> [Double] {
    (1...20).prefix { policy.delay(beforeAttempt: $0, after: fault, hasBegun: hasBegun) != nil }
      .compactMap { policy.delay(beforeAttempt: $0, after: fault, hasBegun: hasBegun) }
  }

  @Test(arguments: [
    (RetryPolicy.Fault.unreachable, false, [1.0, 2]), (.unreachable, true, [1, 2, 4, 8, 10, 10, 10, 10]),
    (.tls, false, []), (.tls, true, [1, 2, 4, 8, 10, 10, 10, 10]),
    (.lost, false, [1, 2, 4, 8, 10, 10, 10, 10]), (.lost, true, [1, 2, 4, 8, 10, 10, 10, 10]),
    (.stalled, true, [1, 2, 4, 8, 10, 10, 10, 10]), (.broken, true, []),
    (.status(503), false, [1, 2, 4, 8, 10, 10, 10, 10]),
    (.status(503, retryAfter: 7), true, [7, 7, 7, 7, 7, 7, 7, 7]),
    (.status(429, retryAfter: 0), true, .init(repeating: 0, count: 8)),
    (.status(503, retryAfter: 121), true, []), (.status(404, retryAfter: 1), true, []),
  ])
  func table(_ fault: RetryPolicy.Fault, _ hasBegun: Bool, _ wanted: [Double]) {
    #expect(delays(fault, hasBegun: hasBegun) == wanted)
  }

  @Test func transientStatuses() {
    #expect(
      (100...599).filter(RetryPolicy.isTransient(status:)) == [408, 425, 429]
        + (500...599).filter { $0 != 501 && $0 != 505 })
  }
}
