internal import AudioModel

/// XSPF, version 0 and 1, with or without its namespace. Of the locations of a track, which are the same thing in several
/// places, the first that may be opened counts.
enum XSPFReader {
  static func read(_ text: String, base: PlaylistBase) throws(AudioError) -> Playlist {
    var reader = XMLReader(text, lowercasesNames: true)
    var resolver = PlaylistResolver(base, .references)
    var list = Playlist(format: .xspf)
    var path: [String] = []
    var track: PlaylistEntry?
    var value = ""
    while let event = try reader.next() {
      switch event {
      case .start(let element):
        if let base = element["xml:base"], element.localName == "playlist" { resolver.move(to: base[...]) }
        path.append(element.localName)
        value = ""
        if path == ["playlist", "tracklist", "track"] {
          track = PlaylistEntry("", resolver)
        }
      case .text(let text): value += text
      case .end:
        let text = value[...].trimmed
        value = ""
        if path == ["playlist", "title"] {
          list.title = text.orNil
        } else if path.count == 3, path.last == "track", let done = track {
          track = nil
          if !done.reference.isEmpty { try list.append(done) }
        } else if path.count == 4 {
          track?.take(path[3], text, resolver)
        }
        path.removeLast()
      }
    }
    return list
  }
}

extension PlaylistEntry {
  fileprivate mutating func take(_ name: String, _ text: Substring, _ resolver: PlaylistResolver) {
    guard !text.isEmpty else { return }
    switch name {
    case "location": offer(text, resolver)
    case "title": title = String(text)
    case "creator": artist = String(text)
    case "album": album = String(text)
    case "duration": duration = text.seconds.map { $0 / 1000 }
    default: break
    }
  }
}
