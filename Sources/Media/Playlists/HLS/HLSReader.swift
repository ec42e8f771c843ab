internal import AudioModel

/// HLS playlists, multivariant and media (RFC 8216 §4). Tags that are not known, and those that make no sense, are
/// passed over.
enum HLSReader {
  /// Whether a text is HLS: RFC 8216 §4 says to tell it from M3U by its tags, not by its name.
  static func accepts(_ text: String) -> Bool {
    let tags = [
      "#ext-x-targetduration", "#ext-x-stream-inf", "#ext-x-media-sequence", "#ext-x-media:", "#ext-x-version",
      "#ext-x-playlist-type", "#ext-x-endlist",
    ]
    return PlaylistLines(text).contains { line in
      line.after("#ext-x-") != nil && tags.contains { line.after($0) != nil }
    }
  }

  static func read(_ text: String, base: PlaylistBase) throws(AudioError) -> Playlist {
    var document = HLSDocument(base)
    for line in PlaylistLines(text) {
      if line.utf8.first != UInt8(ascii: "#") {
        try document.add(line)
      } else if line.after("#ext") != nil {
        try document.take(line)
      }
    }
    return document.finished()
  }
}

/// A document on the way.
private struct HLSDocument {
  private var list = Playlist(format: .hls)
  private var facts = HLSFacts()
  private let resolver: PlaylistResolver

  // What holds for the next URI only.
  private var variant: HLSVariant?
  private var duration: Double?
  private var title: String?
  private var range: (length: Int64, offset: Int64?)?
  private var startsDiscontinuity = false
  private var isGap = false
  private var date: Double?

  // What holds until something else is said.
  private var initialization: HLSInitialization?
  private var key: HLSKey?
  private var isNewKey = true
  private var rangeEnd: Int64 = 0

  init(_ base: PlaylistBase) { resolver = PlaylistResolver(base, .references) }

  consuming func finished() -> Playlist {
    if facts.kind == .onDemand { facts.isEnded = true }
    list.hls = facts
    return list
  }

  /// A line that is a URI.
  mutating func add(_ line: Substring) throws(AudioError) {
    if var found = variant {
      variant = nil
      found.reference = String(line)
      found.target = resolver.target(of: line)
      try Playlist.checkRoom(facts.variants.count)
      facts.variants.append(found)
      return
    }
    var entry = PlaylistEntry(line, resolver)
    entry.duration = duration
    entry.title = title
    entry.byteRange = takeRange()
    var segment = HLSSegment(sequence: facts.mediaSequence &+ Int64(list.entries.count))
    segment.startsDiscontinuity = startsDiscontinuity
    segment.isGap = isGap
    segment.date = date
    segment.initialization = initialization
    segment.key = key
    entry.segment = segment
    try list.append(entry)
    duration = nil
    title = nil
    startsDiscontinuity = false
    isGap = false
    date = nil
    isNewKey = true
  }

  /// A line that is a tag.
  mutating func take(_ line: Substring) throws(AudioError) {
    let (tag, value) = line.split(at: ":").map { ($0.0, $0.1.trimmed) } ?? (line, Substring())
    switch tag {
    case "#EXTINF": (duration, title) = M3UReader.information(value)
    case "#EXT-X-BYTERANGE": range = Self.range(value)
    case "#EXT-X-DISCONTINUITY": startsDiscontinuity = true
    case "#EXT-X-GAP": isGap = true
    case "#EXT-X-PROGRAM-DATE-TIME": date = ISODate.seconds(value)
    case "#EXT-X-MAP": takeMap(HLSAttributes(value))
    case "#EXT-X-KEY": takeKey(HLSAttributes(value))
    case "#EXT-X-VERSION": facts.version = Int(value) ?? facts.version
    case "#EXT-X-TARGETDURATION": facts.targetDuration = value.seconds
    case "#EXT-X-MEDIA-SEQUENCE": facts.mediaSequence = Self.number(value) ?? 0
    case "#EXT-X-DISCONTINUITY-SEQUENCE": facts.discontinuitySequence = Self.number(value) ?? 0
    case "#EXT-X-PLAYLIST-TYPE": facts.kind = HLSFacts.Kind(rawValue: value.uppercased())
    case "#EXT-X-ENDLIST": facts.isEnded = true
    case "#EXT-X-START": takeStart(HLSAttributes(value))
    case "#EXT-X-STREAM-INF": variant = Self.variant(HLSAttributes(value))
    case "#EXT-X-MEDIA": try takeRendition(HLSAttributes(value))
    default: break
    }
  }

  // MARK: Media playlists

  private mutating func takeRange() -> Range<Int64>? {
    guard let (length, offset) = range else {
      rangeEnd = 0
      return nil
    }
    range = nil
    let start = offset ?? rangeEnd
    let (end, overflows) = start.addingReportingOverflow(length)
    guard !overflows else { return nil }
    rangeEnd = end
    return start..<end
  }

  /// `length@offset`, or `length` to go on behind the segment before.
  private static func range(_ text: Substring) -> (length: Int64, offset: Int64?)? {
    guard let (length, offset) = text.split(at: "@") else { return number(text).map { ($0, nil) } }
    guard let length = number(length), let offset = number(offset) else { return nil }
    return (length, offset)
  }

  private mutating func takeMap(_ attributes: HLSAttributes) {
    guard let reference = attributes["URI"] else { return }
    var map = HLSInitialization(target: resolver.target(of: reference), byteRange: nil)
    if let (length, offset) = attributes["BYTERANGE"].flatMap(Self.range) {
      let (end, overflows) = (offset ?? 0).addingReportingOverflow(length)
      if !overflows { map.byteRange = (offset ?? 0)..<end }
    }
    initialization = map
  }

  /// Of several keys for the same segments, in different formats, the one that needs no rights management counts.
  private mutating func takeKey(_ attributes: HLSAttributes) {
    guard let method = attributes["METHOD"] else { return }
    let format = attributes["KEYFORMAT"].map(String.init) ?? "identity"
    guard isNewKey || format == "identity" else { return }
    isNewKey = false
    guard method != "NONE" else {
      key = nil
      return
    }
    var found = HLSKey(method: String(method), format: format)
    found.target = attributes["URI"].map { resolver.target(of: $0) }
    found.initializationVector = attributes["IV"].flatMap(Self.hexadecimal)
    key = found
  }

  private mutating func takeStart(_ attributes: HLSAttributes) {
    guard let text = attributes["TIME-OFFSET"] else { return }
    facts.startOffset = text.after("-").map { $0.nonNegative.map { -$0 } } ?? text.nonNegative
  }

  /// The 16 bytes of `0x…`.
  private static func hexadecimal(_ text: Substring) -> [UInt8]? {
    guard let digits = text.after("0x"), (1...32).contains(digits.utf8.count) else { return nil }
    let all = [UInt8](repeating: UInt8(ascii: "0"), count: 32 - digits.utf8.count) + digits.utf8
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: 32, by: 2) {
      let pair = String(decoding: all[index..<index + 2], as: UTF8.self)
      guard pair.utf8.first != UInt8(ascii: "+"), pair.utf8.first != UInt8(ascii: "-"),
        let byte = UInt8(pair, radix: 16)
      else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  private static func number(_ text: Substring) -> Int64? {
    let digits = text.trimmed
    return digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(digits) : nil
  }

  // MARK: Multivariant playlists

  private static func variant(_ attributes: HLSAttributes) -> HLSVariant {
    var variant = HLSVariant(reference: "", target: .web(url: ""))
    variant.bitRate = attributes.integer("BANDWIDTH")
    variant.averageBitRate = attributes.integer("AVERAGE-BANDWIDTH")
    variant.codecs = (attributes["CODECS"] ?? "").utf8.split(separator: UInt8(ascii: ","), maxSplits: 15)
      .map { String(Substring($0).trimmed) }
    variant.audioGroup = attributes["AUDIO"]?.orNil
    variant.name = attributes["NAME"]?.orNil
    let pictures = ["avc", "hvc", "hev", "dvh", "dva", "av01", "vp0", "vp8", "vp9", "mp4v"]
    variant.hasVideo =
      attributes["RESOLUTION"] != nil
      || variant.codecs.contains { codec in pictures.contains { codec[...].after($0) != nil } }
    return variant
  }

  private mutating func takeRendition(_ attributes: HLSAttributes) throws(AudioError) {
    guard attributes["TYPE"] == "AUDIO", let group = attributes["GROUP-ID"] else { return }
    var rendition = HLSRendition(group: String(group), name: attributes["NAME"].map(String.init) ?? "")
    rendition.language = attributes["LANGUAGE"]?.orNil
    rendition.isDefault = attributes["DEFAULT"] == "YES"
    rendition.isAutoselected = rendition.isDefault || attributes["AUTOSELECT"] == "YES"
    rendition.channels = attributes["CHANNELS"].flatMap { Int(Substring($0.utf8.prefix { $0 != UInt8(ascii: "/") })) }
    if let reference = attributes["URI"] {
      rendition.reference = String(reference)
      rendition.target = resolver.target(of: reference)
    }
    try Playlist.checkRoom(facts.renditions.count)
    facts.renditions.append(rendition)
  }
}
