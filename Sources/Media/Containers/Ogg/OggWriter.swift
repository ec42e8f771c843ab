import AudioModel

/// Writes Opus (RFC 7845) and Vorbis in Ogg (RFC 3533). The last page says where the sound ends, so a page waits until
/// another one follows. Nothing is replaced: pipes are as good as files.
struct OggWriter: ContainerWriter {
  private let stream: WrittenStream
  private let headers: [[UInt8]]
  private let serial: UInt32
  private var sequence = 0
  /// Frames that the packets so far decode to.
  private var frames: Int64 = 0
  /// The page that is being filled: bodies and their lengths in bytes of 255 and less, and where it began.
  private var body: [UInt8] = []
  private var lacing: [UInt8] = []
  private var pageStart: Int64 = 0

  /// A page is full from so many bytes on, or after a second.
  private static let pageBytes = 16 << 10
  private static let lacingLimit = 255

  init(_ stream: WrittenStream) throws(AudioError) {
    self.stream = stream
    let configuration = stream.decoderConfiguration
    switch stream.codec {
    case .opus where OpusHead(configuration) != nil:
      let comments = VorbisCommentWriter.comments(stream.tags, pictures: stream.pictures)
      headers = [configuration, Array("OpusTags".utf8) + comments]
    case .vorbis:
      guard let parts = XiphHeaders.split(configuration), parts.count == 3 else { fallthrough }
      let vendor = Self.vendor(parts[1])
      let comments = VorbisCommentWriter.comments(stream.tags, vendor: vendor, pictures: stream.pictures)
      // Behind the comments stands a bit that frames them.
      headers = [parts[0], [3] + Array("vorbis".utf8) + comments + [1], parts[2]]
    default: throw AudioError(.encodingUnsupported, "Ogg files can't hold \(stream.codec)")
    }
    // Streams that follow each other in one file need numbers of their own; equal input gives equal bytes all the same.
    serial = headers.joined().reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }

  /// The encoder's name for itself in a comment header.
  private static func vendor(_ header: [UInt8]) -> String? {
    guard header.count >= 11 else { return nil }
    let length = header[7..<11].reversed().reduce(0) { $0 << 8 | Int($1) }
    return length <= header.count - 11 ? String(decoding: header[11..<11 + length], as: UTF8.self) : nil
  }

  mutating func begin(_ output: any ContainerOutput) throws(AudioError) {
    for (index, header) in headers.enumerated() {
      try header.withUnsafeBufferPointer { all throws(AudioError) in
        try add(UnsafeRawBufferPointer(all), granule: 0, to: output)
      }
      // The first header has a page of its own, and so has what follows the headers.
      if index == 0 || index == headers.count - 1 { try flush(granule: 0, to: output) }
    }
  }

  mutating func write(
    _ packet: UnsafeRawBufferPointer, frames: Int, to output: any ContainerOutput
  ) throws(AudioError) {
    let second = Int64(stream.format.sampleRate.hertz)
    if body.count >= Self.pageBytes || self.frames - pageStart >= second {
      try flush(granule: self.frames, to: output)
      pageStart = self.frames
    }
    try add(packet, granule: self.frames, to: output)
    self.frames += Int64(frames)
  }

  mutating func finish(_ ending: StreamEnding, to output: any ContainerOutput) throws(AudioError) {
    // Opus counts what is to be skipped at the beginning, Vorbis has nothing of the kind.
    try flush(granule: ending.frames + Int64(stream.delay), isLast: true, to: output)
  }

  /// Adds a packet to the page, and to as many pages more as it takes.
  /// - Parameter granule: The position at the end of the packet before.
  private mutating func add(
    _ packet: UnsafeRawBufferPointer, granule: Int64, to output: any ContainerOutput
  ) throws(AudioError) {
    let needed = packet.count / 255 + 1
    if !lacing.isEmpty && lacing.count + needed > Self.lacingLimit { try flush(granule: granule, to: output) }
    var rest = packet
    while rest.count >= 255 {
      let room = Self.lacingLimit - lacing.count
      let pieces = min(rest.count / 255, room)
      lacing.append(contentsOf: repeatElement(255, count: pieces))
      body.append(contentsOf: rest[..<(pieces * 255)])
      rest = UnsafeRawBufferPointer(rebasing: rest[(pieces * 255)...])
      // On a page on which no packet ends, the position is all ones.
      if lacing.count == Self.lacingLimit { try flush(granule: -1, isContinuedNext: true, to: output) }
    }
    lacing.append(UInt8(rest.count))
    body.append(contentsOf: rest)
  }

  private var isContinued = false

  private mutating func flush(
    granule: Int64, isLast: Bool = false, isContinuedNext: Bool = false, to output: any ContainerOutput
  ) throws(AudioError) {
    var page = ByteBuilder()
    page.text("OggS")
    page.big(0, 1)
    page.big((isContinued ? 1 : 0) | (sequence == 0 ? 2 : 0) | (isLast ? 4 : 0), 1)
    page.little(granule, 8)
    page.little(Int(serial), 4)
    page.little(sequence, 4)
    page.zeros(4)
    page.big(lacing.count, 1)
    page.add(lacing)
    page.add(body)
    var bytes = page.bytes
    let checksum = bytes.withUnsafeBytes { OggCRC.checksum($0) }
    for index in 0..<4 { bytes[22 + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * index)) }
    try output.append(bytes)
    sequence += 1
    isContinued = isContinuedNext
    body.removeAll(keepingCapacity: true)
    lacing.removeAll(keepingCapacity: true)
  }
}
