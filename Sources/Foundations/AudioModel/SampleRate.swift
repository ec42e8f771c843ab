/// Frames per second of a PCM signal. Whole hertz, 1…1 536 000.
public struct SampleRate: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The rate in hertz.
  public let hertz: Int

  /// The rates that Martlet accepts; a file that states another one is refused as broken.
  public static let accepted = 1...1_536_000

  /// Makes a rate.
  /// - Parameter hertz: Frames per second.
  /// - Returns: `nil` outside ``accepted``, so that a header's nonsense can't travel on.
  public init?(hertz: Int) {
    guard Self.accepted.contains(hertz) else { return nil }
    self.hertz = hertz
  }

  private init(unchecked hertz: Int) { self.hertz = hertz }

  /// 44.1 kHz: CDs, most music.
  public static let cd = SampleRate(unchecked: 44_100)
  /// 48 kHz: video, most sound servers, Opus.
  public static let studio = SampleRate(unchecked: 48_000)

  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.hertz < rhs.hertz }
  public var description: String { "\(hertz) Hz" }

  /// The duration of `frames` at this rate, in seconds.
  public func seconds(_ frames: Int64) -> Double { Double(frames) / Double(hertz) }

  /// The frame nearest to `seconds`, within the range of `Int64`; not-a-number counts as 0.
  public func frames(_ seconds: Double) -> Int64 {
    let exact = (seconds * Double(hertz)).rounded()
    if exact.isNaN { return 0 }
    if exact >= 9.2e18 { return .max }
    if exact <= -9.2e18 { return .min }
    return Int64(exact)
  }

  /// `frame` of this rate, expressed at `other`: rounded to nearest, halves up. Exact in 128 bits.
  public func convert(_ frame: Int64, to other: SampleRate) -> Int64 {
    if hertz == other.hertz { return frame }
    let product = frame.multipliedFullWidth(by: Int64(other.hertz))
    let wide = Int128(truncatingIfNeeded: product.high) << 64 | Int128(product.low)
    let doubled = wide * 2 + Int128(hertz)
    let divisor = Int128(hertz) * 2
    let quotient = doubled / divisor - (doubled % divisor < 0 ? 1 : 0)
    return Int64(clamping: quotient)
  }

  /// Where `frame` of this rate lies at `other`: the frame at or before it, and how far behind that, 0..<1. Exact in 128
  /// bits, but for the last bit of the fraction.
  package func place(of frame: Int64, at other: SampleRate) -> (frame: Int64, fraction: Double) {
    if hertz == other.hertz { return (frame, 0) }
    let product = frame.multipliedFullWidth(by: Int64(other.hertz))
    let wide = Int128(truncatingIfNeeded: product.high) << 64 | Int128(product.low)
    let (quotient, remainder) = wide.quotientAndRemainder(dividingBy: Int128(hertz))
    let isBelow = remainder < 0
    let rest = Int(isBelow ? remainder + Int128(hertz) : remainder)
    return (Int64(clamping: isBelow ? quotient - 1 : quotient), Double(rest) / Double(hertz))
  }
}
