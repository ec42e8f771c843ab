import AudioModel
import Containers
import MartletTestSupport
import Testing

@Suite struct PacketStreamTests {
  private let wav = MediaFixtures.WAV().file((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
  private let mp3 = MediaFixtures.id3v2([("TIT2", "a")], padding: 100) + MPEGFixture().variable(frames: 300, seed: 3)

  /// Feeds a stream until it says that it is over, going where it wishes if it may.
  private struct Feeder {
    let bytes: [UInt8]
    let piece: Int
    var stream: PacketStream
    var most = 0

    init(_ bytes: [UInt8], piece: Int, _ jumping: PacketStream.Jumping, tellsLength: Bool = true) {
      self.bytes = bytes
      self.piece = piece
      stream = PacketStream(sourceLength: tellsLength ? Int64(bytes.count) : nil, jumping: jumping)
    }

    mutating func next() throws -> PacketStream.Event {
      while true {
        let event = try stream.next()
        guard case .needs(let position) = event else { return event }
        // Only far jumps: a few bytes ahead are read as quickly.
        if position < stream.position || position > stream.position + 1000 { stream.jump(to: position) }
        let rest = bytes[min(Int(stream.position), bytes.count)...].prefix(piece)
        if rest.isEmpty { stream.finish() } else { try #require(stream.append(rest) > 0) }
        most = max(most, stream.heldBytes)
      }
    }

    mutating func all() throws -> [PacketStream.Event] {
      var events: [PacketStream.Event] = []
      while case let event = try next(), event != .end { events.append(event) }
      return events
    }
  }

  private func packets(_ events: [PacketStream.Event]) -> [Packet] {
    events.compactMap { if case .packet(let packet, _) = $0 { packet } else { nil } }
  }

  @Test(arguments: [PacketStream.Jumping.impossible, .request, .cheap], [true, false])
  func piecesOfAnySizeGiveTheSame(jumping: PacketStream.Jumping, tellsLength: Bool) throws {
    for bytes in [wav, mp3] {
      var feed = MemoryFeed(bytes, isCheap: jumping == .cheap, tellsLength: tellsLength)
      let expected = try feed.all()
      for piece in [1, 7, 4096, bytes.count] {
        var feeder = Feeder(bytes, piece: piece, jumping, tellsLength: tellsLength)
        let events = try feeder.all()
        #expect(packets(events) == expected.packets)
        #expect(events.compactMap { if case .facts(let facts) = $0 { facts } else { nil } } == expected.facts)
        #expect(feeder.stream.facts == expected.facts.last)
        for case .packet(let packet, let found) in events {
          let wanted = bytes[Int(packet.position)..<Int(packet.position) + packet.byteCount]
          if !wanted.elementsEqual(found) { Issue.record("other bytes at \(packet.position)") }
        }
        #expect(try feeder.next() == .end)
      }
    }
  }

  @Test func isFullAtItsLimitAndTakesTheRestLater() throws {
    let bytes = MPEGFixture().constant(frames: 3000)
    var stream = PacketStream(sourceLength: Int64(bytes.count))
    var rest = bytes[...]
    var found: [Packet] = []
    while !rest.isEmpty {
      let taken = stream.append(rest)
      #expect(stream.heldBytes <= PacketStream.lookAhead + ByteRequest.limit)
      try #require(taken > 0 && taken <= PacketStream.lookAhead + 65_536)
      rest = rest.dropFirst(taken)
      if !rest.isEmpty { #expect(stream.append(rest) == 0) }
      taking: while true {
        switch try stream.next() {
        case .packet(let packet, _): found.append(packet)
        case .facts: break
        case .needs, .end: break taking
        }
      }
    }
    stream.finish()
    while case .packet(let packet, _) = try stream.next() { found.append(packet) }
    #expect(found.count == 3000)
  }

  @Test func whatIsAheadMayBePassedOver() throws {
    // A chunk of a megabyte between format and data: whoever can't jump appends it, and nothing of it is kept.
    var bytes = Array(MediaFixtures.WAV().file([UInt8](repeating: 1, count: 1000)))
    let data = try #require((0..<bytes.count).first { bytes[$0...].starts(with: "data".utf8) })
    bytes.insert(contentsOf: Array("junk".utf8) + [0, 0, 16, 0] + [UInt8](repeating: 0, count: 1 << 20), at: data)
    for jumping in [PacketStream.Jumping.impossible, .request] {
      var feeder = Feeder(bytes, piece: 5000, jumping)
      #expect(packets(try feeder.all()).first?.position == Int64(data + 8 + 1 << 20 + 8) || jumping == .impossible)
      #expect(feeder.most < PacketStream.lookAhead)
    }
  }

  @Test func seeksLeadToTheFrame() throws {
    for bytes in [wav, mp3] {
      var feeder = Feeder(bytes, piece: 1000, .request)
      #expect(throws: AudioError(.notSeekable, "The stream can't be sought")) { try feeder.stream.seek(toFrame: 0) }
      let all = packets(try feeder.all())
      for target in [9000, 100, 20_000, 0] as [Int64] {
        let offset = try feeder.stream.seek(toFrame: target)
        #expect(offset.position < Int64(bytes.count))
        guard case .packet(let packet, _) = try feeder.next() else {
          Issue.record("no packet")
          continue
        }
        #expect(packet.isDiscontinuous && packet.frame <= max(target, 0))
        #expect(offset.position <= packet.position)
        if bytes.count == wav.count {
          let bytesPerFrame = Int64(all[0].byteCount / all[0].frameCount)
          #expect(!offset.isEstimated && packet.frame + Int64(packet.frameCount) > target)
          #expect(packet.position == all[0].position + packet.frame * bytesPerFrame)
        } else if !offset.isEstimated {
          #expect(all.contains { $0.position == packet.position && $0.frame == packet.frame })
        }
      }
    }
    var pipe = Feeder(wav, piece: 1000, .impossible)
    _ = try pipe.next()
    #expect(throws: AudioError(.notSeekable, "The stream can't be sought")) { try pipe.stream.seek(toFrame: 0) }
  }

  @Test func estimatesComeFromThePacketsWhereNothingIsStated() throws {
    var feeder = Feeder(wav, piece: 1000, .request)
    #expect(feeder.stream.bitRate == nil && feeder.stream.duration == nil)
    _ = try feeder.next()
    #expect(feeder.stream.duration == feeder.stream.facts?.duration && feeder.stream.bitRate != nil)
    // A format of the test's own that states nothing: a byte a frame.
    let registration = ContainerRegistration(
      name: "plain", extensions: [], mediaTypes: [], probe: { _, _ in .certain }, makeParser: { _, _ in Plain() })
    var plain = PacketStream(sourceLength: 10_000, registrations: [registration])
    _ = plain.append([UInt8](repeating: 5, count: 5000)[...])
    _ = try plain.next()
    #expect(plain.bitRate == nil && plain.duration == nil)
    _ = try plain.next()
    #expect(plain.bitRate == 64_000)
    #expect(plain.duration == MediaDuration(frames: 10_000, isExact: false))
  }

  @Test func failuresStay() throws {
    var stream = PacketStream()
    _ = stream.append(Array("<!DOCTYPE html><html>".utf8)[...])
    stream.finish()
    for _ in 0..<2 {
      #expect(throws: AudioError(.unrecognized, "This is an HTML page, not audio")) { try stream.next() }
    }
    #expect(stream.append([1, 2, 3]) == 3)
  }

  @Test func whatLiesBehindTakesAJump() throws {
    let registration = ContainerRegistration(
      name: "backward", extensions: [], mediaTypes: [], probe: { _, _ in .certain },
      makeParser: { _, _ in Backward() })
    for jumping in [PacketStream.Jumping.impossible, .request] {
      var stream = PacketStream(jumping: jumping, registrations: [registration])
      #expect(stream.append([UInt8](repeating: 1, count: 5000)[...]) == 5000)
      #expect(try stream.next() == .needs(position: 6000))
      #expect(stream.append([UInt8](repeating: 1, count: 2000)[...]) == 2000)
      #expect(stream.heldBytes == 1000)
      #expect(try stream.next() == .facts(Self.facts))
      guard jumping == .request else {
        #expect(throws: AudioError.self) { try stream.next() }
        continue
      }
      #expect(try stream.next() == .needs(position: 10))
      stream.jump(to: 10)
      #expect(stream.append([7, 8]) == 2)
      #expect(try stream.next() == .packet(Packet(position: 10, byteCount: 1, frame: 0, frameCount: 1), [7]))
    }
  }

  private static let facts = StreamFacts(
    container: "test", codec: .pcm, format: PCMFormat(sampleRate: SampleRate(hertz: 8000)!, layout: .mono))

  private struct Plain: ContainerParser {
    var position: Int64 = 0
    var hasFacts = false

    mutating func next(in window: ByteWindow) throws(AudioError) -> ParserStep {
      guard hasFacts else {
        hasFacts = true
        return .facts(PacketStreamTests.facts)
      }
      guard window.contains(position, count: 100) else { return .need(ByteRequest(position: position, count: 100)) }
      defer { position += 100 }
      return .packet(Packet(position: position, byteCount: 100, frame: position, frameCount: 100))
    }

    mutating func seek(to frame: Int64, sourceIsCheap: Bool) -> ParserSeek { .impossible }
  }

  private struct Backward: ContainerParser {
    var step = 0

    mutating func next(in window: ByteWindow) throws(AudioError) -> ParserStep {
      if step == 0 {
        guard window.contains(6000, count: 1) else { return .need(ByteRequest(position: 6000, count: 1)) }
        step = 1
        return .facts(PacketStreamTests.facts)
      }
      guard window.contains(10, count: 1) else { return .need(ByteRequest(position: 10, count: 1)) }
      return .packet(Packet(position: 10, byteCount: 1, frame: 0, frameCount: 1))
    }

    mutating func seek(to frame: Int64, sourceIsCheap: Bool) -> ParserSeek { .impossible }
  }
}
