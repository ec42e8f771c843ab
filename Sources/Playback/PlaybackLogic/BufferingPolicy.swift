/// When there is enough decoded sound to begin, or to go on.
///
/// | situation | enough when |
/// |---|---|
/// | the item is decoded to its end | always |
/// | start, or after a seek | `startThreshold` seconds are ahead |
/// | after sound ran dry | `restartThreshold` seconds are ahead |
///
/// A device takes as much as it holds at once, and decoding has to stay ahead of it: neither is less than one and a half
/// times the device's latency. Faster playing needs as many times more. Both are capped to half of what the buffer holds,
/// so that no setting can wait for ever.
package struct BufferingPolicy: Hashable, Sendable {
  /// Seconds for a start.
  package var startThreshold: Double
  /// Seconds for going on after starvation.
  package var restartThreshold: Double
  /// Seconds that the device holds.
  package var outputLatency: Double
  /// Seconds that the buffer holds.
  package var capacity: Double
  /// Seconds of the buffer for each second of playing.
  package var rate: Double

  /// Makes a policy.
  package init(
    startThreshold: Double, restartThreshold: Double, outputLatency: Double, capacity: Double, rate: Double = 1
  ) {
    self.startThreshold = startThreshold
    self.restartThreshold = restartThreshold
    self.outputLatency = outputLatency
    self.capacity = capacity
    self.rate = rate
  }

  /// Seconds that must be ahead.
  package func threshold(afterStarvation: Bool) -> Double {
    let wanted = max(afterStarvation ? restartThreshold : startThreshold, 1.5 * outputLatency)
    return min(wanted * max(rate, 1), capacity / 2)
  }

  /// Seconds that a buffer holds of which `ahead` are wanted: as many times more as playing is faster, and three times
  /// what the device takes at once, so that it is not emptied by that.
  package func capacity(ahead: Double) -> Double { max(ahead, 3 * outputLatency) * max(rate, 1) }

  /// Whether the buffer holds less than the device may take at this rate while it is filled again.
  package var isTooSmall: Bool { capacity < 2.5 * outputLatency * rate }
}
