package import AudioModel

/// Reads WAV: RIFF, RIFX (big endian), RF64 and BW64 (64-bit sizes), Sony Wave64.
///
/// PCM of 1…64 bits, float, A-law and µ-law, ADPCM of Microsoft and IMA, GSM, MPEG audio; other codings inside are refused
/// with ``AudioModel/AudioError/Code/unsupportedContainer``, for somebody else to try. Sources: IBM and Microsoft, "Multimedia
/// Programming Interface and Data Specifications 1.0"; EBU Tech 3306; ITU-R BS.2088; Sony Pictures Digital, "Wave64".
package struct WAVParser: ContainerParser {
  private enum Form {
    case riff, rifx, rf64, wave64
  }
  private enum State {
    case start
    case chunks
    case samples
    case facts
    case data
    case mpeg
    case end
  }
  private struct Data {
    var start: Int64
    /// Bytes stated; `nil` where the writer did not know.
    var stated: Int64?
  }

  /// Most chunks that are looked at.
  private static let chunkLimit = 4096
  /// Bytes of sound that are looked at for which bits of the samples are in use.
  private static let sampleLook = 256 << 10

  private let start: Int64
  private var state = State.start
  private var form = Form.riff
  private var riffSize: UInt64 = 0
  private var longDataSize: UInt64?
  private var format: WAVFormat?
  private var data: Data?
  private var tags: TagSet
  private var position: Int64
  /// The chunk before had an odd size: there may be a pad byte at `position`.
  private var mayBePadded = false
  private var isTailRead = false
  private var chunksSeen = 0
  private var tagReader: ID3v2Reader?
  private var facts: StreamFacts?
  private var knownLength: Int64?
  /// Frames that a `fact` chunk states.
  private var statedFrames: Int64?
  private var run: BlockRun?
  /// The target of a seek before the header was read.
  private var pendingSeek: Int64?
  /// Reads the sound where that is MPEG audio.
  private var mpeg: MPEGParser?

  /// Makes a parser for a file whose first chunk is at `start`.
  package init(start: Int64, leading: TagSet = TagSet()) {
    self.start = start
    tags = leading
    position = start
  }

  package mutating func next(in window: ByteWindow) throws(AudioError) -> ParserStep {
    while true {
      switch state {
      case .start:
        if let request = try readStart(window) { return .need(request) }
        state = .chunks
      case .chunks:
        if let request = try walk(window) { return .need(request) }
        state = .samples
      case .samples:
        if let request = readSamples(window) { return .need(request) }
        state = mpeg == nil ? .facts : .mpeg
      case .mpeg:
        let step = try mpeg?.next(in: window) ?? .end
        guard case .facts(var fresh) = step else { return step }
        fresh.container = "wav"
        return .facts(fresh)
      case .facts:
        let fresh = try makeFacts(window)
        if let pendingSeek { _ = run?.seek(to: pendingSeek, length: knownLength) }
        pendingSeek = nil
        state = run?.frames(knownLength) == 0 ? .end : .data
        if fresh != facts {
          facts = fresh
          return .facts(fresh)
        }
      case .data:
        if let step = run?.step(window, length: knownLength) { return step }
        state = .end
        knownLength = window.knownLength
        if !isTailRead, let end = run?.end(knownLength) {
          go(to: end, isOdd: (data?.stated ?? 0) & 1 == 1)
          isTailRead = true
          state = .chunks
        }
      case .end:
        return .end
      }
    }
  }

  package mutating func seek(to frame: Int64, sourceIsCheap: Bool) -> ParserSeek {
    if mpeg != nil { return mpeg?.seek(to: frame, sourceIsCheap: sourceIsCheap) ?? .impossible }
    guard facts != nil, let target = run?.seek(to: max(frame, 0), length: knownLength) else {
      pendingSeek = max(frame, 0)
      return .at(position: position, isExact: true)
    }
    state = .data
    return .at(position: target, isExact: true)
  }

  // MARK: Chunks

  private mutating func readStart(_ window: ByteWindow) throws(AudioError) -> ByteRequest? {
    guard window.settles(start, count: 40) else { return ByteRequest(position: start, count: 40) }
    let kind = WAVParser.form(window, at: start)
    guard let kind else { throw AudioError(.malformed, "The WAV file has no header") }
    form = kind
    if form == .wave64 {
      riffSize = window.littleEndian(start + 16, size: 8) ?? 0
      position = start + 40
    } else {
      riffSize = number(window, start + 4, 4)
      position = start + 12
    }
    return nil
  }

  /// Walks over chunks until the samples are found, and on behind them where that is cheap.
  private mutating func walk(_ window: ByteWindow) throws(AudioError) -> ByteRequest? {
    let headerSize = form == .wave64 ? 24 : 8
    while true {
      if tagReader != nil {
        if let request = readTag(window) { return request }
      }
      knownLength = window.knownLength
      let wanted = headerSize + WAVFormat.size + 1
      if let knownLength, data != nil && format != nil && position >= knownLength { return nil }
      guard window.settles(position, count: wanted) else { return ByteRequest(position: position, count: wanted) }
      if mayBePadded {
        // Some writers leave out the pad byte: a name right there tells.
        let isName = window.bytes(position, count: 4)?.allSatisfy { (0x20...0x7E).contains($0) } ?? false
        if !isName { position += 1 }
        mayBePadded = false
      }
      // One stray NUL between chunks is a pad byte that should not be there.
      if form != .wave64, window.byte(position) == 0, window.byte(position + 1) ?? 0 != 0 { position += 1 }
      guard let chunk = chunk(window), chunksSeen < Self.chunkLimit else {
        if data != nil && format != nil { return nil }
        throw AudioError(
          .malformed, format == nil ? "The WAV file has no format chunk" : "The WAV file has no sound data")
      }
      chunksSeen += 1
      let body = position + Int64(headerSize)
      switch chunk.id {
      case "fmt " where format == nil:
        let count = Int(min(chunk.size, Int64(WAVFormat.size)))
        let bytes = window.bytes(body, count: min(count, window.available(body, limit: count))) ?? []
        format = try WAVFormat(bytes, isBigEndian: form == .rifx)
      case "ds64":
        if form == .rf64 { longDataSize = window.littleEndian(body + 8, size: 8) }
      case "data" where data == nil:
        data = Data(start: body, stated: statedDataSize(chunk.size, at: body))
        // The end is looked at first only where nothing is lost by it.
        if format != nil && !(window.sourceIsCheap && window.sourceLength != nil) { return nil }
        guard let end = data?.stated.map({ body.addingSaturating($0) }) ?? knownLength else {
          throw AudioError(.malformed, "The WAV file has no format chunk")
        }
        isTailRead = format != nil
        go(to: end, isOdd: chunk.size & 1 == 1)
        continue
      case "fact": statedFrames = chunk.size >= 4 ? Int64(number(window, body, 4)) : nil
      case "LIST":
        if let request = readList(window, body, chunk.size) { return request }
      case "id3 ", "ID3 ":
        guard window.settles(body, count: ID3v2Reader.headerSize) else {
          return ByteRequest(position: position, count: headerSize + ID3v2Reader.headerSize)
        }
        tagReader = ID3v2Reader(window, at: body, limit: body.addingSaturating(chunk.size))
      default: break
      }
      go(to: body.addingSaturating(chunk.size), isOdd: chunk.size & 1 == 1)
    }
  }

  private func chunk(_ window: ByteWindow) -> (id: String, size: Int64)? {
    guard let name = window.bytes(position, count: 4), name.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      return nil
    }
    if form == .wave64 {
      guard let size = window.littleEndian(position + 16, size: 8), size >= 24, size < 1 << 62 else { return nil }
      return (String(decoding: name, as: UTF8.self), Int64(size) - 24)
    }
    guard window.contains(position + 4, count: 4) else { return nil }
    return (String(decoding: name, as: UTF8.self), Int64(number(window, position + 4, 4)))
  }

  /// Goes to the chunk after one that ends at `end`.
  private mutating func go(to end: Int64, isOdd: Bool) {
    let limited = min(end, .max >> 1)
    position = form == .wave64 ? limited + (8 - (limited - start) & 7) & 7 : limited
    mayBePadded = isOdd && form != .wave64
  }

  private func statedDataSize(_ size: Int64, at body: Int64) -> Int64? {
    if form == .wave64 { return size }
    if form == .rf64 && size == 0xFFFF_FFFF {
      return longDataSize.flatMap { $0 < 1 << 62 ? Int64($0) : nil }
    }
    // A writer that could not go back leaves 0 or something near the largest number; a real 0 has a RIFF size to match.
    if size >= 0x7FFF_F000 && size <= 0x7FFF_FFFF || size >= 0xFFFF_F000 { return nil }
    if size == 0 && (riffSize >= 0xFFFF_F000 || Int64(riffSize) < body - start - 8) { return nil }
    return size
  }

  private mutating func readList(_ window: ByteWindow, _ body: Int64, _ size: Int64) -> ByteRequest? {
    guard (4...Int64(RIFFInfo.limit)).contains(size), window.matches("INFO", at: body) else { return nil }
    guard window.settles(body, count: Int(size)) else {
      return ByteRequest(position: position, count: Int(body - position + size))
    }
    let count = window.available(body, limit: Int(size))
    tags.complete(
      with: RIFFInfo.read((window.bytes(body, count: count) ?? []).dropFirst(4), isBigEndian: form == .rifx))
    return nil
  }

  private mutating func readTag(_ window: ByteWindow) -> ByteRequest? {
    guard case .need(let request)? = tagReader?.next(in: window) else {
      // What stands first in the file stays.
      if let reader = tagReader { tags.complete(with: reader.tags) }
      tagReader = nil
      return nil
    }
    return request
  }

  private func number(_ window: ByteWindow, _ position: Int64, _ size: Int) -> UInt64 {
    (form == .rifx ? window.bigEndian(position, size: size) : window.littleEndian(position, size: size)) ?? 0
  }

  // MARK: Samples

  /// Makes ready to read the sound.
  private mutating func readSamples(_ window: ByteWindow) -> ByteRequest? {
    guard let data, var format, run == nil, mpeg == nil else { return nil }
    knownLength = window.knownLength
    if format.codec == .mp2 || format.codec == .mp3 {
      mpeg = MPEGParser(start: data.start, leading: tags, end: data.stated.map { data.start.addingSaturating($0) })
      if let pendingSeek { _ = mpeg?.seek(to: pendingSeek, sourceIsCheap: window.sourceIsCheap) }
      return nil
    }
    if format.isDoubtful {
      guard window.settles(data.start, count: Self.sampleLook) else {
        return ByteRequest(position: data.start, count: Self.sampleLook)
      }
      let count = min(window.available(data.start, limit: Self.sampleLook), Int(clamping: data.stated ?? .max))
      format.justify(window.bytes(data.start, count: count) ?? [])
      self.format = format
    }
    var fresh = BlockRun(
      start: data.start, blockBytes: format.blockBytes, blockFrames: format.blockFrames,
      areJoined: format.blockFrames == 1, stated: data.stated)
    fresh.preroll = format.preroll
    // Of PCM the bytes tell more than a number does.
    if format.blockFrames > 1, let statedFrames, statedFrames > 0 { fresh.statedFrames = statedFrames }
    run = fresh
    return nil
  }

  private mutating func makeFacts(_ window: ByteWindow) throws(AudioError) -> StreamFacts {
    knownLength = window.knownLength
    guard let format, let run else { throw AudioError(.malformed, "The WAV file has no format chunk") }
    var fresh = StreamFacts(container: "wav", codec: format.codec, format: format.format)
    fresh.sampleCoding = format.coding
    fresh.bitRate = run.bitRate(format.format.sampleRate)
    fresh.isTruncated = run.isCut(knownLength)
    fresh.duration = run.frames(knownLength).map { MediaDuration(frames: $0, isExact: true) }
    fresh.seekPreroll = format.preroll
    fresh.take(tags)
    return fresh
  }

  // MARK: Probe

  private static func form(_ window: ByteWindow, at start: Int64) -> Form? {
    let isWave = window.matches("WAVE", at: start + 8)
    if isWave && window.matches("RIFF", at: start) { return .riff }
    if isWave && window.matches("RIFX", at: start) { return .rifx }
    if isWave && (window.matches("RF64", at: start) || window.matches("BW64", at: start)) { return .rf64 }
    guard let guid = window.bytes(start, count: 16), let wave = window.bytes(start + 24, count: 16) else {
      return nil
    }
    return guid == wave64RIFF && wave == wave64WAVE ? .wave64 : nil
  }

  private static let wave64RIFF: [UInt8] = [
    0x72, 0x69, 0x66, 0x66, 0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB, 0x04, 0xC1, 0x00, 0x00,
  ]
  private static let wave64WAVE: [UInt8] = [
    0x77, 0x61, 0x76, 0x65, 0xF3, 0xAC, 0xD3, 0x11, 0x8C, 0xD1, 0x00, 0xC0, 0x4F, 0x8E, 0xDB, 0x8A,
  ]

  /// Whether a WAV file begins there.
  static func probe(_ window: ByteWindow, start: Int64) -> ProbeAnswer {
    guard window.settles(start, count: 40) else { return .more(count: 40) }
    return form(window, at: start) == nil ? .no : .certain
  }
}
