import AudioModel

/// A StreamMuxConfig: how the elements of LATM are put together, and what the decoder must know. One program with one
/// layer of AAC is read, as everybody sends it. Source: ISO/IEC 14496-3 §1.7.3.
struct LATMConfiguration: Hashable {
  /// AudioSpecificConfig, moved to a byte's beginning.
  private(set) var decoderConfiguration: [UInt8] = []
  /// Rate and channels as that says.
  private(set) var rate = SampleRate.studio
  private(set) var layout = ChannelLayout.stereo
  /// PCM frames of a block, at that rate.
  private(set) var blockFrames = 1_024
  /// Blocks of an element.
  private(set) var blocks = 1

  /// Reads a configuration; `nil` for one that is broken or of another kind.
  init?(_ reader: inout BitReader) {
    let version = reader.read(1)
    // Version 1 has a version of its own, of which only 0 is defined.
    guard version == 0 || reader.read(1) == 0 else { return nil }
    if version == 1 { _ = Self.value(&reader) }
    guard reader.flag() else { return nil }
    blocks = reader.read(6) + 1
    guard reader.read(4) == 0, reader.read(3) == 0 else { return nil }
    let stated = version == 1 ? Self.value(&reader) : nil
    let start = reader
    guard readSpecificConfig(&reader) else { return nil }
    var count = reader.position - start.position
    if let stated {
      guard stated >= count, stated - count <= 1 << 12 else { return nil }
      reader.skip(stated - count)
      count = stated
    }
    var copy = start
    var writer = BitWriter()
    for _ in 0..<count { writer.write(copy.read(1), 1) }
    decoderConfiguration = writer.bytes
    // Frames that say their length themselves; their buffer's fullness is of no interest.
    guard reader.read(3) == 0 else { return nil }
    reader.skip(8)
    if reader.flag() {
      if version == 1 {
        _ = Self.value(&reader)
      } else {
        while reader.flag() && !reader.isExhausted { reader.skip(8) }
        reader.skip(8)
      }
    }
    if reader.flag() { reader.skip(8) }
    guard !reader.isExhausted else { return nil }
  }

  /// Reads an AudioSpecificConfig of AAC (§1.6.2.1) with what it says of band replication in front.
  private mutating func readSpecificConfig(_ reader: inout BitReader) -> Bool {
    var type = reader.read(5)
    var hertz = Self.rate(&reader)
    var channels = reader.read(4)
    if type == 5 || type == 29 {
      // The core's type comes behind the rate that is heard, and parametric stereo makes two channels of one.
      hertz = Self.rate(&reader)
      blockFrames *= 2
      if type == 29 && channels == 1 { channels = 2 }
      type = reader.read(5)
    }
    // Main, LC, SSR, LTP.
    guard (1...4).contains(type), let rate = hertz.flatMap({ SampleRate(hertz: $0) }) else { return false }
    if reader.flag() { blockFrames = blockFrames / 1_024 * 960 }
    if reader.flag() { reader.skip(14) }
    let hasExtension = reader.flag()
    self.rate = rate
    if channels == 0 {
      guard let element = ProgramConfiguration(&reader), let found = ChannelLayout(count: element.channels) else {
        return false
      }
      layout = found
    } else {
      guard AudioSpecificConfig.layouts.indices.contains(channels), let found = AudioSpecificConfig.layouts[channels]
      else { return false }
      layout = found
    }
    return !hasExtension && !reader.isExhausted
  }

  private static func rate(_ reader: inout BitReader) -> Int? {
    let index = reader.read(4)
    if index == 15 { return reader.read(24) }
    return AudioSpecificConfig.rates.indices.contains(index) ? AudioSpecificConfig.rates[index] : nil
  }

  /// LatmGetValue: one to four bytes.
  private static func value(_ reader: inout BitReader) -> Int {
    let count = reader.read(2) + 1
    return (0..<count).reduce(0) { value, _ in value << 8 | reader.read(8) }
  }
}
