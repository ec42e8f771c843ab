/// The headers of a Xiph codec as one sequence of bytes, as Matroska has them and libavcodec wants them: their number less
/// one, the lengths of all but the last in bytes of 255 and less, then the headers themselves.
package enum XiphHeaders {
  /// Most headers in one sequence.
  private static let limit = 8

  /// Joins headers, 1…8 of them.
  package static func join(_ headers: [[UInt8]]) -> [UInt8] {
    precondition((1...limit).contains(headers.count))
    var bytes = [UInt8(headers.count - 1)]
    for header in headers.dropLast() {
      bytes += [UInt8](repeating: 255, count: header.count / 255) + [UInt8(header.count % 255)]
    }
    return headers.reduce(into: bytes) { $0 += $1 }
  }

  /// Takes headers apart.
  /// - Returns: `nil` where the lengths reach beyond the bytes.
  package static func split(_ bytes: [UInt8]) -> [[UInt8]]? {
    guard let first = bytes.first, first < limit else { return nil }
    var at = 1
    var lengths: [Int] = []
    for _ in 0..<first {
      var length = 0
      while true {
        guard at < bytes.count else { return nil }
        length += Int(bytes[at])
        at += 1
        if bytes[at - 1] < 255 { break }
      }
      lengths.append(length)
    }
    var headers: [[UInt8]] = []
    for length in lengths {
      guard length <= bytes.count - at else { return nil }
      headers.append(Array(bytes[at..<at + length]))
      at += length
    }
    headers.append(Array(bytes[at...]))
    return headers
  }
}
