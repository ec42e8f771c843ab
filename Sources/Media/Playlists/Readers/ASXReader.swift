internal import AudioModel

/// Windows Media metafiles, which are XML by intention only: names in any case, `&` as it is, elements left open.
///
/// Of the `ref`s of an entry, which are the same thing in several places, the first that may be opened counts. An
/// `entryref` is an entry that is a playlist itself.
enum ASXReader {
  /// Elements that have no content, whether or not they are closed.
  private static let void: Set<String> = [
    "ref", "entryref", "base", "param", "logo", "duration", "starttime", "banner", "moreinfo", "startmarker",
    "endmarker", "previewduration",
  ]

  static func read(_ text: String, base: PlaylistBase) throws(AudioError) -> Playlist {
    var reader = XMLReader(text, lowercasesNames: true, voidElements: void)
    var resolver = PlaylistResolver(base, .references)
    var list = Playlist(format: .asx)
    var entry: PlaylistEntry?
    var value = ""
    while let event = try reader.next() {
      switch event {
      case .text(let text): value += text
      case .start(let element):
        value = ""
        switch element.name {
        case "base": if entry == nil, let href = element["href"] { resolver.move(to: href[...]) }
        case "entryref":
          if let href = element["href"] { try list.append(PlaylistEntry(href[...].trimmed, resolver)) }
        case "entry":
          // One that was not closed ends here.
          if let open = entry { try add(open, to: &list) }
          entry = PlaylistEntry("", resolver)
        case "ref": if let href = element["href"] { entry?.offer(href[...].trimmed, resolver) }
        case "duration": entry?.duration = element["value"].flatMap(time).flatMap { $0 > 0 ? $0 : nil }
        case "starttime": entry?.start = element["value"].flatMap(time)
        default: break
        }
      case .end(let name):
        let text = value[...].trimmed
        value = ""
        switch name {
        case "title": if entry != nil { entry?.title = text.orNil } else { list.title = list.title ?? text.orNil }
        case "author": entry?.artist = text.orNil
        case "entry":
          if let open = entry { try add(open, to: &list) }
          entry = nil
        default: break
        }
      }
    }
    return list
  }

  private static func add(_ entry: PlaylistEntry, to list: inout Playlist) throws(AudioError) {
    if !entry.reference.isEmpty { try list.append(entry) }
  }

  /// Seconds of `ss`, `mm:ss` or `hh:mm:ss`, each with a fraction perhaps.
  private static func time(_ text: String) -> Double? {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      .map { Substring($0).trimmed.nonNegative }
    guard (1...3).contains(parts.count) else { return nil }
    var total = 0.0
    for part in parts {
      guard let part else { return nil }
      total = total * 60 + part
    }
    return total.isFinite ? total : nil
  }
}
