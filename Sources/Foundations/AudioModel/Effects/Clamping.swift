extension Double {
  /// The nearest value of a range; another value where it is no number.
  func clamped(to range: ClosedRange<Double>, else fallback: Double) -> Double {
    isNaN ? fallback : min(max(self, range.lowerBound), range.upperBound)
  }
}
