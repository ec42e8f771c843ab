/// The header of a box (ISO/IEC 14496-12 §4.2; QuickTime says atom), and where its body lies.
struct MP4Box {
  /// What a look for a box can bring.
  enum Look {
    /// Bytes are missing.
    case need(ByteRequest)
    /// There it is.
    case box(MP4Box)
    /// None: the end, or bytes that are no box.
    case none
  }

  /// Bytes of the longest header that is read: size, type, 64-bit size.
  static let longestHeader = 16

  /// The four characters, as Latin-1: `©nam` has four.
  var type: String
  /// First byte of the header.
  var start: Int64
  /// First byte of the body.
  var body: Int64
  /// Behind the last byte, not behind the box that it is in.
  var end: Int64
  /// What the size says, where that is more.
  var statedEnd: Int64
  /// The size is 0: it goes on to the end of the file.
  var isOpen = false

  var bodySize: Int64 { end - body }

  /// Looks for a box at a position.
  /// - Parameter limit: Where the box around it ends; `Int64.max` for none.
  static func look(_ window: ByteWindow, at position: Int64, limit: Int64) -> Look {
    let room = Int(min(limit - position, Int64(longestHeader)))
    guard room >= 8 else { return .none }
    guard window.settles(position, count: room) else { return .need(ByteRequest(position: position, count: room)) }
    guard let short = window.bigEndian(position, size: 4), let name = window.bytes(position + 4, count: 4) else {
      return .none
    }
    var size = Int64(short)
    var body = position + 8
    if short == 1 {
      guard room == longestHeader, let long = window.bigEndian(position + 8, size: 8), long < 1 << 62 else {
        return .none
      }
      size = Int64(long)
      body = position + 16
    }
    let isOpen = short == 0
    let stated = isOpen ? limit : position.addingSaturating(size)
    guard stated >= body else { return .none }
    return .box(
      MP4Box(
        type: ID3Text.latin1(name), start: position, body: body, end: min(stated, limit), statedEnd: stated,
        isOpen: isOpen))
  }
}

/// A box's body in memory. Every access is checked; reading outside answers `nil`.
struct MP4Bytes {
  /// Most boxes that are looked at in one body.
  private static let boxLimit = 4096

  let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }
  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  var count: Int { bytes.count }

  /// An unsigned number of `size` bytes (1…8), most significant byte first.
  func number(_ offset: Int, _ size: Int) -> UInt64? {
    guard offset >= 0, size <= count, offset <= count - size else { return nil }
    let first = bytes.startIndex + offset
    return bytes[first..<first + size].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A number of 32 bits.
  func word(_ offset: Int) -> UInt32? { number(offset, 4).map { UInt32($0) } }

  /// Four characters as Latin-1.
  func type(_ offset: Int) -> String? {
    guard offset >= 0, offset <= count - 4 else { return nil }
    return ID3Text.latin1(bytes[(bytes.startIndex + offset)...].prefix(4))
  }

  /// What follows an offset; empty behind the end.
  func rest(_ offset: Int) -> ArraySlice<UInt8> { bytes.dropFirst(max(offset, 0)) }

  /// The boxes from an offset on, as far as they are whole; the last may be cut.
  func boxes(from offset: Int = 0) -> [(type: String, body: MP4Bytes, offset: Int)] {
    var found: [(type: String, body: MP4Bytes, offset: Int)] = []
    var at = offset
    while found.count < Self.boxLimit, let short = word(at), let name = type(at + 4) {
      var header = 8
      var size = UInt64(short)
      if short == 1 {
        guard let long = number(at + 8, 8) else { break }
        size = long
        header = 16
      } else if short == 0 {
        size = UInt64(count - at)
      }
      guard size >= UInt64(header) else { break }
      let length = Int(min(size, UInt64(count - at)))
      guard length >= header else { break }
      found.append((name, MP4Bytes(rest(at + header).prefix(length - header)), at + header))
      at += length
    }
    return found
  }
}
