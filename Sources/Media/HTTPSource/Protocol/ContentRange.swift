/// The value of a `Content-Range` field (RFC 9110, 14.4), unit bytes.
package struct ContentRange: Hashable {
  /// First and last byte; `nil` for the `*` of an unsatisfied range.
  package var bytes: ClosedRange<Int64>?
  /// Length of the whole; `nil` for `*`.
  package var total: Int64?

  /// How many bytes the range has.
  package var count: Int64? { bytes.map { $0.upperBound - $0.lowerBound + 1 } }

  /// Reads a field; `nil` where it is malformed or contradicts itself.
  package init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    if parts[1] != "*" {
      guard let number = Int64(digits: parts[1]) else { return nil }
      total = number
    }
    if parts[0] != "*" {
      let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
      guard ends.count == 2, let first = Int64(digits: ends[0]), let last = Int64(digits: ends[1]),
        first <= last, last < total ?? .max
      else { return nil }
      bytes = first...last
    }
  }
}

extension Int64 {
  /// A number of ASCII digits only, 18 at most.
  package init?(digits text: some StringProtocol) {
    guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    self.init(text)
  }
}
