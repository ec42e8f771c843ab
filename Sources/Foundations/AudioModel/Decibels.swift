/// A level or gain as 20 · log₁₀ of an amplitude ratio.
public struct Decibels: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number of decibels; −∞ is silence.
  public var value: Double

  /// Makes a level of `value` decibels.
  public init(_ value: Double) { self.value = value }

  /// 0 dB: samples pass unchanged, bit for bit.
  public static let unity = Decibels(0)
  /// −∞ dB.
  public static let silence = Decibels(-.infinity)
  /// The lowest level that is reported; silence is reported as this.
  public static let floor = Decibels(-120)

  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.value < rhs.value }
  public var description: String { "\(value) dB" }
}
