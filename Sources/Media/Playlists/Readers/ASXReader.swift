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
    var file = Metafile(base)
    while let event = try reader.next() {
      switch event {
      case .text(let text): file.value += text
      case .start(let element): try file.start(element)
      case .end(let name): try file.end(name)
      }
    }
    return file.list
  }
}

/// A metafile on the way.
private struct Metafile {
  private(set) var list = Playlist(format: .asx)
  /// Characters since the last tag.
  var value = ""
  private var resolver: PlaylistResolver
  private var entry: PlaylistEntry?
  private var element = ""

  init(_ base: PlaylistBase) { resolver = PlaylistResolver(base, .references) }

  mutating func start(_ element: XMLReader.Element) throws(AudioError) {
    takeText(of: self.element)
    self.element = element.name
    switch element.name {
    case "base": if entry == nil, let href = element["href"] { resolver.move(to: href[...]) }
    case "entryref":
      try finishEntry()
      if let href = element["href"] { try list.append(PlaylistEntry(href[...].trimmed, resolver)) }
    case "entry":
      try finishEntry()
      entry = PlaylistEntry("", resolver)
    case "ref": if let href = element["href"] { entry?.offer(href[...].trimmed, resolver) }
    case "duration": entry?.duration = element["value"].flatMap(Self.time).flatMap { $0 > 0 ? $0 : nil }
    case "starttime": entry?.start = element["value"].flatMap(Self.time)
    default: break
    }
  }

  mutating func end(_ name: String) throws(AudioError) {
    takeText(of: name)
    element = ""
    if name == "entry" { try finishEntry() }
  }

  /// Ends the entry that is open, whether or not the file says so.
  private mutating func finishEntry() throws(AudioError) {
    if let entry, !entry.reference.isEmpty { try list.append(entry) }
    entry = nil
  }

  private mutating func takeText(of name: String) {
    let text = value[...].trimmed.orNil
    value = ""
    guard let text else { return }
    switch (name, entry != nil) {
    case ("title", true): entry?.title = text
    case ("title", false): list.title = list.title ?? text
    case ("author", true): entry?.artist = text
    default: break
    }
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
