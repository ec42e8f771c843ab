/// What matters of a response's status line and header fields.
package struct ResponseHead: Hashable {
  /// The status; 0 where the line makes no sense.
  package var status: Int
  /// The line began with `ICY`.
  package var isICY: Bool
  private var fields: [String: String] = [:]

  private static let known: Set<String> = [
    "accept-ranges", "content-encoding", "content-length", "content-range", "content-type", "etag", "last-modified",
    "location", "icy-name", "icy-br", "icy-metaint", "icy-genre", "icy-url", "icy-pub",
  ]

  /// Reads a status line.
  package init(statusLine: String) {
    let words = statusLine.split(whereSeparator: \.isWhitespace)
    isICY = words.first == "ICY"
    status = words.count > 1 ? Int(words[1]) ?? 0 : 0
  }

  /// Takes up a header line. Of fields that come twice the first counts.
  package mutating func add(line: String) {
    guard let colon = line.firstIndex(of: ":") else { return }
    let name = line[..<colon].lowercased()
    guard Self.known.contains(name), fields[name] == nil else { return }
    var value = line[line.index(after: colon)...].drop(while: \.isWhitespace)
    while value.last?.isWhitespace == true { value.removeLast() }
    fields[name] = String(value)
  }

  package subscript(name: String) -> String? { fields[name] }

  // MARK: Meaning

  /// It will be followed rather than read.
  package var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) && fields["location"] != nil }
  /// Bytes of the body as sent.
  package var contentLength: Int64? { fields["content-length"].flatMap { Int64(digits: $0) } }
  package var contentRange: ContentRange? { fields["content-range"].flatMap(ContentRange.init) }
  package var isEncoded: Bool {
    fields["content-encoding"].map { $0.lowercased() != "identity" && !$0.isEmpty } ?? false
  }
  package var acceptsRanges: Bool { fields["accept-ranges"]?.lowercased() == "bytes" }
  /// A radio server speaks.
  package var isRadio: Bool { isICY || fields.keys.contains { $0.hasPrefix("icy-") } }
  package var metadataInterval: Int? { fields["icy-metaint"].flatMap { Int64(digits: $0) }.map(Int.init) }
  package var bitRate: Int? {
    guard let field = fields["icy-br"], let kilobits = Int64(digits: field.prefix { $0.isASCII && $0.isNumber }),
      (1...100_000).contains(kilobits)
    else { return nil }
    return Int(kilobits) * 1000
  }
  package var contentType: String? {
    guard let field = fields["content-type"] else { return nil }
    let type = field.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
    return type.isEmpty ? nil : type
  }
  /// What tells one version of the file from another.
  package var validators: Validators {
    Validators(etag: fields["etag"], lastModified: fields["last-modified"])
  }
}

/// The marks of one version of a file on a server.
package struct Validators: Hashable {
  package var etag: String?
  package var lastModified: String?

  package var isEmpty: Bool { etag == nil && lastModified == nil }

  /// The value for If-Range: a strong entity tag, else the date; weak tags may not be used there.
  package var forIfRange: String? {
    if let etag, etag.hasPrefix("\"") { return etag }
    return lastModified
  }

  /// Whether both can be the same version: entity tags decide where both have one, then dates.
  package func agrees(with other: Validators) -> Bool {
    if let etag, let theirs = other.etag { return Self.opaque(etag) == Self.opaque(theirs) }
    if let lastModified, let theirs = other.lastModified { return lastModified == theirs }
    return true
  }

  private static func opaque(_ etag: String) -> Substring { etag.hasPrefix("W/") ? etag.dropFirst(2) : etag[...] }
}
