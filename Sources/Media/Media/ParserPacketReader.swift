internal import AudioModel
internal import ByteSource
internal import Containers

/// Drives a parser over a source: the packets of containers that are our own.
final class ParserPacketReader: PacketReader {
  private(set) var facts: StreamFacts
  private var parser: any ContainerParser
  private let input: WindowedSource
  private var current = Packet(position: 0, byteCount: 0, frame: 0, frameCount: 0)
  /// The bytes of ``current`` where they do not lie in the window.
  private var assembled: [UInt8]?

  /// Reads as far as the parser needs to say what the stream is.
  init(_ parser: any ContainerParser, input: WindowedSource) throws(AudioError) {
    self.parser = parser
    self.input = input
    guard case .facts(let facts) = try Self.step(&self.parser, input) else {
      throw AudioError(.noAudio, "There is no audio in the file")
    }
    self.facts = facts
  }

  func nextPacket() throws(AudioError) -> Packet? {
    while true {
      switch try Self.step(&parser, input) {
      case .packet(let packet):
        current = packet
        assembled = nil
        return packet
      case .assembled(let packet, let bytes):
        current = packet
        assembled = bytes
        return packet
      case .facts(let better): facts = better
      case .end, .need: return nil
      }
    }
  }

  func withPacketBytes(
    _ body: (UnsafeRawBufferPointer) throws(AudioError) -> Void
  ) throws(AudioError) {
    if let assembled {
      return try assembled.withUnsafeBufferPointer { bytes throws(AudioError) in
        try body(UnsafeRawBufferPointer(bytes))
      }
    }
    let done: Void? = try input.window.withBytes(current.position, count: current.byteCount, body)
    if done == nil { throw AudioError(.damagedPacket, "A packet is cut off", recovery: .conceal) }
  }

  func seek(to frame: Int64) throws(AudioError) -> Bool {
    // A pipe stays where it is, and so must the parser.
    let before = parser
    switch parser.seek(to: max(frame, 0), sourceIsCheap: input.facts.seeking == .cheap) {
    case .at(let position, let isExact):
      do throws(AudioError) {
        try input.provide(ByteRequest(position: position, count: 1))
      } catch {
        if error.code == .notSeekable { parser = before }
        throw error
      }
      return isExact
    case .impossible: throw AudioError(.notSeekable, "The input can't be sought")
    }
  }

  /// The parser's next answer that is no wish for bytes. A wish that the end of the source leaves open is granted once;
  /// repeated, it is an end.
  private static func step(
    _ parser: inout any ContainerParser, _ input: WindowedSource
  ) throws(AudioError) -> ParserStep {
    var last: ByteRequest?
    while true {
      let step = try parser.next(in: input.window)
      guard case .need(let request) = step else { return step }
      if request == last && input.window.isEnd { return .end }
      last = request
      try input.provide(request)
    }
  }
}
