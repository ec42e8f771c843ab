/// A URL, or what stands for one beside another: RFC 3986's URI reference, taken apart.
///
/// Taking apart never fails, and nothing is decoded: ``description`` is the text again, but for the case of the scheme.
public struct URLReference: Hashable, Sendable, CustomStringConvertible {
  /// `http`, `file`, …, lower case; `nil` for what is relative to another URL.
  public var scheme: String?
  /// Host with user and port, behind `//`; `nil` where there is none.
  public var authority: String?
  /// What follows, up to the query.
  public var path: String
  /// What stands behind `?`.
  public var query: String?
  /// What stands behind `#`.
  public var fragment: String?

  /// Takes a text apart, as RFC 3986's appendix B does.
  public init(_ text: String) {
    var rest = text[...]
    fragment = Self.cut(&rest, from: UInt8(ascii: "#"))
    query = Self.cut(&rest, from: UInt8(ascii: "?"))
    if let (scheme, behind) = Self.splitScheme(rest) {
      self.scheme = scheme
      rest = behind
    }
    if rest.utf8.starts(with: "//".utf8) {
      let behind = rest.utf8.dropFirst(2)
      let end = behind.firstIndex(of: Self.slash) ?? behind.endIndex
      authority = String(rest[behind.startIndex..<end])
      rest = rest[end...]
    }
    path = String(rest)
  }

  /// The URL that this one means when it stands in what was found at `base` (RFC 3986 §5.2.2, strict).
  /// - Parameter base: An absolute URL; its fragment is of no account.
  public func resolved(against base: URLReference) -> URLReference {
    var result = self
    if scheme != nil || authority != nil {
      result.path = Self.removingDotSegments(path)
    } else if path.isEmpty {
      result.path = base.path
      result.query = query ?? base.query
    } else {
      result.path = Self.removingDotSegments(path.utf8.first == Self.slash ? path : base.merged(with: path))
    }
    if scheme == nil {
      if authority == nil { result.authority = base.authority }
      result.scheme = base.scheme
    }
    return result
  }

  public var description: String {
    var text = scheme.map { $0 + ":" } ?? ""
    if let authority {
      text += "//" + authority
    } else if path.utf8.starts(with: "//".utf8) {
      text += "/."  // a path, and no authority
    }
    text += path
    if let query { text += "?" + query }
    if let fragment { text += "#" + fragment }
    return text
  }

  /// The path that a `file` URL means (RFC 8089).
  /// - Throws: ``AudioError/Code/badURL`` for another computer's, and for one that is no absolute path in UTF-8.
  package func filePath() throws(AudioError) -> String {
    guard authority == nil || authority == "" || authority?.lowercased() == "localhost" else {
      throw AudioError(.badURL, "a file URL can't name another computer")
    }
    guard let bytes = PercentCoding.decode(path.utf8), !bytes.contains(0), bytes.first == Self.slash,
      let decoded = String(validating: bytes, as: UTF8.self)
    else { throw AudioError(.badURL, "the file URL is malformed") }
    return decoded
  }

  /// The scheme that a text begins with (RFC 3986 §3.1), and what follows its colon.
  package static func splitScheme(_ text: Substring) -> (scheme: String, rest: Substring)? {
    guard let colon = text.utf8.firstIndex(where: { !isSchemeByte($0) }), text.utf8[colon] == UInt8(ascii: ":"),
      let first = text.utf8.first, isLetter(first)
    else { return nil }
    return (text[..<colon].lowercased(), text[text.utf8.index(after: colon)...])
  }

  // MARK: Paths

  private static let slash = UInt8(ascii: "/")

  /// §5.2.3.
  private func merged(with relative: String) -> String {
    if authority != nil && path.isEmpty { return "/" + relative }
    guard let last = path.utf8.lastIndex(of: Self.slash) else { return relative }
    return path[...last] + relative
  }

  /// §5.2.4, for paths that begin with a slash; others keep what leads out of them away all the same.
  private static func removingDotSegments(_ path: String) -> String {
    let segments = path.utf8.split(separator: slash, omittingEmptySubsequences: false).map { Substring($0) }
    var kept: [Substring] = []
    let isAbsolute = path.utf8.first == slash
    for (index, segment) in segments.enumerated() {
      switch segment {
      case ".", "..":
        if segment == "..", kept.count > (isAbsolute ? 1 : 0) { kept.removeLast() }
        if index == segments.count - 1 { kept.append("") }
      default: kept.append(segment)
      }
    }
    return kept.joined(separator: "/")
  }

  private static func cut(_ text: inout Substring, from mark: UInt8) -> String? {
    guard let index = text.utf8.firstIndex(of: mark) else { return nil }
    defer { text = text[..<index] }
    return String(text[text.utf8.index(after: index)...])
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isSchemeByte(_ byte: UInt8) -> Bool {
    isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "+")
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }
}
