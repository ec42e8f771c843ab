public import AudioModel
public import ByteSource
public import Playlists

/// Reads playlists out of sources.
public enum PlaylistLoader {
  /// Reads the playlist that a source holds, if it holds one.
  ///
  /// The beginning decides (``PlaylistFormat/init(of:pathExtension:mediaType:)``), helped by the source's name and media
  /// type; then the document is read whole, up to ``Playlist/byteLimit``.
  /// - Parameters:
  ///   - source: A source of which nothing has been read; it is opened if it is not. Where it holds no playlist it can
  ///     be given to a ``MediaReader`` as if nothing had happened.
  ///   - location: How the source was named. Entries are relative to it, or to where redirects led; standard input counts
  ///     as a file of the working folder.
  /// - Returns: `nil` where the source holds something else.
  /// - Throws: What the source throws, and ``AudioModel/AudioError/Code/limitReached`` for a document that is too long
  ///   or has too many entries.
  public static func load(_ source: LookAheadSource, at location: MediaLocation) throws(AudioError) -> Playlist? {
    let facts = try source.open()
    let head = try source.look(PlaylistFormat.headSize, until: isBinary)
    guard !isBinary(head) else { return nil }
    let found = PlaylistFormat(of: head, pathExtension: facts.pathExtension, mediaType: facts.contentType)
    guard let found else { return nil }
    let bytes = try whole(source, facts)
    // Only the whole tells HLS from M3U.
    let format = PlaylistFormat(of: bytes, pathExtension: facts.pathExtension, mediaType: facts.contentType)
    return try Playlist(parsing: bytes, as: format ?? found, base: base(location, facts))
  }

  /// Where a playlist is that was found at a location.
  public static func base(_ location: MediaLocation, _ facts: SourceFacts) -> PlaylistBase {
    switch location {
    case .file(let path): .file(path: path)
    case .web(let url): .web(url: facts.url ?? url)
    case .standardInput: .file(path: "")
    case .data: .elsewhere
    }
  }

  /// Two NULs in a row are in no text, unless in UTF-16, which has a mark.
  private static func isBinary(_ head: [UInt8]) -> Bool {
    guard !head.starts(with: [0xFE, 0xFF]), !head.starts(with: [0xFF, 0xFE]) else { return false }
    return zip(head, head.dropFirst()).contains { $0 == 0 && $1 == 0 }
  }

  private static func whole(_ source: LookAheadSource, _ facts: SourceFacts) throws(AudioError) -> [UInt8] {
    let tooLong = AudioError(.limitReached, "The playlist is longer than \(Playlist.byteLimit >> 20) MiB")
    guard facts.length ?? 0 <= Int64(Playlist.byteLimit) else { throw tooLong }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = try piece.withUnsafeMutableBufferPointer { buffer throws(AudioError) in
        try source.read(into: UnsafeMutableRawBufferPointer(buffer))
      }
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
      guard bytes.count <= Playlist.byteLimit else { throw tooLong }
    }
  }
}

extension MediaLocation {
  /// The location of an entry of a playlist.
  /// - Throws: Why it may not be opened.
  public init(_ target: PlaylistTarget) throws(AudioError) {
    switch target {
    case .file(let path): self = .file(path: path)
    case .web(let url): try self.init(url)
    case .refused(let error): throw error
    }
  }
}
