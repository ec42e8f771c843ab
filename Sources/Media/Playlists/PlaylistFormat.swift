/// How playlists are written.
public enum PlaylistFormat: String, Hashable, Sendable, CaseIterable {
  /// Lines of paths and URLs, plain or extended (`#EXTM3U`, `#EXTINF`); M3U8 is the same in UTF-8.
  case m3u
  /// HTTP Live Streaming's multivariant and media playlists (RFC 8216).
  case hls
  /// `[playlist]` with `File1=`; also Windows Media's `[Reference]` with `Ref1=`.
  case pls
  /// XML Shareable Playlist Format.
  case xspf
  /// Windows Media metafile (ASX, WAX, WVX).
  case asx
  /// Cue sheet: parts of files.
  case cue

  /// Bytes of a document's beginning that are enough to know its format, unless hundreds of comments stand in front.
  public static let headSize = 4096

  /// Finds out how a document is written, by its content. Names choose where content leaves it open: a plain M3U is
  /// lines of any kind.
  /// - Parameters:
  ///   - head: The document, or its beginning (see ``headSize``): then HLS may count as M3U.
  ///   - pathExtension: Of its name, lower case; a hint.
  ///   - mediaType: As a server states it, lower case; a hint.
  /// - Returns: `nil` for what is no playlist: anything else, binary or not.
  public init?(of head: [UInt8], pathExtension: String? = nil, mediaType: String? = nil) {
    let text = PlaylistText.decode(head)
    let start = text[...].trimmed
    if start.utf8.first == UInt8(ascii: "<") {
      self.init(xml: text)
    } else if start.after("[playlist]") != nil || start.after("[reference]") != nil {
      self = .pls
    } else if HLSReader.accepts(text) {
      self = .hls
    } else if start.after("#extm3u") != nil || start.after("#extinf:") != nil {
      self = .m3u
    } else if text.utf8.contains(where: { $0 < 0x09 }) {
      return nil
    } else if CUEReader.accepts(text) {
      self = .cue
    } else if M3UReader.accepts(text, isNamed: Self.isM3U(pathExtension, mediaType)) {
      self = .m3u
    } else {
      return nil
    }
  }

  private init?(xml text: String) {
    var reader = XMLReader(text, lowercasesNames: true)
    while let event = try? reader.next() {
      guard case .start(let element) = event else { continue }
      switch element.localName {
      case "asx": self = .asx
      case "playlist": self = .xspf
      default: return nil
      }
      return
    }
    return nil
  }

  private static func isM3U(_ pathExtension: String?, _ mediaType: String?) -> Bool {
    let types = [
      "audio/x-mpegurl", "audio/mpegurl", "application/x-mpegurl", "application/mpegurl",
      "application/vnd.apple.mpegurl",
      "audio/x-pn-realaudio",
    ]
    return ["m3u", "m3u8", "ram"].contains(pathExtension) || mediaType.map(types.contains) == true
  }
}
