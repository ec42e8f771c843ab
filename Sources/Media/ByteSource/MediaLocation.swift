public import AudioModel

/// Where an item is, as a person or a playlist names it.
public enum MediaLocation: Hashable, Sendable {
  /// A file.
  case file(path: String)
  /// An http or https URL, fit to be sent: spaces and other forbidden bytes are escaped.
  case web(url: String)
  /// A data URL (RFC 2397), whole.
  case data(url: String)
  /// The process's standard input, written `-`.
  case standardInput

  /// Understands a path, a `file:`, `http:`, `https:` or `data:` URL, or `-`.
  ///
  /// What has no scheme followed by `//` is a path, so a file may be called `12:30.mp3`; one called `http://…` is named
  /// `./http://…`.
  /// - Throws: ``AudioError/Code/badURL`` for other schemes and for broken URLs.
  public init(_ text: String) throws(AudioError) {
    guard !text.isEmpty else { throw AudioError(.badURL, "an empty name is neither a file nor a URL") }
    guard text != "-" else {
      self = .standardInput
      return
    }
    // One letter is no scheme but a drive.
    guard let (scheme, rest) = URLReference.splitScheme(text[...]), scheme.utf8.count > 1 else {
      self = .file(path: text)
      return
    }
    switch scheme {
    case "http", "https": self = .web(url: try Self.webURL(scheme: scheme, rest: rest))
    case "file": self = .file(path: try URLReference(text).filePath())
    case "data": self = .data(url: text)
    default:
      guard rest.hasPrefix("//") else {
        self = .file(path: text)
        return
      }
      throw AudioError(.badURL, "\(scheme) URLs are not supported; http, https, file and data are")
    }
  }

  /// The extension of the name, lower case, without the dot; `nil` where there is none. A hint, no more.
  public var pathExtension: String? {
    switch self {
    case .file(let path): Self.pathExtension(of: path)
    case .web(let url): Self.pathExtension(ofURL: url)
    case .data, .standardInput: nil
    }
  }

  /// A source for anything that needs no network; `nil` for ``web(url:)``.
  public func makeLocalSource() -> (any ByteSource)? {
    switch self {
    case .file(let path): FileSource(path: path)
    case .data(let url): DataURLSource(url)
    case .standardInput: StandardInputSource()
    case .web: nil
    }
  }

  // MARK: Parts of URLs

  private static func webURL(scheme: String, rest: Substring) throws(AudioError) -> String {
    let afterSlashes = rest.drop { $0 == "/" }
    let authority = afterSlashes.prefix { !"/?#".contains($0) }
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    guard rest.hasPrefix("//"), rest.utf8.count - afterSlashes.utf8.count == 2, !host.isEmpty, host.first != ":",
      authority.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
    else { throw AudioError(.badURL, "the URL names no host") }
    let path = PercentCoding.encodeForbidden(afterSlashes[authority.endIndex...].prefix { $0 != "#" })
    return "\(scheme)://\(authority)\(path.hasPrefix("?") ? "/" : "")\(path)"
  }

  /// The extension in a path: lower case, at most 8 ASCII letters or digits.
  package static func pathExtension(of path: String) -> String? {
    let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.utf8.startIndex
    let name = path.utf8[start...]
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return nil }
    let found = name[name.index(after: dot)...]
    guard (1...8).contains(found.count), found.allSatisfy({ isLetter($0) || isDigit($0) }) else { return nil }
    return String(found)?.lowercased()
  }

  /// The extension in the path of an http URL.
  package static func pathExtension(ofURL url: String) -> String? {
    // Behind the scheme's two slashes comes the host, and it ends at the third.
    let slash = UInt8(ascii: "/")
    let parts = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
      .split(separator: slash, maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4, let path = PercentCoding.decode(parts[3]) else { return nil }
    return pathExtension(of: String(decoding: path, as: UTF8.self))
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
