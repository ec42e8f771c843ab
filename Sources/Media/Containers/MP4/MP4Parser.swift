package import AudioModel

/// Reads the ISO base media format and QuickTime's, which it comes from: MP4, M4A, M4B, MOV, 3GP; tables or fragments,
/// with the header in front or at the end.
///
/// Of the file's tracks one is given out. Memory is bounded by ``MP4SampleTables/byteLimit`` for tables, of however large
/// a header. Sources: ISO/IEC 14496-12 and -14; Apple, "QuickTime File Format"; what is written by others is noted where
/// it is read.
package struct MP4Parser: ContainerParser {
  private enum State {
    case search
    case movie
    case header
    case fragments
    case tail
    case scan
    case chapters
    case facts
    case packets
    case end
  }

  private let start: Int64
  private let leading: TagSet
  private var state = State.search
  private var position: Int64
  private var movieReader: MP4MovieReader?
  private var movieEnd: Int64 = 0
  private var movie = MP4Movie()
  private var track = 0
  private var reader: MP4TrackReader?
  private var fragments: MP4FragmentReader?
  /// The tables are used up, or there are none.
  private var isInFragments = false
  private var chapters: MP4Chapters?
  /// A seek waits for the index at the end of the file, or for the header.
  private var pendingSeek: Int64?
  private var isTailTried = false
  private var sentFacts: StreamFacts?
  private var knownLength: Int64?

  /// Makes a parser for a file whose first box is at `start`.
  package init(start: Int64, leading: TagSet = TagSet()) {
    self.start = start
    self.leading = leading
    position = start
  }

  package mutating func next(in window: ByteWindow) throws(AudioError) -> ParserStep {
    while true {
      knownLength = window.isEnd ? min(window.end, window.sourceLength ?? .max) : window.sourceLength
      switch state {
      case .search:
        if let request = try search(window) { return .need(request) }
      case .movie:
        if let request = try movieReader?.next(in: window) { return .need(request) }
        try begin()
        state = .header
      case .header:
        if let request = readFrameHeader(window) { return .need(request) }
        state = isInFragments && fragments != nil ? .fragments : .chapters
      case .fragments:
        if let request = try fragments?.begin(in: window) { return .need(request) }
        state = window.sourceIsCheap ? .tail : .chapters
      case .tail:
        if let request = readTail(window) { return .need(request) }
        state = wantsScan(window) ? .scan : sentFacts == nil ? .chapters : .packets
      case .scan:
        if let request = try fragments?.scan(in: window) { return .need(request) }
        state = .chapters
      case .chapters:
        if let request = readChapters(window) ?? goBack(window) { return .need(request) }
        state = .facts
      case .facts:
        state = .packets
        let fresh = makeFacts()
        let isNew = fresh != sentFacts
        sentFacts = fresh
        if let frame = pendingSeek {
          pendingSeek = nil
          _ = seek(to: frame, sourceIsCheap: window.sourceIsCheap)
        }
        if isNew { return .facts(fresh) }
      case .packets:
        if let step = try packet(window) { return step }
        state = .end
        // Reached without a gap, the end of the fragments tells the true length.
        if fragments?.foundEnd != nil { state = .facts }
        if state == .facts && makeFacts() == sentFacts { state = .end }
      case .end:
        return .end
      }
    }
  }

  package mutating func seek(to frame: Int64, sourceIsCheap: Bool) -> ParserSeek {
    guard sentFacts != nil else {
      pendingSeek = max(frame, 0)
      return .at(position: position, isExact: true)
    }
    state = .packets
    let target = max(frame, 0)
    let inTables = reader.map { reader in fragments == nil || target < reader.tableFrames } ?? false
    if inTables {
      isInFragments = false
      reader?.seek(to: target)
      return .at(position: clamped(reader?.position), isExact: true)
    }
    guard fragments != nil else { return .at(position: position, isExact: true) }
    isInFragments = true
    if fragments?.index.isWhole == false, !isTailTried, let knownLength, knownLength > movieEnd {
      // Two requests and the target's own find any place; without an index all up to it would have to be passed by.
      pendingSeek = target
      state = .tail
      return .at(position: max(movieEnd, knownLength - 16), isExact: true)
    }
    return .at(position: clamped(fragments?.seek(to: target)), isExact: true)
  }

  /// A position that a source may be asked for.
  private func clamped(_ position: Int64?) -> Int64 { min(max(position ?? start, start), knownLength ?? .max) }

  // MARK: Beginning

  /// Walks over boxes until the movie's header.
  private mutating func search(_ window: ByteWindow) throws(AudioError) -> ByteRequest? {
    while true {
      if let length = window.sourceLength, position >= length { throw Self.headless }
      switch MP4Box.look(window, at: position, limit: .max) {
      case .need(let request): return request
      case .none: throw Self.headless
      case .box(let box) where box.type == "moov":
        movieReader = MP4MovieReader(box)
        movieEnd = box.end
        state = .movie
        return nil
      case .box(let box):
        // Behind data of unknown size, and in front of fragments, there is no header.
        guard !box.isOpen, box.type != "moof" else { throw Self.headless }
        position = box.end
      }
    }
  }

  private static var headless: AudioError {
    AudioError(.malformed, "The file has no header that says what is in it: it may be cut off")
  }

  /// The header goes on behind the end of the source.
  private var isHeaderCut: Bool { knownLength.map { movieEnd > $0 } ?? false }

  /// Chooses what is played.
  private mutating func begin() throws(AudioError) {
    guard let movieReader else { throw Self.headless }
    movie = movieReader.movie
    self.movieReader = nil
    track = try movie.audioTrack()
    guard let entry = movie.tracks[track].entry else { throw Self.headless }
    movie.tracks[track].tables.finish(blockBytes: entry.blockBytes, blockFrames: entry.blockFrames)
    if isHeaderCut && !movie.isFragmented && movie.tracks[track].tables.count == 0 { throw Self.headless }
    position = movieEnd
    chapters = MP4Chapters(movie, audio: movie.tracks[track], origin: start)
    // The other tracks' tables have served.
    for index in movie.tracks.indices where index != track { movie.tracks[index].tables = MP4SampleTables() }
    makeReaders(entry)
    movie.tracks[track].tables = MP4SampleTables()
  }

  private mutating func makeReaders(_ entry: MP4SampleEntry) {
    let audio = movie.tracks[track]
    var timeline = MP4Timeline(audio, entry: entry)
    var media = timeline.mediaFrames(samples: audio.tables.count, ticks: audio.tables.ticks)
    // Without samples the header still says how long it played.
    if audio.tables.count == 0, !movie.isFragmented { media = timeline.frames(audio.duration ?? 0) }
    timeline.trim(audio, movie, media: movie.isFragmented ? nil : media)
    reader = nil
    if audio.tables.count > 0 || !movie.isFragmented {
      reader = MP4TrackReader(
        audio.tables, entry: entry, timeline: timeline, origin: start, rollSamples: audio.rollSamples, media: media)
    }
    isInFragments = reader == nil
    guard movie.isFragmented else { return }
    fragments = MP4FragmentReader(
      track: audio, entry: entry, timeline: timeline,
      defaults: movie.fragmentDefaults[audio.id] ?? MP4FragmentDefaults(),
      origin: start, position: movieEnd, clock: reader == nil ? nil : media)
  }

  /// Reads the header of the first frame of MPEG audio, which says what the file's own header leaves open.
  private mutating func readFrameHeader(_ window: ByteWindow) -> ByteRequest? {
    guard let known = reader, known.entry.isMPEGAudio, known.tables.count > 0 else { return nil }
    let position = known.position
    if let length = window.sourceLength, position >= length { return nil }
    guard window.settles(position, count: MPEGHeader.size) else {
      return ByteRequest(position: position, count: MPEGHeader.size)
    }
    guard let header = MPEGHeader(window, at: position) else { return nil }
    var entry = known.entry
    entry.take(header)
    movie.tracks[track].tables = known.tables
    makeReaders(entry)
    movie.tracks[track].tables = MP4SampleTables()
    return nil
  }

  private mutating func readTail(_ window: ByteWindow) -> ByteRequest? {
    isTailTried = true
    if let length = window.sourceLength, let request = fragments?.readTail(window, length: length) { return request }
    if sentFacts != nil, let frame = pendingSeek {
      pendingSeek = nil
      _ = fragments?.seek(to: frame)
    }
    return nil
  }

  /// Where looking costs nothing, the fragments themselves say how long they are.
  private func wantsScan(_ window: ByteWindow) -> Bool {
    guard sentFacts == nil, window.sourceIsCheap, let length = window.sourceLength, reader == nil else {
      return false
    }
    return length <= MP4FragmentReader.scanLimit
  }

  /// Reads the chapters' titles where that takes no detour.
  private mutating func readChapters(_ window: ByteWindow) -> ByteRequest? {
    guard let span = chapters?.span else { return nil }
    if !window.sourceIsCheap {
      // They come before the sound, and on the way to it.
      guard let sound = reader?.position, span.upperBound <= sound, sound - span.lowerBound <= MP4Chapters.spanLimit,
        span.lowerBound >= movieEnd || sound < movieEnd
      else { return nil }
    }
    return chapters?.read(window)
  }

  /// Where the sound stands in front of its header, a source that can't go back says so before facts raise hopes.
  private func goBack(_ window: ByteWindow) -> ByteRequest? {
    guard !window.sourceIsCheap, let sound = reader?.position, sound < movieEnd, !window.settles(sound, count: 1)
    else {
      return nil
    }
    return ByteRequest(position: sound, count: 1)
  }

  // MARK: Facts

  private mutating func makeFacts() -> StreamFacts {
    let entry = reader?.entry ?? fragments?.entry
    var facts = StreamFacts(
      container: "mp4", codec: entry?.codec ?? .aac,
      format: entry?.format ?? PCMFormat(sampleRate: .cd, layout: .stereo))
    facts.sampleCoding = entry?.coding
    facts.decoderConfiguration = entry?.configuration ?? []
    facts.seekPreroll = Int(clamping: reader?.preroll ?? Int64(entry?.preroll ?? 0))
    let timeline = reader?.timeline ?? fragments?.timeline
    if let start = timeline?.start, start > 0, start < 1 << 16 { facts.encoderDelay = Int(start) }
    if fragments != nil {
      facts.duration = fragmentedDuration
    } else if let reader {
      facts.duration = reader.timeline.end.map { MediaDuration(frames: $0 - reader.timeline.start, isExact: true) }
      facts.encoderPadding = reader.padding
      facts.isTruncated = isHeaderCut || reader.isEmpty || knownLength.map { reader.end > $0 } ?? false
      facts.bitRate = reader.bitRate
    }
    var tags = movie.tags
    tags.chapters = MP4Chapters.complete(chapters?.chapters ?? [], list: movie.chapters, facts)
    tags.complete(with: leading)
    facts.take(tags)
    return facts
  }

  /// How long the fragments play, as far as that is known.
  private var fragmentedDuration: MediaDuration? {
    guard let fragments else { return nil }
    let timeline = fragments.timeline
    if let found = fragments.foundEnd {
      let end = min(found, timeline.end ?? .max)
      return MediaDuration(frames: max(end - timeline.start, 0), isExact: true)
    }
    if let stated = fragments.statedFrames {
      let end = min(fragments.firstFrame + stated, timeline.end ?? .max)
      return MediaDuration(frames: max(end - timeline.start, 0), isExact: false, errorSeconds: 0.1)
    }
    func movieFrames(_ ticks: Int64?) -> Int64? {
      guard let ticks, movie.timescale > 0 else { return nil }
      return MP4Timeline.scale(ticks, timeline.rate, Int64(movie.timescale))
    }
    // More than a week is nonsense, and less than a fragment says nothing.
    let frames = movieFrames(movie.fragmentDuration) ?? movieFrames(movie.duration)
    guard let frames, frames > timeline.rate / 10, frames < timeline.rate * 604_800 else { return nil }
    return MediaDuration(frames: frames, isExact: false)
  }

  // MARK: Packets

  private mutating func packet(_ window: ByteWindow) throws(AudioError) -> ParserStep? {
    if !isInFragments {
      if let step = try reader?.next(in: window) { return step }
      guard fragments != nil else { return nil }
      isInFragments = true
    }
    return try fragments?.next(in: window)
  }

  // MARK: Probe

  /// Whether such a file begins there.
  static func probe(_ window: ByteWindow, start: Int64) -> ProbeAnswer {
    guard window.settles(start, count: 16) else { return .more(count: 16) }
    guard case .box(let box) = MP4Box.look(window, at: start, limit: .max) else { return .no }
    switch box.type {
    case "ftyp", "moov", "styp", "moof", "sidx", "mdat", "pnot": return .certain
    case "wide", "free", "skip", "uuid", "prfl":
      // The words are common; the next box must fit, too.
      guard box.bodySize < 1 << 16 else { return .likely }
      let room = Int(box.end - start) + 16
      guard window.settles(start, count: room) else { return .more(count: room) }
      guard case .box(let next) = MP4Box.look(window, at: box.end, limit: .max) else { return .likely }
      return ["ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"].contains(next.type) ? .certain : .likely
    default: return .no
    }
  }
}
