internal import AudioModel
internal import Containers

/// Drives a parser over bytes as a reader of files or of a network would, and traps where it breaks its contract.
struct ParserRun {
  /// What came of it: facts and packets in order, at last the end or an error.
  enum Step: Hashable {
    case facts(StreamFacts)
    case packet(Packet)
    case end
    case failed(AudioError.Code)
  }

  private let bytes: UnsafeRawBufferPointer
  private let chunk: Int
  private var window: ByteWindow
  private var parser: any ContainerParser

  /// - Parameters:
  ///   - chunk: How many bytes come at a time.
  ///   - knowsLength: Whether the source says how long it is.
  init(_ parser: any ContainerParser, _ bytes: UnsafeRawBufferPointer, chunk: Int, knowsLength: Bool) {
    self.parser = parser
    self.bytes = bytes
    self.chunk = chunk
    window = ByteWindow(sourceLength: knowsLength ? Int64(bytes.count) : nil)
  }

  /// Goes on to the end.
  mutating func steps() -> [Step] {
    var steps: [Step] = []
    var hasFacts = false
    // No input may keep a parser busy for ever: it gets a number of calls that depends on the input's size.
    for _ in 0..<64 * bytes.count + 4096 {
      do throws(AudioError) {
        switch try parser.next(in: window) {
        case .need(let request):
          satisfy(request)
        case .facts(let facts):
          hasFacts = true
          steps.append(.facts(facts))
        case .packet(let packet):
          precondition(hasFacts, "a packet before any facts")
          precondition(packet.byteCount > 0 && packet.frameCount >= 0)
          precondition(window.contains(packet.position, count: packet.byteCount), "a packet outside the window")
          steps.append(.packet(packet))
        case .end:
          return steps + [.end]
        }
      } catch {
        return steps + [.failed(error.code)]
      }
    }
    preconditionFailure("it does not end")
  }

  /// Seeks, as far as the parser can, and puts the window there.
  mutating func seek(to frame: Int64, sourceIsCheap: Bool) {
    if case .at(let position, _) = parser.seek(to: frame, sourceIsCheap: sourceIsCheap) {
      precondition(position >= 0)
      window.restart(at: position)
      markEnd()
    }
  }

  private mutating func satisfy(_ request: ByteRequest) {
    precondition(request.position >= 0 && (1...ByteRequest.limit).contains(request.count))
    precondition(!window.contains(request.position, count: request.count), "it has what it wants")
    precondition(!(window.isEnd && request.position >= window.start), "it wants what is behind the end")
    if request.position < window.start || request.position > window.end {
      window.restart(at: request.position)
    } else {
      window.discard(before: request.position)
    }
    markEnd()
    while !window.isEnd && !window.contains(request.position, count: request.count) {
      let rest = bytes[Int(window.end)...]
      window.append(UnsafeRawBufferPointer(rebasing: rest.prefix(chunk)))
      markEnd()
    }
  }

  private mutating func markEnd() {
    if window.end >= bytes.count { window.markEnd() }
  }
}

extension FuzzTarget {
  /// A parser: any chunking gives the same answers, a missing length does no harm, and neither does seeking.
  static func parser(
    _ name: String, seeds: @escaping @Sendable () -> [[UInt8]],
    _ makeParser: @escaping @Sendable () -> any ContainerParser
  ) -> FuzzTarget {
    FuzzTarget(name: name, seeds: seeds) { bytes in
      var whole = ParserRun(makeParser(), bytes, chunk: max(1, bytes.count), knowsLength: true)
      let steps = whole.steps()
      var small = ParserRun(makeParser(), bytes, chunk: 1 + bytes.count % 7, knowsLength: true)
      precondition(small.steps() == steps, "it depends on the chunking")
      var endless = ParserRun(makeParser(), bytes, chunk: 997, knowsLength: false)
      _ = endless.steps()
      for (frame, isCheap) in [(Int64(0), true), (1153, false), (1153, true), (.max, true)] {
        whole.seek(to: frame, sourceIsCheap: isCheap)
        _ = whole.steps()
      }
    }
  }
}
