import AudioModel

/// What an AAC decoder must know beforehand. Source: ISO/IEC 14496-3 §1.6.2.1 and §4.4.1.
enum AudioSpecificConfig {
  /// Sample rates by their index (table 1.18).
  static let rates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
  ]

  /// Channels by `channelConfiguration` (table 1.19), in the order that decoders give; `nil` where it leaves them open.
  static let layouts: [ChannelLayout?] = [
    nil, .mono, .stereo, ChannelLayout(count: 3, mask: 0x7), ChannelLayout(count: 4, mask: 0x107),
    ChannelLayout(count: 5, mask: 0x37), ChannelLayout(count: 6, mask: 0x3F), ChannelLayout(count: 8, mask: 0xFF),
  ]

  /// The bytes for a core of 1024 frames a block.
  /// - Parameter element: The channels where `channelConfiguration` is 0.
  static func bytes(
    objectType: Int, rateIndex: Int, channelConfiguration: Int, element: ProgramConfiguration? = nil
  ) -> [UInt8] {
    var writer = BitWriter()
    writer.write(objectType, 5)
    writer.write(rateIndex, 4)
    writer.write(channelConfiguration, 4)
    // Blocks of 1024, no core coder, no extension.
    writer.write(0, 3)
    element?.write(to: &writer)
    return writer.bytes
  }
}

/// A program_config_element: which element of a block is for which loudspeaker (ISO/IEC 14496-3 §4.4.1.1). Its comment is
/// left out.
struct ProgramConfiguration: Hashable {
  /// AAC's object type, as ADTS counts it: one less.
  private(set) var profile = 0
  private(set) var rateIndex = 0
  /// Channels altogether.
  private(set) var channels = 0
  /// Fields up to the byte alignment, each with its width.
  private var fields: [Field] = []

  private struct Field: Hashable {
    var value: Int
    var width: Int
  }

  /// The element's number in a block.
  private static let elementID = 5

  /// Reads the element that a block begins with; `nil` where it begins with another.
  init?(block: [UInt8]) {
    var reader = BitReader(block)
    guard reader.read(3) == Self.elementID else { return nil }
    self.init(&reader)
  }

  /// Reads an element behind its number.
  init?(_ reader: inout BitReader) {
    _ = take(&reader, 4)
    profile = take(&reader, 2)
    rateIndex = take(&reader, 4)
    let front = take(&reader, 4)
    let side = take(&reader, 4)
    let back = take(&reader, 4)
    let low = take(&reader, 2)
    let data = take(&reader, 3)
    let coupling = take(&reader, 4)
    for width in [4, 4, 3] where take(&reader, 1) == 1 { _ = take(&reader, width) }
    for _ in 0..<front + side + back {
      channels += 1 + take(&reader, 1)
      _ = take(&reader, 4)
    }
    for _ in 0..<low + data { _ = take(&reader, 4) }
    for _ in 0..<coupling { _ = take(&reader, 5) }
    channels += low
    reader.align()
    reader.skip(8 * reader.read(8))
    guard !reader.isExhausted, channels > 0 else { return nil }
  }

  private mutating func take(_ reader: inout BitReader, _ width: Int) -> Int {
    let value = reader.read(width)
    fields.append(Field(value: value, width: width))
    return value
  }

  /// Writes the element behind its number.
  func write(to writer: inout BitWriter) {
    for field in fields { writer.write(field.value, field.width) }
    writer.align()
    writer.write(0, 8)
  }
}
