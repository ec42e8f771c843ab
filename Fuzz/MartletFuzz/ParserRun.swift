internal import AudioModel
internal import Containers

/// Drives a parser over bytes as a reader of files or of a network would, and traps where it breaks its contract.
struct ParserRun {
  /// What came of it: facts and packets in order, at last the end or an error.
  enum Step: Hashable {
    case facts(StreamFacts)
    case packet(Packet)
    case assembled(Packet, [UInt8])
    case end
    case failed(AudioError.Code)
  }

  private var parser: any ContainerParser
  private var feed: ByteFeed
  private var hasFacts = false

  init(_ parser: any ContainerParser, _ bytes: UnsafeRawBufferPointer, chunk: Int, knowsLength: Bool, isCheap: Bool) {
    self.parser = parser
    feed = ByteFeed(bytes, chunk: chunk, knowsLength: knowsLength, isCheap: isCheap)
  }

  /// Goes on to the end.
  mutating func steps() -> [Step] {
    var steps: [Step] = []
    // No input may keep a parser busy for ever: it gets a number of calls that depends on the input's size.
    for _ in 0..<64 * feed.bytes.count + 4096 {
      do throws(AudioError) {
        switch try parser.next(in: feed.window) {
        case .need(let request):
          feed.satisfy(request)
        case .facts(let facts):
          hasFacts = true
          steps.append(.facts(facts))
        case .packet(let packet):
          precondition(hasFacts, "a packet before any facts")
          precondition(packet.byteCount > 0 && packet.frameCount >= 0)
          precondition(feed.window.contains(packet.position, count: packet.byteCount), "a packet outside the window")
          steps.append(.packet(packet))
        case .assembled(let packet, let bytes):
          precondition(hasFacts, "a packet before any facts")
          precondition(!bytes.isEmpty && bytes.count <= ByteRequest.limit && packet.frameCount >= 0)
          steps.append(.assembled(packet, bytes))
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
    guard case .at(let position, _) = parser.seek(to: frame, sourceIsCheap: sourceIsCheap) else { return }
    precondition(position >= 0)
    feed.restart(at: position)
  }
}
