/// Small good Ogg files, and whatever the fuzzer makes of them with its checksums put right.
enum OggSeeds {
  static var all: [[UInt8]] { [opus(1), vorbis, opus(1) + vorbis + opus(1), multiplexed, speex, flac, broken] }

  /// The bytes with the right checksum in everything that looks like a page.
  static func sealed(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var sealed = Array(bytes)
    var at = 0
    while at + 27 <= sealed.count {
      guard sealed[at] == 0x4F, sealed[at..<at + 4].elementsEqual([0x4F, 0x67, 0x67, 0x53]) else {
        at += 1
        continue
      }
      let head = 27 + Int(sealed[at + 26])
      guard at + head <= sealed.count else { break }
      let end = at + head + sealed[(at + 27)..<(at + head)].reduce(0) { $0 + Int($1) }
      if end <= sealed.count {
        sealed.replaceSubrange(at + 22..<at + 26, with: [0, 0, 0, 0])
        sealed.replaceSubrange(at + 22..<at + 26, with: Seeds.little(UInt64(checksum(sealed[at..<end])), 4))
      }
      at += 27
    }
    return sealed
  }

  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte) << 24) { value, _ in value >> 31 == 1 ? value << 1 ^ 0x04C1_1DB7 : value << 1 }
  }

  private static func checksum(_ page: ArraySlice<UInt8>) -> UInt32 {
    page.reduce(0) { $0 << 8 ^ table[Int(UInt8($0 >> 24) ^ $1)] }
  }

  private static func page(
    _ packets: [[UInt8]], granule: Int64, flags: UInt8 = 0, serial: UInt64, sequence: UInt64
  ) -> [UInt8] {
    let lacing = packets.flatMap { [UInt8](repeating: 255, count: $0.count / 255) + [UInt8($0.count % 255)] }
    let page =
      Seeds.text("OggS") + [0, flags] + Seeds.little(UInt64(bitPattern: granule), 8) + Seeds.little(serial, 4)
      + Seeds.little(sequence, 4) + [0, 0, 0, 0, UInt8(lacing.count)] + lacing + packets.flatMap(\.self)
    return page.withUnsafeBytes { sealed($0) }
  }

  private static func comments(_ mark: [UInt8]) -> [UInt8] {
    mark + Seeds.little(1, 4) + Seeds.text("v") + Seeds.little(1, 4) + Seeds.little(7, 4) + Seeds.text("TITLE=t")
  }

  private static func opus(_ serial: UInt64) -> [UInt8] {
    let head = Seeds.text("OpusHead") + [1, 2, 56, 1] + Seeds.little(48_000, 4) + [0, 0, 0]
    let silence: [UInt8] = [0xFC, 0xFF, 0xFE]
    return page([head], granule: 0, flags: 2, serial: serial, sequence: 0)
      + page([comments(Seeds.text("OpusTags"))], granule: 0, serial: serial, sequence: 1)
      + page([silence, silence, silence], granule: 2880, serial: serial, sequence: 2)
      + page([silence, silence], granule: 4500, flags: 4, serial: serial, sequence: 3)
  }

  private static var vorbis: [UInt8] {
    let head =
      [1] + Seeds.text("vorbis") + [0, 0, 0, 0, 1] + Seeds.little(8000, 4) + [UInt8](repeating: 0, count: 12) + [
        0x86, 1,
      ]
    // Two modes, the second one long, and the framing bit, counted from bit 0 on.
    let modes: [UInt8] = [1, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 1]
    let setup = [5] + Seeds.text("vorbis") + [9, 9, 9, 9] + modes
    return page([head], granule: 0, flags: 2, serial: 2, sequence: 0)
      + page([comments([3] + Seeds.text("vorbis")) + [1], setup], granule: 0, serial: 2, sequence: 1)
      + page([[0, 1], [2, 1], [2, 3]], granule: 208, serial: 2, sequence: 2)
      + page([[0], [0]], granule: 300, flags: 4, serial: 2, sequence: 3)
  }

  private static var multiplexed: [UInt8] {
    page(
      [[0x80] + Seeds.text("theora") + [UInt8](repeating: 1, count: 35)], granule: 0, flags: 2, serial: 9, sequence: 0
    )
      + opus(1) + page([[1, 2, 3]], granule: 3, flags: 4, serial: 9, sequence: 1)
  }

  private static var speex: [UInt8] {
    let numbers: [UInt64] = [1, 80, 8000, 0, 4, 1, 8000, 160, 0, 2, 0, 0, 0]
    let head = Seeds.text("Speex   ") + [UInt8](repeating: 0x20, count: 20) + numbers.flatMap { Seeds.little($0, 4) }
    return page([head], granule: 0, flags: 2, serial: 3, sequence: 0)
      + page([comments([])], granule: 0, serial: 3, sequence: 1)
      + page([[1, 2, 3], [4, 5]], granule: 600, serial: 3, sequence: 2)
  }

  private static var flac: [UInt8] {
    let info: [UInt8] = [16, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0x0A, 0xC4, 0x40, 0xF0] + [UInt8](repeating: 0, count: 20)
    let head = [0x7F] + Seeds.text("FLAC") + [1, 0, 0, 1] + Seeds.text("fLaC") + [0, 0, 0, 34] + info
    return page([head], granule: 0, flags: 2, serial: 4, sequence: 0)
      + page([comments([0x84, 0, 0, 20])], granule: 0, serial: 4, sequence: 1)
      + page(
        [[0xFF, 0xF8, 0xC9, 0x08, 0, 0, 0, 0], [0xFF, 0xF8, 0x69, 0x08, 1, 9, 0, 0]], granule: 4106, flags: 4,
        serial: 4, sequence: 2)
  }

  /// A packet over two pages, a page that is missing, and junk.
  private static var broken: [UInt8] {
    let whole = opus(1)
    let big = [0xFC] + [UInt8](repeating: 0x11, count: 300)
    let pages = page([big], granule: 960, serial: 1, sequence: 2)
    return whole.prefix(whole.count - 60) + pages + [1, 2, 3]
      + page([big, [0xFC, 1]], granule: 9600, flags: 1, serial: 1, sequence: 7)
  }
}
