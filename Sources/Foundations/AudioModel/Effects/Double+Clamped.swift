extension Double {
  /// The nearest number in a range; `fallback` for what is no number.
  func clamped(to range: ClosedRange<Double>, else fallback: Double) -> Double {
    isNaN ? fallback : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
