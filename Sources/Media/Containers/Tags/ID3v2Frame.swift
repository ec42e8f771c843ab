/// The fixed part of a frame of an ID3v2 tag. Sources: ID3v2.2 §3.2, ID3v2.3.0 §3.3, ID3v2.4.0 structure §4.
struct ID3v2Frame {
  /// Its name: four characters, or three of version 2.2.
  let id: String
  /// Bytes of its body.
  var size: Int
  /// Version 2.4 only, where it is another: the size if it is no sync-safe number but a plain one, as iTunes wrote it
  /// for years.
  let plainSize: Int?
  /// Its body says nothing to us.
  private(set) var isEncrypted = false
  private(set) var isCompressed = false
  /// It says itself that it is unsynchronised.
  private(set) var isUnsynchronised = false
  /// Bytes before the body proper: group, method of encryption, sizes.
  private(set) var prefix = 0

  /// Bytes of the fixed part.
  static func headerSize(_ version: UInt8) -> Int { version == 2 ? 6 : 10 }

  /// Reads the fixed part at a position; `nil` for padding and for what can be none.
  init?(_ window: ByteWindow, at position: Int64, version: UInt8) {
    let letters = version == 2 ? 3 : 4
    guard var name = window.bytes(position, count: letters),
      let stored = window.bigEndian(position + Int64(letters), size: letters)
    else { return nil }
    // Tags of 2.2 that were turned into later versions kept their short names here and there.
    if version > 2 && (name[3] == 0 || name[3] == 0x20) { name.removeLast() }
    guard name.allSatisfy({ (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }) else { return nil }
    id = String(decoding: name, as: UTF8.self)
    size = Int(stored)
    var plain: Int?
    if version == 4 {
      // A high bit gives a plain size away by itself.
      let isSynchsafe = stored & 0x8080_8080 == 0
      if isSynchsafe { size = Int(ID3v2Reader.synchsafe(UInt32(stored))) }
      plain = stored > 0x7F ? Int(stored) : nil
    }
    plainSize = plain
    guard version > 2, let flags = window.byte(position + 9) else { return }
    if version == 3 {
      isCompressed = flags & 0x80 != 0
      isEncrypted = flags & 0x40 != 0
      prefix = (isCompressed ? 4 : 0) + (flags & 0x20 != 0 ? 1 : 0)
    } else {
      isCompressed = flags & 0x08 != 0
      isEncrypted = flags & 0x04 != 0
      isUnsynchronised = flags & 0x02 != 0
      prefix = (flags & 0x40 != 0 ? 1 : 0) + (flags & 0x01 != 0 ? 4 : 0)
    }
  }

  /// The body as it was before it was unsynchronised and compressed.
  /// - Parameters:
  ///   - raw: The body as it is stored, or the beginning of it.
  ///   - isUnsynchronised: The tag says so of all its frames, or the frame of itself.
  ///   - limit: Most bytes that a compressed body may grow to; the rest is left out.
  func body(_ raw: [UInt8], isUnsynchronised: Bool, limit: Int) -> ArraySlice<UInt8>? {
    guard raw.count > prefix else { return nil }
    var body = raw[prefix...]
    if isUnsynchronised { body = Self.resynchronise(body)[...] }
    guard isCompressed else { return body }
    // Some writers put the length in front without saying so.
    let plain = Inflate.decompress(body, limit: limit) ?? Inflate.decompress(body.dropFirst(4), limit: limit)
    return plain?[...]
  }

  /// Undoes unsynchronisation: the NUL after each 0xFF goes.
  static func resynchronise(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var wasFF = false
    for byte in bytes {
      if !(wasFF && byte == 0) { out.append(byte) }
      wasFF = byte == 0xFF
    }
    return out
  }
}
