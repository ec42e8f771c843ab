import AudioModel

/// What the first frame of a file says of the whole, when it is no sound but Xing's, LAME's or Fraunhofer's header.
/// Sources: Xing's "VBR header" SDK, the "Mp3 Info Tag" specification of LAME, Fraunhofer's VBRI as documented by
/// "MPEG Audio Frame Header" (CodeProject).
struct MPEGInfoFrame: Hashable {
  /// Frames of MPEG audio, this one not counted; `nil` where it does not say.
  var frames: Int64?
  /// Bytes from this frame's start to the end of the sound.
  var bytes: Int64?
  /// Fraunhofer's, in which writers disagree whether it counts itself.
  var isVBRI = false
  /// All frames have one bit rate.
  var isConstant = false
  /// Points at equal distances in time: bytes from this frame's start. The first is 0, the last the end.
  var points: [Int64] = []
  /// Frames of PCM that the encoder put in front and behind.
  var delay: Int?
  var padding: Int?
  var trackGain: Double?
  var albumGain: Double?

  /// Reads the frame; `nil` when it is sound.
  init?(_ frame: [UInt8], header: MPEGHeader) {
    guard header.layer == 3 else { return nil }
    let side = MPEGHeader.size + header.sideInfoBytes
    for offset in [side, side + 2] {
      switch Self.text(frame, offset, 4) {
      case "Xing": readXing(frame, offset, isConstant: false)
      case "Info": readXing(frame, offset, isConstant: true)
      default: continue
      }
      return
    }
    guard Self.text(frame, 36, 4) == "VBRI" else { return nil }
    readVBRI(frame)
  }

  private mutating func readXing(_ frame: [UInt8], _ start: Int, isConstant: Bool) {
    self.isConstant = isConstant
    guard let flags = Self.number(frame, start + 4, 4) else { return }
    var at = start + 8
    if flags & 1 != 0 {
      frames = Self.number(frame, at, 4).flatMap { $0 > 0 ? $0 : nil }
      at += 4
    }
    if flags & 2 != 0 {
      bytes = Self.number(frame, at, 4).flatMap { $0 > 0 ? $0 : nil }
      at += 4
    }
    if flags & 4 != 0 {
      if let bytes, at + 100 <= frame.count {
        // Percent of the time → 256ths of the bytes.
        let table = frame[at..<at + 100].map { Int64($0) * bytes / 256 } + [bytes]
        if zip(table, table.dropFirst()).allSatisfy({ $0 <= $1 }) { points = table }
      }
      at += 100
    }
    if flags & 8 != 0 { at += 4 }
    readLAME(frame, at)
  }

  /// The extension that LAME added and others copy. Its checksum is often stale, since editors of tags forget it: a
  /// printable encoder name is what tells that the extension is there.
  private mutating func readLAME(_ frame: [UInt8], _ start: Int) {
    guard start + 24 <= frame.count, frame[start..<start + 4].allSatisfy({ (0x20...0x7E).contains($0) }),
      let trim = Self.number(frame, start + 21, 3)
    else { return }
    delay = Int(trim >> 12)
    padding = Int(trim & 0xFFF)
    for at in [start + 15, start + 17] {
      guard let field = Self.number(frame, at, 2) else { continue }
      let gain = Double(field & 0x1FF) / 10 * (field & 0x200 != 0 ? -1 : 1)
      // A gain counts only where somebody set it: the originator is not "unspecified".
      guard field >> 10 & 7 != 0 else { continue }
      if field >> 13 == 1 { trackGain = gain }
      if field >> 13 == 2 { albumGain = gain }
    }
  }

  private mutating func readVBRI(_ frame: [UInt8]) {
    isVBRI = true
    bytes = Self.number(frame, 46, 4).flatMap { $0 > 0 ? $0 : nil }
    frames = Self.number(frame, 50, 4).flatMap { $0 > 0 ? $0 : nil }
    guard let entries = Self.number(frame, 54, 2), let scale = Self.number(frame, 56, 2),
      let size = Self.number(frame, 58, 2), (1...4).contains(size), entries > 0,
      62 + Int(entries * size) <= frame.count
    else { return }
    var sum: Int64 = 0
    points = [0]
    for entry in 0..<Int(entries) {
      sum += (Self.number(frame, 62 + entry * Int(size), Int(size)) ?? 0) * scale
      points.append(sum)
    }
    if let bytes, sum > bytes + bytes / 8 { points = [] }
  }

  private static func number(_ frame: [UInt8], _ at: Int, _ size: Int) -> Int64? {
    at + size <= frame.count ? frame[at..<at + size].reduce(0) { $0 << 8 | Int64($1) } : nil
  }

  private static func text(_ frame: [UInt8], _ at: Int, _ size: Int) -> String? {
    at + size <= frame.count ? String(decoding: frame[at..<at + size], as: UTF8.self) : nil
  }
}
