extension Seeds {
  /// Small MP4 and QuickTime files: tables and fragments, tags, chapters, an index at either end.
  static var mp4: [[UInt8]] {
    let aac = entry("mp4a", esds([0x12, 0x10]))
    let implicit = entry("mp4a", esds([0x13, 0x88, 0x56, 0xE5, 0xA5, 0x48, 0x00]))
    let alac = entry(
      "alac", full("alac", big(4096, 4) + [0, 16, 40, 10, 14, 2, 0, 255] + big(0, 8) + big(44_100, 4)))
    let opus = entry("Opus", box("dOps", [0, 2, 1, 0x38, 0, 0, 0xBB, 0x80, 0, 0, 0]))
    let flac = entry("fLaC", full("dfLa", [0x80, 0, 0, 34] + [UInt8](repeating: 16, count: 34)))
    let pcm = entry("sowt", [])
    let ima4 = entry("ima4", big(64, 4) + big(34, 4) + big(68, 4) + big(2, 4), version: 1)
    let list = full(
      "elst",
      big(2, 4) + big(10, 4) + big(0xFFFF_FFFF, 4) + big(0x10000, 4) + big(50, 4) + big(1024, 4) + big(0x10000, 4))
    let plain = movie(aac, edits: list, tags: items)
    return [
      plain, movie(implicit, isLast: true),
      movie(alac, tags: full("chpl", version: 1, big(1, 5) + big(0, 8) + [1, 65])),
      movie(opus, edits: list), movie(flac), movie(pcm, constantSize: 4), movie(ima4, constantSize: 1),
      movie(entry(".mp3", []), isLast: true), fragmented(aac, isSpelledOut: true),
      fragmented(pcm, isSpelledOut: false),
    ]
  }

  private static func box(_ type: StaticString, _ body: [UInt8]) -> [UInt8] {
    big(UInt64(body.count + 8), 4) + text(type) + body
  }

  private static func full(_ type: StaticString, version: UInt64 = 0, flags: UInt64 = 0, _ body: [UInt8]) -> [UInt8] {
    box(type, big(version, 1) + big(flags, 3) + body)
  }

  private static func entry(_ type: StaticString, _ rest: [UInt8], version: UInt64 = 0) -> [UInt8] {
    box(
      type,
      big(0, 6) + big(1, 2) + big(version, 2) + big(0, 6) + big(2, 2) + big(16, 2) + big(0, 4) + big(44_100, 2)
        + big(0, 2) + rest)
  }

  private static func esds(_ configuration: [UInt8]) -> [UInt8] {
    let specific = [5, UInt8(configuration.count)] + configuration
    let decoder = [4, UInt8(13 + specific.count), 0x40, 0x15] + big(0, 11) + specific
    return full("esds", [3, UInt8(3 + decoder.count), 0, 0, 0] + decoder)
  }

  private static var items: [UInt8] {
    func data(_ kind: UInt64, _ value: [UInt8]) -> [UInt8] { box("data", big(kind, 4) + big(0, 4) + value) }
    let name = big(UInt64(8 + data(1, [65]).count), 4) + [0xA9] + text("nam") + data(1, [65])
    let own = box(
      "----", full("mean", text("a")) + full("name", text("iTunSMPB")) + data(1, text(" 0 840 1E4 600 0")))
    let list = box(
      "ilst", name + own + box("trkn", data(0, big(5, 4) + big(14 << 16, 4))) + box("covr", data(13, [1, 2, 3])))
    return full("meta", full("hdlr", big(0, 4) + text("mdirappl") + big(0, 9)) + list)
  }

  private static func track(_ entry: [UInt8], _ tables: [UInt8], edits: [UInt8], id: UInt64, handler: StaticString)
    -> [UInt8]
  {
    let table = box("stbl", full("stsd", big(1, 4) + entry) + tables)
    let media =
      full("mdhd", big(0, 8) + big(44_100, 4) + big(0, 8)) + full("hdlr", big(0, 4) + text(handler) + big(0, 13))
    return box(
      "trak",
      full("tkhd", flags: 7, big(0, 8) + big(id, 4) + big(0, 68)) + (edits.isEmpty ? [] : box("edts", edits))
        + box("tref", box("chap", big(2, 4))) + box("mdia", media + box("minf", table)))
  }

  private static func movie(
    _ entry: [UInt8], edits: [UInt8] = [], tags: [UInt8] = [], constantSize: UInt64 = 0, isLast: Bool = false
  ) -> [UInt8] {
    let head = box("ftyp", text("M4A ") + big(0, 4))
    let sizes: [UInt64] = [20, 24, 18, 30, 22]
    func moov(_ start: Int) -> [UInt8] {
      let times = full("stts", big(2, 4) + big(4, 4) + big(1024, 4) + big(1, 4) + big(500, 4))
      let chunks = full("stsc", big(2, 4) + big(1, 4) + big(3, 4) + big(1, 4) + big(2, 4) + big(2, 4) + big(1, 4))
      let table = constantSize > 0 ? [] : sizes.flatMap { big($0, 4) }
      let counts = full("stsz", big(constantSize, 4) + big(5, 4) + table)
      let places = full("stco", big(2, 4) + big(UInt64(start), 4) + big(UInt64(start + 62), 4))
      let words =
        full("stts", big(1, 4) + big(1, 4) + big(22_050, 4))
        + full("stsc", big(1, 4) + big(1, 4) + big(1, 4) + big(1, 4))
      let place =
        full("stsz", big(0, 4) + big(1, 4) + big(6, 4)) + full("co64", big(1, 4) + big(UInt64(start + 114), 8))
      return box(
        "moov",
        full("mvhd", big(0, 8) + big(1000, 4) + big(0, 84))
          + track(entry, times + chunks + counts + places, edits: edits, id: 1, handler: "soun")
          + track(box("text", big(0, 52)), words + place, edits: [], id: 2, handler: "text")
          + (tags.isEmpty ? [] : box("udta", tags)))
    }
    let data = box("mdat", [UInt8](repeating: 0x21, count: 114) + big(4, 2) + text("name"))
    let start = head.count + 8
    return isLast ? head + data + moov(start) : head + moov(start + moov(0).count) + data
  }

  private static func fragmented(_ entry: [UInt8], isSpelledOut: Bool) -> [UInt8] {
    let empty = full("stts", big(0, 4)) + full("stsc", big(0, 4)) + full("stsz", big(0, 8)) + full("stco", big(0, 4))
    let front =
      box("ftyp", text("iso5") + big(0, 4))
      + box(
        "moov",
        full("mvhd", big(0, 8) + big(1000, 4) + big(0, 84)) + track(entry, empty, edits: [], id: 1, handler: "soun")
          + box("mvex", full("mehd", big(100, 4)) + full("trex", big(1, 4) + big(1, 4) + big(0, 12))))
    var bytes: [UInt8] = []
    for number in 0..<3 as Range<UInt64> {
      let clock = full("tfdt", big(number * 3 * 1024, 4))
      let run: [UInt8] =
        isSpelledOut
        ? full(
          "trun", flags: 0x301,
          big(3, 4) + big(isSpelledOut ? 116 : 0, 4) + [20, 21, 22].flatMap { big(1024, 4) + big($0, 4) })
        : full("trun", flags: 0x1, big(3, 4) + big(100, 4))
      let header =
        isSpelledOut
        ? full("tfhd", flags: 0x2_0000, big(1, 4))
        : full("tfhd", flags: 0x2_0018, big(1, 4) + big(1, 4) + big(4, 4))
      bytes += box("moof", full("mfhd", big(number, 4)) + box("traf", header + clock + run))
      bytes += box("mdat", [UInt8](repeating: 0x21, count: 63))
    }
    let index = full(
      "sidx",
      big(1, 4) + big(44_100, 4) + big(0, 8) + big(0, 2) + big(1, 2) + big(UInt64(bytes.count), 4) + big(9216, 4)
        + big(0, 4))
    let table = full(
      "tfra", big(1, 4) + big(0, 4) + big(1, 4) + big(0, 4) + big(UInt64(front.count + index.count), 4) + [1, 1, 1])
    return front + index + bytes + box("mfra", table + full("mfro", big(UInt64(table.count + 24), 4)))
  }
}
