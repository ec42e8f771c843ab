internal import Foundation

/// Reads a dictionary of settings, whose values may be any kind of number.
struct SettingsReader {
  private let settings: [String: Any]

  init(_ settings: [String: Any]) { self.settings = settings }

  /// The number under a key; nil where there is none, or something else.
  func number(_ key: String) -> Double? {
    switch settings[key] {
    case let value as Bool: value ? 1 : 0
    case let value as any BinaryInteger: Double(value)
    case let value as any BinaryFloatingPoint: Double(value)
    case let value as NSNumber: value.doubleValue
    case let value as AVAudioQuality: Double(value.rawValue)
    default: nil
    }
  }

  /// The whole number under a key; nil also for fractions and what does not fit into `UInt32`.
  func whole(_ key: String) -> UInt32? { number(key).flatMap { UInt32(exactly: $0) } }

  /// Whether the value under a key is true; nil where there is none.
  func flag(_ key: String) -> Bool? { number(key).map { $0 != 0 } }

  func text(_ key: String) -> String? { settings[key] as? String }
  func data(_ key: String) -> Data? { settings[key] as? Data }
}
