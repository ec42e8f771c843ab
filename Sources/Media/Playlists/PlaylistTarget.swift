public import AudioModel

/// Where a playlist is: what its entries are relative to, and what they may name.
public enum PlaylistBase: Hashable, Sendable {
  /// A file. Entries may name files, and http and https URLs. An empty path stands for the working folder.
  case file(path: String)
  /// An http or https URL, after redirects. Entries may name http and https URLs only.
  case web(url: String)
  /// Nowhere in particular. Entries may name absolute http and https URLs only.
  case elsewhere
}

/// Where an entry of a playlist is.
public enum PlaylistTarget: Hashable, Sendable {
  /// A file.
  case file(path: String)
  /// An absolute http or https URL, with a host. Spaces and other bytes that no URL may hold stand as they were written.
  case web(url: String)
  /// Nothing that may be opened, or can be, from where the playlist is; code
  /// ``AudioModel/AudioError/Code/badURL``.
  case refused(AudioError)

  /// The path or URL as a command line takes it: one that could be misread begins with `./`. `nil` if refused.
  public var location: String? {
    switch self {
    case .file(let path):
      let isAmbiguous = path == "-" || path.isEmpty || URLReference.splitScheme(path[...]) != nil
      return isAmbiguous ? "./" + path : path
    case .web(let url): return url
    case .refused: return nil
    }
  }
}

/// Finds what references in a playlist mean.
struct PlaylistResolver {
  /// How a format names files.
  enum Writing {
    /// By paths, to be taken as they are, or by URLs.
    case paths
    /// By URI references, with escapes, even for files.
    case references
  }

  /// Schemes that mean one even without `//`; before others, and one letter, a colon may be part of a file's name.
  private static let certainSchemes: Set<String> = ["http", "https", "file", "data"]

  private(set) var base: PlaylistBase
  let writing: Writing

  init(_ base: PlaylistBase, _ writing: Writing) {
    self.base = base
    self.writing = writing
  }

  /// Moves the base, as `<base href>` and `xml:base` do. What may not be opened moves nothing.
  mutating func move(to reference: Substring) {
    switch target(of: reference) {
    case .file(let path): base = .file(path: path)
    case .web(let url): base = .web(url: url)
    case .refused: break
    }
  }

  func target(of written: Substring) -> PlaylistTarget {
    let reference = Self.withSlashes(written.trimmed)
    guard !reference.isEmpty, !reference.utf8.contains(0) else { return .refused("the entry names nothing") }
    if let scheme = Self.scheme(of: reference) { return absolute(reference, scheme: scheme) }
    if Self.isWindowsPath(reference) { return .refused("the entry names a drive or a computer of a Windows network") }
    switch base {
    case .web(let url): return Self.web(Self.relative(reference).resolved(against: URLReference(url)))
    case .elsewhere: return .refused("the entry is relative to a playlist that is nowhere")
    case .file(let path): return local(reference, beside: path)
    }
  }

  private func absolute(_ reference: Substring, scheme: String) -> PlaylistTarget {
    switch (scheme, base) {
    case ("http", _), ("https", _): return Self.web(URLReference(String(reference)))
    case ("file", .file):
      do throws(AudioError) {
        return .file(path: try URLReference(String(reference)).filePath())
      } catch {
        return .refused(error)
      }
    case ("file", _): return .refused("a playlist that is no file can't name files")
    default: return .refused("\(scheme) URLs are not supported in playlists; http and https are")
    }
  }

  private func local(_ reference: Substring, beside path: String) -> PlaylistTarget {
    var name = String(reference)
    if writing == .references {
      let parts = Self.relative(reference)
      guard parts.authority == nil else { return .refused("the entry names a host, but no way to reach it") }
      let decoded = PercentCoding.decode(parts.path.utf8).flatMap { String(validating: $0, as: UTF8.self) }
      name = decoded ?? parts.path
      guard !name.isEmpty, !name.utf8.contains(0) else { return .refused("the entry names nothing") }
    }
    guard name.utf8.first != UInt8(ascii: "/"), let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
      return .file(path: name)
    }
    return .file(path: path[...slash] + name)
  }

  // MARK: Texts

  private static func web(_ url: URLReference) -> PlaylistTarget {
    var url = url
    url.fragment = nil
    let host = (url.authority ?? "").utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false).last
    guard let host, !host.isEmpty, host.first != UInt8(ascii: ":") else { return .refused("the URL names no host") }
    return .web(url: url.description)
  }

  private static func scheme(of reference: Substring) -> String? {
    guard let (scheme, rest) = URLReference.splitScheme(reference), scheme.utf8.count > 1 else { return nil }
    return rest.utf8.starts(with: "//".utf8) || certainSchemes.contains(scheme) ? scheme : nil
  }

  /// A reference of which it is known that it has no scheme, whatever colons it has.
  private static func relative(_ reference: Substring) -> URLReference {
    URLReference(URLReference.splitScheme(reference) == nil ? String(reference) : "./" + reference)
  }

  /// `C:\Music`, `C:/Music`, `\\server\Music`.
  private static func isWindowsPath(_ reference: Substring) -> Bool {
    if reference.utf8.starts(with: #"\\"#.utf8) { return true }
    guard let (drive, rest) = URLReference.splitScheme(reference), drive.utf8.count == 1 else { return false }
    return rest.utf8.first == UInt8(ascii: "/") || rest.utf8.first == UInt8(ascii: "\\")
  }

  /// A path as Windows writes it, if it has backslashes and no slashes, in the manner of all others.
  private static func withSlashes(_ reference: Substring) -> Substring {
    guard reference.utf8.contains(UInt8(ascii: "\\")), !reference.utf8.contains(UInt8(ascii: "/")),
      !isWindowsPath(reference)
    else { return reference }
    let slashed = reference.utf8.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
    return Substring(decoding: slashed, as: UTF8.self)
  }
}

extension PlaylistTarget {
  fileprivate static func refused(_ message: String) -> PlaylistTarget { .refused(AudioError(.badURL, message)) }
}
