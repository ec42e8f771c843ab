internal import AudioModel
internal import Containers

extension FuzzTarget {
  /// Tags in front of sound and behind it.
  static let tags = FuzzTarget(name: "tags", seeds: { Seeds.tags }) { bytes in
    let atOnce = leading(bytes, chunk: max(1, bytes.count))
    let inChunks = leading(bytes, chunk: 1 + bytes.count % 7)
    precondition(atOnce == inChunks, "it depends on the chunking")
    check(atOnce)
    let sound = [[UInt8]](repeating: Seeds.silence, count: 3).flatMap(\.self)
    (sound + Array(bytes)).withUnsafeBytes { file in
      func facts(chunk: Int) -> [ParserRun.Step] {
        var run = ParserRun(
          MPEGParser(start: 0, leading: TagSet()), file, chunk: chunk, knowsLength: true, isCheap: true)
        return run.steps()
      }
      let steps = facts(chunk: file.count)
      precondition(steps == facts(chunk: 1 + bytes.count % 5), "it depends on the chunking")
      for case .facts(let facts) in steps {
        var set = TagSet()
        (set.tags, set.pictures, set.chapters) = (facts.tags, facts.pictures, facts.chapters)
        check(set)
      }
    }
  }

  private static func leading(_ bytes: UnsafeRawBufferPointer, chunk: Int) -> TagSet {
    var run = ProbeRun(bytes, chunk: chunk)
    _ = run.find()
    return run.tags
  }

  /// What is kept is bounded, and in order.
  private static func check(_ set: TagSet) {
    precondition(set.tags.count <= TagSet.limit && set.tags.allSatisfy { !$0.value.isEmpty })
    precondition(set.tags.reduce(0) { $0 + $1.value.utf8.count } <= 64 << 20, "too much text")
    precondition(set.pictures.allSatisfy { $0.byteCount > 0 && $0.position ?? 0 >= 0 })
    precondition(zip(set.chapters, set.chapters.dropFirst()).allSatisfy { $0.start <= $1.start })
  }
}

extension Seeds {
  /// Tags alone, of each kind.
  static var tags: [[UInt8]] {
    [id3, oldID3, unsynchronised, shortID3, contents, plainSizes, ape, apeWithHeader, lyrics]
  }

  private static func id3(_ version: UInt8, _ flags: UInt8, _ body: [UInt8]) -> [UInt8] {
    text("ID3") + [version, 0, flags] + [0, 0, UInt8(body.count >> 7), UInt8(body.count & 0x7F)] + body
  }

  private static func frame(_ name: StaticString, _ body: [UInt8], flags: UInt8 = 0) -> [UInt8] {
    text(name) + big(UInt64(body.count), 4) + [0, flags] + body
  }

  /// A compressed text ("a" five times), a date in pieces, an extended header, iTunes' comment.
  private static var oldID3: [UInt8] {
    let packed: [UInt8] = [0, 0, 0, 6, 0x78, 0x9C, 0x63, 0x48, 0x04, 0x01, 0x00, 0x05, 0xB5, 0x01, 0xE6]
    let gapless = [0] + text("engiTunSMPB\0 00000000 00000210 000003F0 0000000000000900")
    return id3(
      3, 0x40,
      big(6, 4) + [0, 0, 0, 0, 0, 0] + frame("TIT2", packed, flags: 0x80) + frame("TYER", [0] + text("2009"))
        + frame("TDAT", [0] + text("1603")) + frame("COMM", gapless))
  }

  private static var unsynchronised: [UInt8] {
    id3(3, 0x80, frame("TIT2", [1, 0xFF, 0, 0xFE, 0x41, 0]) + frame("APIC", [0, 0x61, 0, 3, 0, 0xFF, 0, 0xD8]))
  }

  private static var shortID3: [UInt8] {
    id3(2, 0, text("TT2") + [0, 0, 2, 0, 0x41] + text("PIC") + [0, 0, 8, 0] + text("PNG") + [3, 0, 1, 2])
  }

  /// Chapters with a table of contents, and gains.
  private static var contents: [UInt8] {
    let chapter = text("a\0") + big(0, 4) + big(1000, 4) + big(0xFFFF_FFFF, 4) + big(0xFFFF_FFFF, 4)
    return id3(
      4, 0,
      frame("CTOC", text("t\0") + [3, 1] + text("a\0")) + frame("CHAP", chapter + frame("TIT2", [3, 0x41]))
        + frame("RVA2", text("track\0") + [1, 0xF3, 0, 16, 0x40, 0]) + frame("TCON", [3] + text("(17)(18)\0x")))
  }

  /// Version 2.4 with a plain size of 130.
  private static var plainSizes: [UInt8] {
    id3(4, 0, frame("TIT2", [3] + [UInt8](repeating: 0x41, count: 129)) + frame("TPE1", [3, 0x42]))
  }

  private static var apeWithHeader: [UInt8] {
    let cover = little(8, 4) + little(2, 4) + text("Cover Art (Front)\0a\0") + [0x89, 0x50, 0x4E, 0x47, 1, 2]
    let items = little(3, 4) + little(0, 4) + text("Artist\0a\0b") + cover
    func mark(_ flags: UInt64) -> [UInt8] {
      text("APETAGEX") + little(2000, 4) + little(UInt64(items.count + 32), 4) + little(2, 4) + little(flags, 4)
        + [UInt8](repeating: 0, count: 8)
    }
    return mark(0xA000_0000) + items + mark(0x8000_0000) + id3v1
  }

  private static var lyrics: [UInt8] { text("LYRICSBEGININD000020000027LYRICS200") + id3v1 }
}
