internal import AudioModel
internal import ByteSource

extension FuzzTarget {
  /// Names that people and playlists give, and the bytes in data URLs.
  static let location = FuzzTarget(
    name: "location",
    seeds: {
      [
        "data:audio/wav;base64,UklGRiQAAABXQVZF", "data:,a%20b#c", "DATA:;charset=utf-8;base64,YQ==",
        "https://user:word@example.org:8080/a%20b/c.mp3?d=e#f", "file://localhost/tmp/a%2fb.flac", "a/b.ogg", "-",
      ].map { Array($0.utf8) }
    },
    run: { bytes in
      guard let location = try? MediaLocation(String(decoding: bytes, as: UTF8.self)) else { return }
      _ = location.pathExtension
      switch location {
      case .web(let url):
        precondition(url.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }, "a byte that would end the request line")
      case .file(let path):
        precondition(!path.isEmpty)
      case .data(let url):
        let source = DataURLSource(url)
        guard let facts = try? source.open() else { return }
        precondition(facts.length.map { $0 <= url.utf8.count } ?? false, "more bytes than the URL has")
        source.close()
      case .standardInput:
        break
      }
    })
}
