/// Recognises formats that are read by others, by the bytes that each begins with.
enum ForeignFormat {
  /// The format that begins at `start`: `mp4`, `flac`, `aiff`, `adts`, `matroska`, …; `nil` for none known.
  static func name(_ window: ByteWindow, at start: Int64) -> String? {
    for (offset, magic, name) in magics
    where window.withBytes(start + offset, count: magic.count, { $0.elementsEqual(magic) }) == true {
      return name
    }
    if window.matches("RIFF", at: start) && window.matches("AVI ", at: start + 8) { return "avi" }
    if window.matches("FORM", at: start) {
      return window.matches("AIFF", at: start + 8) || window.matches("AIFC", at: start + 8) ? "aiff" : nil
    }
    if isTransportStream(window, at: start) { return "mpegts" }
    if isADTS(window, at: start) { return "adts" }
    if isAC3(window, at: start) { return "ac3" }
    if isLATM(window, at: start) { return "latm" }
    return nil
  }

  /// Sync bytes at the distance of packets, which some recorders make longer by a time stamp in front.
  private static func isTransportStream(_ window: ByteWindow, at start: Int64) -> Bool {
    [(Int64(0), Int64(188)), (4, 192), (0, 204)].contains { offset, size in
      (0..<4).allSatisfy { window.byte(start + offset + size * $0) == 0x47 }
    }
  }

  /// Two frames of AAC, or one that fills the file.
  private static func isADTS(_ window: ByteWindow, at start: Int64) -> Bool {
    guard let length = adtsLength(window, at: start) else { return false }
    let next = start + Int64(length)
    if !window.contains(next, count: 7) { return next >= window.end }
    return adtsLength(window, at: next) != nil || window.matches("ID3", at: next) || window.matches("TAG", at: next)
  }

  private static func adtsLength(_ window: ByteWindow, at position: Int64) -> Int? {
    guard let head = window.bigEndian(position, size: 7) else { return nil }
    // From the top: 12 bits sync, version, 2 bits layer (always 0), protection, 2 bits profile, 4 bits rate, …, and
    // 13 bits length from bit 30 on.
    let length = Int(head >> 13 & 0x1FFF)
    guard head >> 44 == 0xFFF, head >> 41 & 0x3 == 0, length >= 7 else { return nil }
    return length
  }

  /// A sync word with a possible rate and frame size, and another one behind.
  private static func isAC3(_ window: ByteWindow, at start: Int64) -> Bool {
    guard window.bigEndian(start, size: 2) == 0x0B77, let id = window.byte(start + 5).map({ $0 >> 3 }), id <= 16,
      let head = window.bigEndian(start + 2, size: 3)
    else { return false }
    return id > 10 || (head & 0xFF) >> 6 != 3 && head & 0x3F < 38
  }

  private static func isLATM(_ window: ByteWindow, at start: Int64) -> Bool {
    var position = start
    for _ in 0..<3 {
      guard let head = window.bigEndian(position, size: 3), head >> 13 == 0x2B7 else { return false }
      position += Int64(head & 0x1FFF) + 3
    }
    return true
  }

  private static func ascii(_ text: StaticString) -> [UInt8] {
    (0..<text.utf8CodeUnitCount).map { text.utf8Start[$0] }
  }

  private static let magics: [(offset: Int64, bytes: [UInt8], name: String)] = [
    (4, ascii("ftyp"), "mp4"), (4, ascii("moov"), "mp4"), (4, ascii("mdat"), "mp4"), (4, ascii("wide"), "mp4"),
    (4, ascii("free"), "mp4"), (4, ascii("skip"), "mp4"), (4, ascii("styp"), "mp4"), (4, ascii("pnot"), "mp4"),
    (0, ascii("fLaC"), "flac"),
    (0, ascii("caff"), "caf"),
    (0, [0x1A, 0x45, 0xDF, 0xA3], "matroska"),
    (0, [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11], "asf"),
    (0, ascii("ADIF"), "adif"),
    (0, ascii("#!AMR"), "amr"),
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
