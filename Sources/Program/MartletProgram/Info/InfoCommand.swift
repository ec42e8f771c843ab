internal import AudioModel
internal import ByteSource
internal import Commands
internal import HTTPSource
internal import Martlet
internal import Media

/// What `info` says of an input.
protocol InfoAnswer: Sendable {
  /// For programs: one object.
  var json: JSONValue { get }
  /// For people: some lines.
  var table: String { get }
}

/// `info`: what inputs are, without playing them.
enum InfoCommand {
  private static let blockFrames = 8192

  static func run(_ arguments: ParsedArguments) throws(AudioError) -> ExitCode {
    let http = try arguments.http()
    var code = ExitCode.success
    for (index, input) in try arguments.inputs().enumerated() {
      do throws(AudioError) {
        let answer = try look(at: input, http: http, scans: arguments.has("scan"))
        let text = arguments.has("json") ? answer.json.text + "\n" : (index > 0 ? "\n" : "") + answer.table
        guard Console.write(text) else { return .ioError }
      } catch {
        Console.complain(error, about: input)
        if code == .success { code = ExitCode(error) }
      }
    }
    return code
  }

  private static func look(
    at input: String, http: HTTPSourceConfiguration, scans: Bool
  ) throws(AudioError) -> any InfoAnswer {
    let location = try MediaLocation(input)
    let source = LookAheadSource(try DefaultSources.make(input, http: http) { _ in })
    defer { source.close() }
    if let list = try PlaylistLoader.load(source, at: location) { return PlaylistFacts(input: input, list: list) }
    return try look(into: source, named: input, scans: scans)
  }

  private static func look(
    into source: LookAheadSource, named input: String, scans: Bool
  ) throws(AudioError) -> InputFacts {
    let reader = MediaReader(source: source)
    try reader.open(needsDecoder: false)
    var facts = InputFacts(
      input: input, stream: reader.facts, decoder: reader.decoderName, isLive: reader.sourceFacts.isLive)
    guard scans else { return facts }
    guard !facts.isLive else { throw AudioError(.usage, "a live stream has no end to scan to") }
    let block = PCMBlock(channels: facts.stream.format.channels, capacity: blockFrames)
    while try reader.read(into: block, upTo: blockFrames) > 0 {}
    facts.stream = reader.facts
    facts.stream.duration = MediaDuration(frames: reader.decodedFrames, isExact: true)
    facts.scan = InputFacts.Scan(decodedFrames: reader.decodedFrames, concealedPackets: reader.concealedPackets)
    return facts
  }
}
