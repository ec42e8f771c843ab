internal import AudioModel
internal import Containers

extension FuzzTarget {
  /// The push parser: pieces of any size give the same events, and seeks between them do no harm. The first four bytes
  /// choose what the caller can do, how pieces are cut, and where it seeks.
  static let stream = FuzzTarget(
    name: "stream",
    seeds: {
      ContainerRegistration.builtIn.enumerated().flatMap { number, registration in
        Seeds.container(registration.name).enumerated().map { index, seed in
          [UInt8(truncatingIfNeeded: index), UInt8(truncatingIfNeeded: number), 7, 1] + seed
        }
      }
    }
  ) { bytes in
    guard bytes.count > 4 else { return }
    let source = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(4))
    var random = PieceGenerator(state: UInt64(bytes.loadUnaligned(as: UInt32.self)))
    let jumping = [PacketStream.Jumping.impossible, .request, .cheap][Int(bytes[0] % 3)]
    let knowsLength = bytes[0] & 0x80 == 0
    var whole = StreamRun(source, jumping: jumping, knowsLength: knowsLength, random: nil)
    var pieces = StreamRun(source, jumping: jumping, knowsLength: knowsLength, random: random)
    let (events, others) = (whole.events(seeks: 0), pieces.events(seeks: 0))
    if events != others {
      let count = zip(events, others).prefix { $0 == $1 }.count
      print("step \(count) in pieces:", others.dropFirst(count).first ?? "none")
      print("step \(count) at once:  ", events.dropFirst(count).first ?? "none")
      preconditionFailure("it depends on the pieces")
    }
    _ = random.next()
    var sought = StreamRun(source, jumping: jumping, knowsLength: knowsLength, random: random)
    _ = sought.events(seeks: 8)
  }
}

/// Numbers that a seed decides.
private struct PieceGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    // Steele, Lea and Flood's SplitMix64.
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

/// Pushes bytes into a stream as a caller would, and traps where it breaks its contract.
private struct StreamRun {
  enum Step: Hashable {
    case event(PacketStream.Event)
    case failed(AudioError.Code)
  }

  private let bytes: UnsafeRawBufferPointer
  private let jumping: PacketStream.Jumping
  private var stream: PacketStream
  /// `nil`: all bytes at once.
  private var random: PieceGenerator?
  private var hasFacts = false
  /// The next packet is the first behind a seek.
  private var isSought = false
  private var seeksLeft = 0

  init(
    _ bytes: UnsafeRawBufferPointer, jumping: PacketStream.Jumping, knowsLength: Bool, random: PieceGenerator?
  ) {
    self.bytes = bytes
    self.jumping = jumping
    self.random = random
    stream = PacketStream(sourceLength: knowsLength ? Int64(bytes.count) : nil, jumping: jumping)
  }

  /// Goes on to the end, with so many seeks on the way.
  mutating func events(seeks: Int) -> [Step] {
    seeksLeft = seeks
    var steps: [Step] = []
    for _ in 0..<(seeks + 1) * (64 * bytes.count + 4096) {
      do throws(AudioError) {
        switch try stream.next() {
        case .needs(let position): provide(position)
        case .end:
          guard seeksLeft > 0, seek() else { return steps + [.event(.end)] }
        case let event:
          check(event)
          steps.append(.event(event))
          if seeksLeft > 0, chance(8) { _ = seek() }
        }
      } catch {
        return steps + [.failed(error.code)]
      }
    }
    preconditionFailure("it does not end")
  }

  private mutating func check(_ event: PacketStream.Event) {
    precondition(stream.heldBytes <= PacketStream.lookAhead + ByteRequest.limit, "it holds too much")
    if case .packet(let packet, let own) = event {
      precondition(hasFacts, "a packet before any facts")
      precondition(!own.isEmpty && own.count == packet.byteCount && packet.frameCount >= 0)
      precondition(packet.position >= 0 && packet.position < bytes.count, "a packet outside the source")
      precondition(!isSought || packet.isDiscontinuous, "a packet behind a seek that goes on")
      isSought = false
    } else {
      hasFacts = true
      precondition(stream.bitRate ?? 0 >= 0 && stream.duration?.frames ?? 0 >= 0)
    }
  }

  /// Gives the next piece of what is needed.
  private mutating func provide(_ position: Int64) {
    if position != stream.position {
      precondition(jumping != .impossible || position > stream.position, "it wants what has passed")
      // What lies ahead may be appended up to as well.
      if position < stream.position || (jumping != .impossible && !chance(4)) { stream.jump(to: position) }
    }
    let start = stream.position
    if start < bytes.count {
      let size = random == nil || chance(16) ? bytes.count : 1 << number(13) + number(50)
      let piece = UnsafeRawBufferPointer(rebasing: bytes[Int(start)...].prefix(size))
      let taken = stream.append(piece)
      precondition(taken > 0 && taken <= piece.count && stream.position == start + Int64(taken))
    }
    if stream.position >= bytes.count { stream.finish() }
  }

  /// - Returns: Whether it was possible.
  private mutating func seek() -> Bool {
    seeksLeft -= 1
    let frame: Int64 = [0, 1, Int64(number(2_000)), Int64(number(100_000)), .max][number(5)]
    do throws(AudioError) {
      let offset = try stream.seek(toFrame: frame)
      precondition(offset.position >= 0)
      isSought = true
      return true
    } catch {
      precondition(error.code == .notSeekable)
      return false
    }
  }

  private mutating func number(_ limit: Int) -> Int { random.map { _ in Int(random!.next() % UInt64(limit)) } ?? 0 }
  private mutating func chance(_ one: Int) -> Bool { number(one) == 0 }
}
