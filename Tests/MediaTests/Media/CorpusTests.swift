import AudioModel
import ByteSource
import Containers
import Glibc
import MartletTestSupport
import Media
import Testing

/// Files of a folder that `MARTLET_CORPUS` names, whatever they are: a parser gives the same at every chunking, and a
/// seek gives what reading from the start gives. Not part of a usual run, which makes all of its media itself.
@Suite(.enabled(if: CorpusFile.folder != nil, "MARTLET_CORPUS names no folder of media files")) struct CorpusTests {
  /// Parsing byte by byte takes its time.
  private static let longestBytewise = 400_000
  /// A minute of sound is looked at.
  private static let longest = 2_880_000

  @Test(arguments: CorpusFile.all) func everyChunkingGivesTheSame(file: CorpusFile) throws {
    let bytes = ToolBox.contents(file.path)
    let whole = Outcome(bytes, file: file, chunk: max(bytes.count, 1))
    for chunk in [1, 7, 4096] where chunk > 7 || bytes.count <= Self.longestBytewise {
      let other = Outcome(bytes, file: file, chunk: chunk)
      #expect(whole.difference(from: other) == nil, "in pieces of \(chunk)")
    }
  }

  @Test(arguments: CorpusFile.all) func aSeekGivesWhatReadingGives(file: CorpusFile) throws {
    let reader = MediaReader(source: FileSource(path: file.path))
    defer { reader.close() }
    guard (try? reader.open()) != nil, reader.facts.seekability == .exact else { return }
    guard let whole = try? MediaBench.rest(reader, limit: Self.longest), whole.frameCount > 1 else { return }
    let codec = reader.facts.codec.rawValue
    let limit: Float = Self.lossless.contains(codec) ? 0 : Self.noisy.contains(codec) ? 0.3 : 1e-4
    var random = SeededGenerator(seed: 3)
    var (misses, worst) = (0, Float(0))
    for _ in 0..<50 {
      let target = Int.random(in: 0..<whole.frameCount, using: &random)
      #expect(try reader.seek(toFrame: Int64(target)) == Int64(target))
      let part = try MediaBench.rest(reader, limit: min(2_000, whole.frameCount - target))
      #expect(part.frameCount == min(2_000, whole.frameCount - target), "at \(target)")
      let difference = MediaBench.difference(part, whole, from: target)
      worst = max(worst, difference)
      if difference > limit { misses += 1 }
    }
    #expect(misses == 0, "\(codec): \(misses) of 50 seeks differ, by \(worst) at most")
  }

  private static let lossless = ["pcm", "alaw", "mulaw", "flac", "alac", "wavpack", "tta", "ape", "mp4als"]
  /// Decoders of these fill in noise from a generator that no seek winds back, or predict without end.
  private static let noisy = ["ac3", "eac3", "amr_nb", "amr_wb", "musepack7", "musepack8"]
}

/// A file of the folder.
struct CorpusFile: CustomTestStringConvertible, Sendable {
  let path: String
  var testDescription: String { String(path.dropFirst((Self.folder?.count ?? -1) + 1)) }
  var fileExtension: String { path.split(separator: ".").last.map { $0.lowercased() } ?? "" }

  static let folder = getenv("MARTLET_CORPUS").map { String(cString: $0) }
  static let all: [CorpusFile] = folder.map { files(in: $0) } ?? []

  private static func files(in folder: String) -> [CorpusFile] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var found: [CorpusFile] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard !name.hasPrefix(".") else { continue }
      let path = folder + "/" + name
      if entry.pointee.d_type == UInt8(DT_DIR) { found += files(in: path) } else { found.append(Self(path: path)) }
    }
    return found.sorted { $0.path < $1.path }
  }
}

/// All that prober and parser say of a file, in order.
private struct Outcome {
  private var steps: [ParserStep] = []
  private var failure: AudioError.Code?

  init(_ bytes: [UInt8], file: CorpusFile, chunk: Int) {
    var feed = MemoryFeed(bytes, chunk: chunk)
    do {
      guard case .found(let registration, let start, let tags) = try feed.probe(extension: file.fileExtension) else {
        return
      }
      var parser = registration.makeParser(start, tags)
      while true {
        let step = try feed.next(&parser)
        if step == .end { return }
        steps.append(step)
      }
    } catch {
      failure = (error as? AudioError)?.code
    }
  }

  /// Where they part; facts that only say earlier or later how long it is are the same at the end.
  func difference(from other: Outcome) -> String? {
    let (mine, theirs) = (steps.packets, other.steps.packets)
    if failure != other.failure { return "ends with \(failure as Any), not \(other.failure as Any)" }
    if let place = zip(mine, theirs).enumerated().first(where: { $1.0 != $1.1 }) {
      return "packet \(place.offset): \(place.element.0), not \(place.element.1)"
    }
    if mine.count != theirs.count { return "\(mine.count) packets, not \(theirs.count)" }
    return steps.facts.last == other.steps.facts.last ? nil : "other facts"
  }
}
