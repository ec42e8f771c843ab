internal import AudioModel
internal import Containers
internal import Glibc

extension FuzzTarget {
  /// The parsers of all registered formats.
  static let parsers = ContainerRegistration.builtIn.map { registration in
    FuzzTarget(name: registration.name, seeds: { Seeds.container(registration.name) }) { bytes in
      if registration.name == "ogg" {
        // A page with another checksum would be passed over, whatever is in it.
        OggSeeds.sealed(bytes).withUnsafeBytes { checkParser({ registration.makeParser(0, TagSet()) }, $0) }
      } else {
        checkParser({ registration.makeParser(0, TagSet()) }, bytes)
      }
    }
  }

  /// Finding out what it is, and reading whatever was found.
  static let probe = FuzzTarget(
    name: "probe",
    seeds: {
      Seeds.wav + Seeds.mp3.map { Seeds.id3 + $0 } + Seeds.flac + [
        Seeds.text("<!DOCTYPE html><p>not here"), [0, 0, 0],
      ]
    }
  ) { bytes in
    var run = ProbeRun(bytes)
    guard let (registration, start, tags) = run.find() else { return }
    precondition(start >= 0 && start <= bytes.count, "a format outside of the bytes")
    var parser = ParserRun(
      registration.makeParser(start, tags), bytes, chunk: 1 << 16, knowsLength: true, isCheap: true)
    _ = parser.steps()
  }

  /// Any chunking gives the same answers, a missing length does no harm, and neither does seeking.
  private static func checkParser(_ makeParser: () -> any ContainerParser, _ bytes: UnsafeRawBufferPointer) {
    for isCheap in [true, false] {
      func run(chunk: Int, knowsLength: Bool = true) -> ParserRun {
        ParserRun(makeParser(), bytes, chunk: chunk, knowsLength: knowsLength, isCheap: isCheap)
      }
      var whole = run(chunk: max(1, bytes.count))
      var small = run(chunk: 1 + bytes.count % 7)
      expectEqual(small.steps(), whole.steps())
      var endless = run(chunk: 997, knowsLength: false)
      _ = endless.steps()
      for frame in [0, 1153, .max] as [Int64] {
        whole.seek(to: frame, sourceIsCheap: isCheap)
        _ = whole.steps()
      }
    }
  }
}

/// Traps, and says where they part, unless two runs gave the same answers.
private func expectEqual(_ inChunks: [ParserRun.Step], _ atOnce: [ParserRun.Step]) {
  guard inChunks != atOnce else { return }
  let count = zip(inChunks, atOnce).prefix { $0 == $1 }.count
  print("step \(count) in chunks:", inChunks.dropFirst(count).first ?? "none")
  print("step \(count) at once:  ", atOnce.dropFirst(count).first ?? "none")
  fflush(nil)
  preconditionFailure("it depends on the chunking")
}

/// Drives a prober.
struct ProbeRun {
  private var feed: ByteFeed
  private var prober = Prober(registrations: ContainerRegistration.builtIn)

  init(_ bytes: UnsafeRawBufferPointer, chunk: Int = 1 << 12) {
    feed = ByteFeed(bytes, chunk: chunk, knowsLength: true, isCheap: true)
  }

  /// What tags in front say.
  var tags: TagSet { prober.tags }

  mutating func find() -> (registration: ContainerRegistration, start: Int64, tags: TagSet)? {
    for _ in 0..<4096 + feed.bytes.count {
      do throws(AudioError) {
        switch try prober.next(in: feed.window) {
        case .need(let request): feed.satisfy(request)
        case .found(let registration, let start, let tags): return (registration, start, tags)
        case .foreign, .unknown: return nil
        }
      } catch {
        return nil
      }
    }
    preconditionFailure("it does not end")
  }
}
