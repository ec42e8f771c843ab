import AudioModel
import Containers
import Testing

/// Drives probers and parsers over bytes in memory, `chunk` bytes at a time, and watches how they behave.
struct MemoryFeed {
  let bytes: [UInt8]
  var window: ByteWindow
  private let chunk: Int
  /// Jumps: requests that did not go on where the window ends.
  private(set) var jumps = 0
  /// Bytes that were put into the window.
  private(set) var fed = 0
  private var last: ByteRequest?
  private var repeats = 0

  init(_ bytes: [UInt8], chunk: Int = 1 << 20, isCheap: Bool = false, tellsLength: Bool = true) {
    self.bytes = bytes
    self.chunk = chunk
    window = ByteWindow(start: 0, sourceLength: tellsLength ? Int64(bytes.count) : nil)
    window.sourceIsCheap = isCheap
  }

  /// Grants a wish by one chunk. A wish that is repeated though all of the source is there would never end.
  mutating func serve(_ request: ByteRequest) throws {
    try #require((1...ByteRequest.limit).contains(request.count) && request.position >= 0)
    repeats = request == last && window.isEnd ? repeats + 1 : 0
    last = request
    try #require(repeats < 3, "The same wish again and again: \(request)")
    if request.position < window.start || request.position > window.end {
      window.restart(at: request.position)
      jumps += 1
    } else {
      window.discard(before: request.position)
    }
    let from = Int(min(window.end, Int64(bytes.count)))
    let piece = bytes[from..<min(from + chunk, bytes.count)]
    piece.withUnsafeBytes { window.append($0) }
    fed += piece.count
    if window.end >= Int64(bytes.count) { window.markEnd() }
  }

  /// What is found at the beginning.
  mutating func probe(extension name: String = "", mediaType: String = "") throws -> Prober.Step {
    var prober = Prober(registrations: ContainerRegistration.builtIn, fileExtension: name, mediaType: mediaType)
    while true {
      let step = try prober.next(in: window)
      guard case .need(let request) = step else { return step }
      try serve(request)
    }
  }

  /// The parser's next answer that is no wish.
  mutating func next(_ parser: inout some ContainerParser) throws -> ParserStep {
    while true {
      let step = try parser.next(in: window)
      guard case .need(let request) = step else {
        if case .packet(let packet) = step {
          try #require(window.contains(packet.position, count: packet.byteCount))
        }
        return step
      }
      try serve(request)
    }
  }

  /// All answers up to the end.
  mutating func all(_ parser: inout some ContainerParser, limit: Int = 200_000) throws -> [ParserStep] {
    var steps: [ParserStep] = []
    while steps.count < limit {
      let step = try next(&parser)
      if step == .end { return steps }
      steps.append(step)
    }
    Issue.record("There is no end")
    return steps
  }

  /// All answers of the parser that is found.
  mutating func all(extension name: String = "") throws -> [ParserStep] {
    guard case .found(let registration, let start, let tags) = try probe(extension: name) else { return [] }
    return try all(of: registration.makeParser(start, tags))
  }

  private mutating func all(of parser: some ContainerParser) throws -> [ParserStep] {
    var parser = parser
    return try all(&parser)
  }
}

extension [ParserStep] {
  var packets: [Packet] {
    compactMap {
      switch $0 {
      case .packet(let packet), .assembled(let packet, _): packet
      default: nil
      }
    }
  }
  var facts: [StreamFacts] { compactMap { if case .facts(let facts) = $0 { facts } else { nil } } }
  /// Frames of all packets.
  var frames: Int { packets.reduce(0) { $0 + $1.frameCount } }
}
