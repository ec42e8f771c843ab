/// Recognises formats that are read by others, by the bytes that each begins with.
enum ForeignFormat {
  /// The format that begins at `start`: `matroska`, `wavpack`, `ape`, …; `nil` for none known.
  static func name(_ window: ByteWindow, at start: Int64) -> String? {
    for (offset, magic, name) in magics
    where window.withBytes(start + offset, count: magic.count, { $0.elementsEqual(magic) }) == true {
      return name
    }
    if window.matches("RIFF", at: start) && window.matches("AVI ", at: start + 8) { return "avi" }
    if isTransportStream(window, at: start) { return "mpegts" }
    return nil
  }

  /// Sync bytes at the distance of packets, which some recorders make longer by a time stamp in front.
  private static func isTransportStream(_ window: ByteWindow, at start: Int64) -> Bool {
    [(Int64(0), Int64(188)), (4, 192), (0, 204)].contains { offset, size in
      (0..<4).allSatisfy { window.byte(start + offset + size * $0) == 0x47 }
    }
  }

  private static func ascii(_ text: StaticString) -> [UInt8] {
    (0..<text.utf8CodeUnitCount).map { text.utf8Start[$0] }
  }

  private static let magics: [(offset: Int64, bytes: [UInt8], name: String)] = [
    (0, [0x1A, 0x45, 0xDF, 0xA3], "matroska"),
    (0, [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11], "asf"),
    (0, ascii(".snd"), "au"),
    (0, ascii("FLV"), "flv"),
    (0, ascii("wvpk"), "wavpack"),
    (0, ascii("MAC "), "ape"),
    (0, ascii("MPCK"), "musepack"), (0, ascii("MP+"), "musepack"),
    (0, ascii("TTA1"), "tta"), (0, ascii("TTA2"), "tta"),
    (0, ascii("DSD "), "dsf"),
    (0, ascii("FRM8"), "dff"),
    (0, ascii("tBaK"), "tak"),
    (0, ascii("ajkg"), "shorten"),
    (0, ascii("Creative Voice File"), "voc"),
    (0, ascii(".RMF"), "realmedia"),
    (0, [0x00, 0x00, 0x01, 0xBA], "mpegps"),
    (0, [0x7F, 0xFE, 0x80, 0x01], "dts"), (0, [0xFE, 0x7F, 0x01, 0x80], "dts"),
  ]
}
