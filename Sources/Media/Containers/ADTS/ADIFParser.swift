import AudioModel

/// Reads AAC behind a single header, ADIF. Source: ISO/IEC 13818-7 §6.1, ISO/IEC 14496-3 §1.A.2.1.
///
/// Nothing says where a block ends but decoding it. All blocks so are one packet, which the decoder takes apart; longer
/// streams than that are refused.
struct ADIFParser: ContainerParser {
  /// Longest stream of blocks: about two minutes.
  static let limit = 2 << 20
  /// Bytes of a header that are looked at: it has 16 elements of at most 300 bytes.
  private static let headerLimit = 5 << 10

  private enum State {
    case header, facts, packet, end
  }

  private let start: Int64
  private let tags: TagSet
  private var state = State.header
  private var body: Int64 = 0
  private var facts: StreamFacts?

  /// Makes a parser for a stream whose header is at `start`.
  init(start: Int64, leading: TagSet) {
    self.start = start
    tags = leading
  }

  mutating func next(in window: ByteWindow) throws(AudioError) -> ParserStep {
    while true {
      switch state {
      case .header:
        guard window.settles(start, count: Self.headerLimit) else {
          return .need(ByteRequest(position: start, count: Self.headerLimit))
        }
        try readHeader(window)
        state = .facts
      case .facts:
        guard var facts else { throw Self.malformed }
        if let length = window.sourceLength, let bitRate = facts.bitRate, bitRate > 0 {
          // A constant rate, or the highest of a varying one.
          let seconds = Double(max(length - body, 0)) * 8 / Double(bitRate)
          facts.duration = MediaDuration(frames: facts.format.sampleRate.frames(seconds), isExact: false)
        }
        self.facts = facts
        state = .packet
        return .facts(facts)
      case .packet:
        guard window.settles(body, count: Self.limit + 1) else {
          return .need(ByteRequest(position: body, count: Self.limit + 1))
        }
        let count = window.available(body, limit: Self.limit + 1)
        guard count <= Self.limit else {
          throw AudioError(.limitReached, "AAC with an ADIF header is read up to \(Self.limit >> 20) MiB only")
        }
        state = .end
        guard count > 0 else { continue }
        // Only the decoder knows how many frames there are.
        return .packet(Packet(position: body, byteCount: count, frame: 0, frameCount: 0, isDiscontinuous: true))
      case .end:
        return .end
      }
    }
  }

  mutating func seek(to frame: Int64, sourceIsCheap: Bool) -> ParserSeek {
    guard facts != nil else { return .at(position: start, isExact: true) }
    state = .packet
    return .at(position: body, isExact: true)
  }

  private mutating func readHeader(_ window: ByteWindow) throws(AudioError) {
    let bytes = window.bytes(start, count: window.available(start, limit: Self.headerLimit)) ?? []
    var reader = BitReader(bytes)
    reader.skip(32)
    if reader.flag() { reader.skip(72) }
    // Two flags of no interest, then whether the bit rate varies.
    reader.skip(2)
    let isVariable = reader.flag()
    let bitRate = reader.read(23)
    var element: ProgramConfiguration?
    for _ in 0...reader.read(4) {
      if !isVariable { reader.skip(20) }
      let next = ProgramConfiguration(&reader)
      element = element ?? next
    }
    reader.align()
    guard !reader.isExhausted, let element, AudioSpecificConfig.rates.indices.contains(element.rateIndex),
      let rate = SampleRate(hertz: AudioSpecificConfig.rates[element.rateIndex]),
      let layout = ChannelLayout(count: element.channels)
    else { throw Self.malformed }
    body = start + Int64(reader.position / 8)
    var facts = StreamFacts(container: "adif", codec: .aac, format: PCMFormat(sampleRate: rate, layout: layout))
    facts.bitRate = bitRate > 0 ? bitRate : nil
    facts.decoderConfiguration = AudioSpecificConfig.bytes(
      objectType: element.profile + 1, rateIndex: element.rateIndex, channelConfiguration: 0, element: element)
    facts.take(tags)
    self.facts = facts
  }

  private static let malformed = AudioError(.malformed, "The ADIF header is broken")

  /// Whether an ADIF header begins there.
  static func probe(_ window: ByteWindow, start: Int64) -> ProbeAnswer {
    guard window.settles(start, count: 4) else { return .more(count: 4) }
    return window.matches("ADIF", at: start) ? .certain : .no
  }
}
