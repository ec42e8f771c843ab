import AudioModel

/// How a stream is written that is nothing but frames, one behind the other: ADTS, AC-3, AMR. Each frame begins with a
/// header that tells its length; ``FrameStreamParser`` does the rest.
///
/// All answers depend on the bytes alone, never on how many of them happen to be in the window.
protocol FrameSyntax: Sendable {
  init()
  /// Bytes from a frame's beginning on that tell its kind and length.
  static var headerSize: Int { get }
  /// The byte that every frame begins with; `nil` when it differs.
  static var firstByte: UInt8? { get }
  /// Frames of the same kind that must follow one found among junk.
  static var followers: Int { get }
  /// Packets to decode and throw away before a seek's target.
  static var prerollPackets: Int { get }
  /// Bytes that must be there for ``readPrologue(_:at:)``, at most.
  static var prologueSize: Int { get }
  /// Reads what stands once in front of the frames.
  /// - Returns: Its length.
  mutating func readPrologue(_ window: ByteWindow, at position: Int64) throws(AudioError) -> Int
  /// The kind of all frames where the prologue tells it.
  var knownKind: UInt64? { get }
  /// What a header says; `nil` where none is there.
  func header(_ window: ByteWindow, at position: Int64) -> FrameHeader?
  /// The whole length of a frame; more than the header says where further frames belong to it.
  func extent(_ window: ByteWindow, at position: Int64, _ header: FrameHeader) -> FrameExtent
  /// What a frame, all of it in the window, decodes as; `nil` where it can't be decoded for what is not known yet.
  mutating func coding(_ window: ByteWindow, _ frame: FoundFrame) -> FrameCoding?
  /// Which bytes of a frame, all of it in the window, the decoder gets.
  func payload(_ window: ByteWindow, _ frame: FoundFrame) -> FramePayload
}

extension FrameSyntax {
  static var followers: Int { 2 }
  static var prologueSize: Int { 0 }
  func readPrologue(_ window: ByteWindow, at position: Int64) -> Int { 0 }
  var knownKind: UInt64? { nil }
  func extent(_ window: ByteWindow, at position: Int64, _ header: FrameHeader) -> FrameExtent {
    .bytes(header.byteCount)
  }
  func payload(_ window: ByteWindow, _ frame: FoundFrame) -> FramePayload {
    .range(position: frame.position, count: frame.byteCount)
  }
}

/// What the header of a frame says.
struct FrameHeader: Hashable {
  /// Length with the header, at least ``FrameSyntax/headerSize``.
  var byteCount: Int
  /// PCM frames that it decodes to, at the rate of its coding.
  var frameCount: Int
  /// The same number for all frames that one decoder can decode in a row.
  var kind: UInt64
}

/// A frame that was found.
struct FoundFrame: Hashable {
  var position: Int64
  var byteCount: Int
  var header: FrameHeader
}

/// How long a frame is.
enum FrameExtent {
  case bytes(Int)
  /// Undecided: so many bytes from the frame's beginning on would tell.
  case need(Int)
}

/// What a decoder must know of a run of frames.
struct FrameCoding: Hashable {
  var container: String
  var codec: Codec
  var format: PCMFormat
  var decoderConfiguration: [UInt8] = []
}

/// The bytes of a packet.
enum FramePayload {
  case range(position: Int64, count: Int)
  case assembled([UInt8])
}
