internal import AudioModel
internal import Commands
internal import Playlists
internal import Terminal

/// What a playlist holds, as `info` tells it.
struct PlaylistFacts: InfoAnswer {
  var input: String
  var list: Playlist

  // MARK: JSON

  /// One object. Entries have `url`, `title` and `duration` always, other fields where the playlist states them.
  var json: JSONValue {
    var object: JSONValue = [
      "input": .string(input), "container": .string(list.format.rawValue), "title": JSONValue(list.title),
      "live": .bool(list.isLive), "duration": list.duration.map { duration($0) } ?? .null,
      "entries": .array(variants.map(json) + list.entries.map(json)),
    ]
    guard let renditions = list.hls?.renditions, !renditions.isEmpty else { return object }
    object = object.adding(["renditions": .array(renditions.map(json))])
    return object
  }

  private var variants: [HLSVariant] { list.hls?.variants ?? [] }

  private func duration(_ seconds: Double) -> JSONValue {
    ["seconds": .number(seconds), "frames": nil, "exact": false, "errorSeconds": nil]
  }

  private func json(_ entry: PlaylistEntry) -> JSONValue {
    let object: JSONValue = [
      "url": .string(entry.target.location ?? entry.reference), "title": JSONValue(entry.title),
      "duration": JSONValue(entry.duration),
    ]
    return object.adding(
      .object(
        known([
          ("artist", JSONValue(entry.artist)), ("album", JSONValue(entry.album)), ("start", JSONValue(entry.start)),
          ("end", JSONValue(entry.end)), ("refused", JSONValue(refusal(entry.target))),
          ("byteOffset", JSONValue(entry.byteRange?.lowerBound)),
          ("byteCount", JSONValue(entry.byteRange.map { $0.upperBound - $0.lowerBound })),
          ("discontinuity", JSONValue(entry.segment?.startsDiscontinuity == true ? true : nil)),
        ])))
  }

  private func json(_ variant: HLSVariant) -> JSONValue {
    let object: JSONValue = [
      "url": .string(variant.target.location ?? variant.reference), "title": JSONValue(variant.name), "duration": nil,
      "bitRate": JSONValue(variant.bitRate),
    ]
    return object.adding(
      .object(
        known([
          ("averageBitRate", JSONValue(variant.averageBitRate)),
          ("codecs", variant.codecs.isEmpty ? .null : .array(variant.codecs.map { .string($0) })),
          ("audioGroup", JSONValue(variant.audioGroup)), ("refused", JSONValue(refusal(variant.target))),
        ])))
  }

  private func json(_ rendition: HLSRendition) -> JSONValue {
    [
      "group": .string(rendition.group), "name": .string(rendition.name), "language": JSONValue(rendition.language),
      "default": .bool(rendition.isDefault), "channels": JSONValue(rendition.channels),
      "url": JSONValue(rendition.target?.location ?? rendition.reference),
    ]
  }

  private func known(_ members: [(String, JSONValue)]) -> [JSONValue.Member] {
    members.filter { $0.1 != .null }.map { JSONValue.Member($0.0, $0.1) }
  }

  private func refusal(_ target: PlaylistTarget) -> String? {
    if case .refused(let error) = target { error.message } else { nil }
  }

  // MARK: For people

  /// A table of what is known; what is not is left out.
  var table: String {
    var rows: [(String, String)] = []
    if let title = list.title { rows.append(("Title", title)) }
    rows.append(("Container", list.format.rawValue))
    if list.isLive { rows.append(("Duration", "live")) }
    if let duration = list.duration { rows.append(("Duration", TimeText.clock(duration))) }
    rows.append((variants.isEmpty ? "Entries" : "Variants", "\(variants.count + list.entries.count)"))
    rows += variants.map { variant in
      let rate = variant.bitRate.map { "\(($0 + 500) / 1000) kbit/s, " } ?? ""
      return ("Variant", rate + place(variant.target, variant.reference))
    }
    for rendition in list.hls?.renditions ?? [] {
      let language = rendition.language.map { ", \($0)" } ?? ""
      rows.append(("Audio", rendition.name + language + (rendition.isDefault ? ", default" : "")))
    }
    rows += list.entries.enumerated().map { ("\($0.offset + 1)", line($0.element)) }
    return PrintableText.clean(input) + "\n"
      + rows.map { "  \(Table.padded($0.0, to: 12))\(PrintableText.cut(PrintableText.clean($0.1), to: 200))\n" }
      .joined()
  }

  private func line(_ entry: PlaylistEntry) -> String {
    let name = [entry.artist, entry.title].compactMap(\.self).joined(separator: " - ")
    let start = entry.start.map { "from \(TimeText.clock($0))" }
    let length = entry.duration.map(TimeText.clock)
    return ([name.isEmpty ? nil : name, length, start].compactMap(\.self) + [place(entry.target, entry.reference)])
      .joined(separator: ", ")
  }

  private func place(_ target: PlaylistTarget, _ reference: String) -> String {
    target.location ?? "\(reference) (\(refusal(target) ?? ""))"
  }
}
