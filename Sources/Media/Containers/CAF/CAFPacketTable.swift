import AudioModel

/// A packet table chunk: how large the packets are, how long, and which of their frames are to be heard. Source: Apple,
/// "Core Audio Format Specification 1.0", Packet Table Chunk.
///
/// The table is kept as it is stored, a byte or two for each packet, with a mark every so often to begin from.
struct CAFPacketTable {
  /// Bytes in front of the entries.
  static let headerSize = 24
  /// Largest table that is read: some days of packets.
  static let limit = 8 << 20

  /// A place in the table.
  struct Cursor: Hashable {
    /// Of the next entry.
    var offset = 0
    /// Packets before it.
    var packet: Int64 = 0
    /// Bytes and frames of the packets before it.
    var bytes: Int64 = 0
    var frames: Int64 = 0
  }
  /// An entry.
  struct Entry: Hashable {
    var bytes: Int
    var frames: Int
  }

  /// Frames that are to be heard, those in front of them, and those behind.
  let valid: Int64, priming: Int, remainder: Int
  /// Behind the last entry.
  private(set) var end = Cursor()
  /// The last entry that is not empty.
  private(set) var last: Entry?

  private let entries: [UInt8]
  private let packets: Int64
  /// What all packets have in common; 0 where the table says it of each.
  private let packetBytes: Int, packetFrames: Int
  private var marks: [Cursor] = []

  /// Packets between two marks.
  private static let markDistance: Int64 = 512
  /// A packet of more frames than this is nonsense, and so is a larger one than a parser may want.
  private static let frameLimit = 1 << 20, byteLimit = 1 << 20

  /// Reads a chunk's body; `nil` where it is none.
  init?(_ body: [UInt8], packetBytes: Int, packetFrames: Int) {
    func number(_ at: Int, _ size: Int) -> UInt64 { body[at..<at + size].reduce(0) { $0 << 8 | UInt64($1) } }
    guard body.count >= Self.headerSize else { return nil }
    packets = Int64(clamping: number(0, 8))
    valid = Int64(bitPattern: number(8, 8))
    priming = Int(Int32(truncatingIfNeeded: number(16, 4)))
    remainder = Int(Int32(truncatingIfNeeded: number(20, 4)))
    guard valid >= 0, valid < 1 << 60, priming >= 0, remainder >= 0 else { return nil }
    entries = Array(body[Self.headerSize...])
    self.packetBytes = packetBytes
    self.packetFrames = packetFrames
    guard packetBytes == 0 || packetFrames == 0 else { return }
    marks.reserveCapacity(entries.count / Int(Self.markDistance) + 1)
    var cursor = Cursor()
    while true {
      if cursor.packet % Self.markDistance == 0 { marks.append(cursor) }
      guard let entry = entry(&cursor) else { break }
      if entry.bytes > 0 { last = entry }
    }
    end = cursor
  }

  /// Takes the entry at a place and moves on; `nil` at the end, or at an entry that can't be.
  func entry(_ cursor: inout Cursor) -> Entry? {
    guard cursor.packet < packets else { return nil }
    var next = cursor
    guard let bytes = packetBytes > 0 ? packetBytes : number(&next.offset), bytes <= Self.byteLimit,
      var frames = packetFrames > 0 ? packetFrames : number(&next.offset), frames <= Self.frameLimit
    else { return nil }
    // Some writers end with an empty packet, which is none.
    if bytes == 0 { frames = 0 }
    next.packet += 1
    next.bytes += Int64(bytes)
    next.frames += Int64(frames)
    cursor = next
    return Entry(bytes: bytes, frames: frames)
  }

  /// The place of the packet that a frame lies in, counted from the first one of all.
  func cursor(before frame: Int64) -> Cursor {
    var low = 0
    var high = marks.count
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].frames <= frame { low = middle + 1 } else { high = middle }
    }
    var cursor = marks.isEmpty ? Cursor() : marks[max(low - 1, 0)]
    while true {
      var next = cursor
      guard entry(&next) != nil, next.frames <= frame else { return cursor }
      cursor = next
    }
  }

  /// A number of 7 bits a byte, most significant first; a high bit means that more follow.
  private func number(_ offset: inout Int) -> Int? {
    var value = 0
    for _ in 0..<4 {
      guard offset < entries.count else { return nil }
      let byte = entries[offset]
      offset += 1
      value = value << 7 | Int(byte & 0x7F)
      if byte & 0x80 == 0 { return value }
    }
    return nil
  }
}
