public import AudioModel

/// A parser that bytes are pushed into, as they come from a network or a file, and that packets are taken out of: the
/// job of AudioFileStream.
///
/// It finds out the container by itself, holds a bounded stretch of bytes, and does no input. Bytes may come in pieces of
/// any size; the answers are the same.
///
/// ```swift
/// var stream = PacketStream(fileExtension: "mp3", sourceLength: response.contentLength)
/// for piece in response.pieces {
///   var rest = piece[...]
///   repeat {
///     rest = rest.dropFirst(stream.append(rest))    // takes less when it is full: take packets out first
///     taking: while true {
///       switch try stream.next() {
///       case .facts(let facts): print(facts.codec, facts.format, stream.duration ?? "how long is not known")
///       case .packet(let packet, let bytes): decoder.decode(bytes, from: packet.frame)
///       case .needs: break taking                   // whoever can, jumps to where they are: see `jump(to:)`
///       case .end: return
///       }
///     }
///   } while !rest.isEmpty
/// }
/// stream.finish()                                   // and take out what is left, up to `.end`
/// ```
public struct PacketStream {
  /// What comes out.
  public enum Event: Hashable, Sendable {
    /// Nothing more without bytes from `position` on. Where that is not ``PacketStream/position``, the caller may
    /// ``PacketStream/jump(to:)`` there, or, if it lies ahead, go on appending: what is not wanted is passed over. What
    /// lies behind takes a jump; it is never wanted where ``Jumping/impossible`` was said.
    case needs(position: Int64)
    /// What the stream is; comes before the first packet, and again when more is known.
    case facts(StreamFacts)
    /// A packet and its bytes.
    case packet(Packet, [UInt8])
    /// Nothing follows.
    case end
  }

  /// What the caller can do.
  public enum Jumping: Hashable, Sendable {
    /// Nothing but go on: a pipe, a live stream.
    case impossible
    /// Jump, by a request that takes time.
    case request
    /// Jump at no cost: a file. The end may be wanted before the first packet.
    case cheap
  }

  /// Where a seek leads.
  public struct SeekOffset: Hashable, Sendable {
    /// The first byte that is wanted next.
    public var position: Int64
    /// Which frame is there was reckoned from a bit rate or the like; frames of the packets that follow are reckoned too.
    public var isEstimated: Bool
  }

  /// Bytes that are taken ahead of what the parser wants: 256 KiB. A parser may want up to ``ByteRequest/limit`` at a
  /// time, so that no more than both is ever held.
  public static let lookAhead = 256 << 10

  private let jumping: Jumping
  private var prober: Prober
  /// The parser of what was found.
  private var parser: (any ContainerParser)?
  private var window: ByteWindow
  private var wanted = ByteRequest(position: 0, count: 1)
  private var lastAtEnd: ByteRequest?
  private var failure: AudioError?
  private var tally = Tally()

  /// What the stream is, once that was said.
  public private(set) var facts: StreamFacts?

  /// Makes a stream.
  /// - Parameters:
  ///   - fileExtension: Of the source's name, without the dot; a hint that chooses where content leaves it open.
  ///   - mediaType: As a server states it; a hint too.
  ///   - sourceLength: Number of bytes of the whole source; `nil` if not known.
  ///   - jumping: What the caller can do when bytes elsewhere are wanted.
  ///   - registrations: The formats to look for.
  public init(
    fileExtension: String = "", mediaType: String = "", sourceLength: Int64? = nil, jumping: Jumping = .impossible,
    registrations: [ContainerRegistration] = ContainerRegistration.builtIn
  ) {
    self.jumping = jumping
    prober = Prober(registrations: registrations, fileExtension: fileExtension, mediaType: mediaType)
    window = ByteWindow(sourceLength: sourceLength)
    window.sourceIsCheap = jumping == .cheap
  }

  // MARK: Bytes

  /// The position, counted from the start of the source, that the next byte to be appended has.
  public var position: Int64 { window.end }

  /// Number of bytes that are held.
  public var heldBytes: Int { window.count }

  /// Takes the bytes at ``position``.
  /// - Returns: How many were taken. Fewer than all means that it is full: take events out by ``next()`` until it says
  ///   ``Event/needs(position:)``, and append the rest; then it takes at least one.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard !window.isEnd else { return bytes.count }
    let passed = min(bytes.count, Int(clamping: wanted.position - window.end))
    if passed > 0 { window.restart(at: window.end + Int64(passed)) }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[max(passed, 0)...])
    let taken = min(rest.count, max(0, wanted.count + Self.lookAhead - window.count))
    window.append(UnsafeRawBufferPointer(rebasing: rest[..<taken]))
    return max(passed, 0) + taken
  }

  /// Takes the bytes at ``position``.
  /// - Returns: How many were taken, see ``append(_:)-(UnsafeRawBufferPointer)``.
  public mutating func append(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.withUnsafeBytes { append($0) }
  }

  /// Says that the source ends at ``position``. What is appended from here on is passed over, until a jump.
  public mutating func finish() { window.markEnd() }

  /// Says that the next bytes to be appended are those at `position`; bytes that are held are dropped unless they reach
  /// to it.
  public mutating func jump(to position: Int64) {
    guard position != window.end || window.isEnd else { return }
    window.restart(at: max(0, position))
    lastAtEnd = nil
    if let length = window.sourceLength, position >= length { window.markEnd() }
  }

  // MARK: Events

  /// The next event.
  /// - Throws: 3xxx where the source is no audio, or none that is read here, or can't be read on;
  ///   ``AudioModel/AudioError/Code/notSeekable`` where bytes are wanted that have passed and the caller can't jump. The
  ///   same again when called again.
  public mutating func next() throws(AudioError) -> Event {
    if let failure { throw failure }
    do throws(AudioError) {
      return try step()
    } catch {
      failure = error
      throw error
    }
  }

  private mutating func step() throws(AudioError) -> Event {
    while true {
      switch try advance() {
      case .need(let request):
        if try !isAtHand(request) {
          // What is held goes on where it ends.
          let isHeld = wanted.position >= window.start && wanted.position <= window.end
          return .needs(position: isHeld ? window.end : wanted.position)
        }
        if request == lastAtEnd { return .end }
        lastAtEnd = request
      case .facts(let facts):
        self.facts = facts
        return .facts(facts)
      case .packet(let packet):
        guard let bytes = window.bytes(packet.position, count: packet.byteCount) else {
          throw AudioError(.damagedPacket, "A packet is cut off", recovery: .conceal)
        }
        tally.add(packet)
        return .packet(packet, bytes)
      case .assembled(let packet, let bytes):
        tally.add(packet)
        return .packet(packet, bytes)
      case .end: return .end
      }
    }
  }

  private mutating func advance() throws(AudioError) -> ParserStep {
    if parser == nil {
      switch try prober.next(in: window) {
      case .need(let request): return .need(request)
      case .found(let registration, let start, let tags): parser = registration.makeParser(start, tags)
      case .foreign(let name, _): throw AudioError(.unsupportedContainer, "There is no parser for \(name) here")
      case .unknown: throw AudioError(.unrecognized, "The input is no audio that is known here")
      }
    }
    return try parser?.next(in: window) ?? .end
  }

  /// Makes ready for the bytes of a wish.
  /// - Returns: Whether they are there, or as many as the source has.
  private mutating func isAtHand(_ request: ByteRequest) throws(AudioError) -> Bool {
    wanted = ByteRequest(position: max(0, request.position), count: min(max(1, request.count), ByteRequest.limit))
    if wanted.position < window.start {
      guard jumping != .impossible else {
        throw AudioError(.notSeekable, "The input would have to be read again from an earlier place")
      }
      return false
    }
    if let length = window.sourceLength, wanted.position >= length, !window.isEnd { jump(to: wanted.position) }
    window.discard(before: wanted.position)
    return window.settles(wanted.position, count: wanted.count)
  }

  // MARK: Seeking and estimates

  /// Goes on elsewhere: packets from there on follow, the first marked discontinuous, from as far before the frame as a
  /// decoder needs.
  /// - Parameter frame: On the trimmed timeline, not negative.
  /// - Throws: ``AudioModel/AudioError/Code/notSeekable`` before ``facts`` are known, and where the stream can't be
  ///   sought.
  public mutating func seek(toFrame frame: Int64) throws(AudioError) -> SeekOffset {
    let sourceIsCheap = jumping == .cheap
    guard facts != nil, jumping != .impossible,
      case .at(let position, let isExact)? = parser?.seek(to: max(0, frame), sourceIsCheap: sourceIsCheap)
    else { throw AudioError(.notSeekable, "The stream can't be sought") }
    failure = nil
    lastAtEnd = nil
    wanted = ByteRequest(position: position, count: 1)
    return SeekOffset(position: position, isEstimated: !isExact)
  }

  /// Bits per second: as the container states it, else measured over the packets so far; `nil` before the first.
  public var bitRate: Int? {
    guard let facts else { return nil }
    let framesPerSecond = Double(facts.format.sampleRate.hertz)
    return facts.bitRate ?? tally.bytesPerFrame.flatMap { Int(exactly: ($0 * 8 * framesPerSecond).rounded()) }
  }

  /// How long it plays: as the container states it, else reckoned from the length of the source and the packets so far.
  public var duration: MediaDuration? {
    guard let facts else { return nil }
    if let known = facts.duration { return known }
    guard let length = window.sourceLength, let rate = tally.bytesPerFrame, let start = tally.start,
      let frames = Int64(exactly: (Double(max(0, length - start)) / rate).rounded())
    else { return nil }
    return MediaDuration(frames: frames, isExact: false)
  }

  /// What the packets so far amount to.
  private struct Tally {
    private var bytes = 0.0
    private var frames = 0.0
    private(set) var start: Int64?

    var bytesPerFrame: Double? { bytes > 0 && frames > 0 ? bytes / frames : nil }

    mutating func add(_ packet: Packet) {
      start = min(start ?? packet.position, packet.position)
      bytes += Double(packet.byteCount)
      frames += Double(packet.frameCount)
    }
  }
}
