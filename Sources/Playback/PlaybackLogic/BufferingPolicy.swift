/// When there is enough decoded sound to begin, or to go on.
///
/// | situation | enough when |
/// |---|---|
/// | the item is decoded to its end | always |
/// | start, or after a seek | `startThreshold` seconds are ahead |
/// | after sound ran dry | `restartThreshold` seconds are ahead |
///
/// A device takes as much as it holds at once, and decoding has to stay ahead of it: neither is less than one and a half
/// times the device's latency. Both are capped to half of what the buffer holds, so that no setting can wait for ever.
package struct BufferingPolicy: Hashable, Sendable {
  /// Seconds for a start.
  package var startThreshold: Double
  /// Seconds for going on after starvation.
  package var restartThreshold: Double
  /// Seconds that the device holds.
  package var outputLatency: Double
  /// Seconds that the buffer holds.
  package var capacity: Double

  /// Makes a policy.
  package init(startThreshold: Double, restartThreshold: Double, outputLatency: Double, capacity: Double) {
    self.startThreshold = startThreshold
    self.restartThreshold = restartThreshold
    self.outputLatency = outputLatency
    self.capacity = capacity
  }

  /// Seconds that must be ahead.
  package func threshold(afterStarvation: Bool) -> Double {
    min(max(afterStarvation ? restartThreshold : startThreshold, 1.5 * outputLatency), capacity / 2)
  }
}
