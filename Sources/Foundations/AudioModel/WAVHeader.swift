/// The bytes in front of the samples of a WAV file that Martlet writes.
///
/// The header has one length for a format, whatever the file's length, so that it can be written first and again when
/// the length is known. Past 4 GiB it becomes RF64. Sources: Microsoft's "Multiple Channel Audio Data and WAVE Files";
/// EBU Tech 3306 for RF64, whose `ds64` chunk takes the place of a `JUNK` chunk of equal size.
public struct WAVHeader: Hashable, Sendable {
  /// How samples are stored.
  public enum Sample: String, Hashable, Sendable, CaseIterable {
    /// IEEE 754 binary64.
    case f64
    /// IEEE 754 binary32.
    case f32
    /// 32-bit integers.
    case s32
    /// 24-bit integers in 3 bytes.
    case s24
    /// 16-bit integers.
    case s16
    /// 8-bit integers, unsigned as WAV has them.
    case u8

    /// Bytes that a sample takes.
    public var bytes: Int {
      switch self {
      case .f64: 8
      case .f32, .s32: 4
      case .s24: 3
      case .s16: 2
      case .u8: 1
      }
    }

    /// Samples are fractions.
    public var isFloat: Bool { self == .f32 || self == .f64 }

    /// How samples lie in the bytes of a WAV file.
    public var coding: SampleCoding {
      SampleCoding(kind: isFloat ? .float : self == .u8 ? .unsigned : .signed, bits: bytes * 8, bytes: bytes)
    }

    /// The case for a coding; `nil` where WAV files of ours have none.
    public init?(_ coding: SampleCoding) {
      guard let found = Self.allCases.first(where: { $0.coding == coding }) else { return nil }
      self = found
    }
  }

  /// Rate and channels.
  public var format: PCMFormat
  /// How samples are stored.
  public var sample: Sample

  /// Makes a header for a format.
  public init(format: PCMFormat, sample: Sample) {
    self.format = format
    self.sample = sample
  }

  /// Bytes of one frame.
  public var frameBytes: Int { format.channels * sample.bytes }

  /// The header's bytes.
  /// - Parameters:
  ///   - frames: Frames that follow; `nil` while the length is unknown (a pipe): sizes are then all ones, which readers
  ///     take as "to the end".
  ///   - trailing: Bytes of the chunks behind the samples.
  public func bytes(frames: Int64?, trailing: Int = 0) -> [UInt8] {
    let data = frames.map { UInt64($0) * UInt64(frameBytes) }
    let padded = data.map { $0 + ($0 & 1) }
    var chunks: [UInt8] = []
    let needsFact = sample.isFloat
    let extensible = format.channels > 2 || sample == .s24 || sample == .s32
    func fourCC(_ text: StaticString) -> [UInt8] { (0..<4).map { text.utf8Start[$0] } }
    func le(_ value: UInt64, _ size: Int) -> [UInt8] {
      (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let tag: UInt64 = sample.isFloat ? 3 : 1
    chunks += fourCC("fmt ") + le(extensible ? 40 : needsFact ? 18 : 16, 4)
    chunks += le(extensible ? 0xFFFE : tag, 2) + le(UInt64(format.channels), 2)
    chunks += le(UInt64(format.sampleRate.hertz), 4)
    chunks += le(UInt64(format.sampleRate.hertz) * UInt64(frameBytes), 4)
    chunks += le(UInt64(frameBytes), 2) + le(UInt64(sample.bytes * 8), 2)
    if extensible {
      chunks += le(22, 2) + le(UInt64(sample.bytes * 8), 2) + le(UInt64(format.layout.mask), 4) + le(tag, 2)
      chunks += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    } else if needsFact {
      chunks += le(0, 2)
    }
    if needsFact { chunks += fourCC("fact") + le(4, 4) + le(min(UInt64(frames ?? 0), 0xFFFF_FFFF), 4) }
    let junk = 8 + 28
    let riff = padded.map { $0 + UInt64(4 + junk + chunks.count + 8 + trailing) }
    let isLong = (riff ?? 0) > 0xFFFF_FFFE
    var out = fourCC(isLong ? "RF64" : "RIFF") + le(isLong ? 0xFFFF_FFFF : riff ?? 0xFFFF_FFFF, 4) + fourCC("WAVE")
    if isLong, let riff, let data, let frames {
      out += fourCC("ds64") + le(28, 4) + le(riff, 8) + le(data, 8) + le(UInt64(frames), 8) + le(0, 4)
    } else {
      out += fourCC("JUNK") + le(28, 4) + [UInt8](repeating: 0, count: 28)
    }
    out += chunks + fourCC("data") + le(isLong ? 0xFFFF_FFFF : data ?? 0xFFFF_FFFF, 4)
    return out
  }
}
