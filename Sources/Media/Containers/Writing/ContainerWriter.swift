public import AudioModel

/// Lays the packets of one stream out as a file: the counterpart of ``ContainerParser``. Does no output itself.
///
/// Order of calls: ``begin(_:)``, ``write(_:frames:to:)`` for each packet in order, ``finish(_:to:)``.
public protocol ContainerWriter {
  /// Writes what stands in front of the first packet.
  mutating func begin(_ output: any ContainerOutput) throws(AudioError)

  /// Writes a packet.
  /// - Parameters:
  ///   - packet: Its bytes; valid during the call.
  ///   - frames: How many it decodes to, before trimming.
  mutating func write(
    _ packet: UnsafeRawBufferPointer, frames: Int, to output: any ContainerOutput
  ) throws(AudioError)

  /// Writes what stands behind the last packet, and completes what stands in front where the output can be replaced.
  mutating func finish(_ ending: StreamEnding, to output: any ContainerOutput) throws(AudioError)
}

/// What is known of a stream when its last packet is written.
public struct StreamEnding: Hashable, Sendable {
  /// Frames that are to be heard.
  public var frames: Int64
  /// Frames that the packets decode to behind those.
  public var padding: Int
  /// The decoder's configuration, complete now.
  public var decoderConfiguration: [UInt8]

  /// Makes an ending.
  public init(frames: Int64, padding: Int, decoderConfiguration: [UInt8]) {
    self.frames = frames
    self.padding = padding
    self.decoderConfiguration = decoderConfiguration
  }
}

/// Where a ``ContainerWriter`` puts its bytes.
public protocol ContainerOutput: AnyObject {
  /// Bytes appended so far.
  var position: Int64 { get }
  /// Bytes that were appended can be replaced: it is a file, no pipe.
  var isReplaceable: Bool { get }
  /// Adds bytes. Throws 6001 where the system refuses.
  func append(_ bytes: UnsafeRawBufferPointer) throws(AudioError)
  /// Replaces bytes that were appended; only where ``isReplaceable``. Throws 6001 where the system refuses.
  func replace(at position: Int64, with bytes: [UInt8]) throws(AudioError)
}

extension ContainerOutput {
  /// Adds bytes. Throws 6001 where the system refuses.
  public func append(_ bytes: [UInt8]) throws(AudioError) {
    try bytes.withUnsafeBufferPointer { all throws(AudioError) in try append(UnsafeRawBufferPointer(all)) }
  }
}

/// What a ``ContainerWriter`` is made for.
public struct WrittenStream: Sendable {
  /// The coding of the packets.
  public var codec: Codec
  /// Rate and channels as played.
  public var format: PCMFormat
  /// How samples lie in the packets (PCM), or how deep they are (lossless codecs).
  public var sampleCoding: SampleCoding?
  /// Set-up bytes for the decoder, as ``AudioModel/StreamFacts/decoderConfiguration`` has them; FLAC's are still without
  /// what only the end tells.
  public var decoderConfiguration: [UInt8] = []
  /// Frames that packets but the last decode to; 0 where they differ, 1 for PCM.
  public var framesPerPacket = 1
  /// Frames that the packets decode to, by a usual decoder, before the first one to be heard.
  public var delay = 0
  /// Bits per second that the encoder aims for.
  public var bitRate: Int?
  /// What the file is to say about itself.
  public var tags: [Tag] = []
  /// Pictures with their bytes, which are written where the container has a place for them.
  public var pictures: [WrittenPicture] = []

  /// Makes a description.
  public init(codec: Codec, format: PCMFormat) {
    self.codec = codec
    self.format = format
  }
}

/// A picture to be written.
public struct WrittenPicture: Hashable, Sendable {
  /// ID3v2's picture type (3 is the front cover).
  public var type: Int
  /// Its media type, `image/jpeg` for example.
  public var mime: String
  /// The picture's file.
  public var bytes: [UInt8]

  /// Makes a picture.
  public init(type: Int, mime: String, bytes: [UInt8]) {
    self.type = type
    self.mime = mime
    self.bytes = bytes
  }
}
