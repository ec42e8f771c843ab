internal import AudioModel
internal import ByteSource
internal import Codecs
internal import Containers

/// A stream that was found in a source: its packets and who decodes them.
struct MediaOpening {
  let reader: any PacketReader
  let decoder: any AudioDecoder
  /// What tags in front of a foreign container say; parsers of ours repeat them in their facts.
  var leading = TagSet()

  /// Bytes that a foreign demuxer gets to see at once where it has to look for itself. For others, and for live streams,
  /// they would only be waited for.
  private static let foreignHead = 32 << 10

  /// Finds out what the source holds, and opens it.
  /// - Parameter needsDecoder: Nothing is opened without one; else ``MissingDecoder`` takes its place.
  static func open(
    _ input: WindowedSource, registry: MediaRegistry, needsDecoder: Bool
  ) throws(AudioError) -> MediaOpening {
    var prober = Prober(
      registrations: registry.containers, fileExtension: input.facts.pathExtension ?? "",
      mediaType: input.facts.contentType ?? "")
    while true {
      switch try prober.next(in: input.window) {
      case .need(let request): try input.provide(request)
      case .found(let registration, let start, let tags):
        return try open(registration, start, tags, input, registry, needsDecoder)
      case .foreign(let name, let start):
        return try openForeign(name, start, prober.tags, input, registry)
      case .unknown(let start):
        return try openForeign(nil, start, prober.tags, input, registry)
      }
    }
  }

  /// Opens a container of ours; where its content is not, the foreign demuxer may have it.
  private static func open(
    _ registration: ContainerRegistration, _ start: Int64, _ tags: TagSet, _ input: WindowedSource,
    _ registry: MediaRegistry, _ needsDecoder: Bool
  ) throws(AudioError) -> MediaOpening {
    var silent: ParserPacketReader?
    do throws(AudioError) {
      let reader = try ParserPacketReader(registration.makeParser(start, tags), input: input)
      if !needsDecoder { silent = reader }
      let decoder = try DecoderTable(registry.decoders).makeDecoder(for: reader.facts)
      return MediaOpening(reader: try AheadPacketReader.reading(reader, ahead: decoder), decoder: decoder)
    } catch {
      let isForeign = error.code == .unsupportedContainer || error.code == .unsupportedCodec
      let isAtHand = input.isSeekable || input.window.start <= start
      if isForeign, isAtHand, registry.foreign != nil,
        let opening = try? openForeign(registration.name, start, tags, input, registry)
      {
        return opening
      }
      guard let silent, error.code.rawValue / 1_000 == 4 else { throw error }
      return MediaOpening(reader: silent, decoder: MissingDecoder(silent.facts, failure: error))
    }
  }

  private static func openForeign(
    _ name: String?, _ start: Int64, _ tags: TagSet, _ input: WindowedSource, _ registry: MediaRegistry
  ) throws(AudioError) -> MediaOpening {
    guard let foreign = registry.foreign else {
      throw name.map { AudioError(.unsupportedContainer, "This build has no reader for \($0)") }
        ?? AudioError(.unrecognized, "The input is no audio that is known here")
    }
    if input.facts.length != nil && !input.facts.isLive && name == nil {
      try input.provide(ByteRequest(position: start, count: foreignHead))
    }
    let window = input.window
    let head = window.bytes(window.start, count: window.count) ?? []
    let (reader, decoder) = try foreign.open(
      ForeignDemuxer.Input(
        source: input.source, sourceFacts: input.facts, head: head, headStart: window.start, start: start, name: name)
    )
    return MediaOpening(reader: reader, decoder: decoder, leading: tags)
  }
}
