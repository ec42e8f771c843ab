/// When there is enough decoded sound to begin, or to go on.
///
/// | situation | enough when |
/// |---|---|
/// | the item is decoded to its end | always |
/// | start, or after a seek | `startThreshold` seconds are ahead |
/// | after sound ran dry | `restartThreshold` seconds are ahead |
///
/// Both are capped to half of what the buffer holds, so that no setting can wait for ever.
package struct BufferingPolicy: Hashable, Sendable {
  /// Seconds for a start.
  package var startThreshold: Double
  /// Seconds for going on after starvation.
  package var restartThreshold: Double
  /// Seconds that the buffer holds.
  package var capacity: Double

  /// Makes a policy.
  package init(startThreshold: Double, restartThreshold: Double, capacity: Double) {
    self.startThreshold = startThreshold
    self.restartThreshold = restartThreshold
    self.capacity = capacity
  }

  /// Seconds that must be ahead.
  package func threshold(afterStarvation: Bool) -> Double {
    min(max(0, afterStarvation ? restartThreshold : startThreshold), capacity / 2)
  }
}
