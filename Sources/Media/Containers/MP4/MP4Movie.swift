import AudioModel

/// What a `moov` box says.
struct MP4Movie {
  /// Most tracks that are looked at.
  static let trackLimit = 128

  /// Ticks in a second, for edit lists.
  var timescale: UInt32 = 0
  /// Ticks of the longest track.
  var duration: Int64?
  /// Fragments follow (`mvex`).
  var isFragmented = false
  /// Ticks of all fragments together, if stated (`mehd`).
  var fragmentDuration: Int64?
  var tracks: [MP4Track] = []
  var tags = TagSet()
  /// `iTunSMPB`.
  var gapless: GaplessTag?
  /// Chapters of Nero's list.
  var chapters: [Chapter] = []
  /// What samples of fragments are unless they say otherwise, by track (`trex`).
  var fragmentDefaults: [UInt32: MP4FragmentDefaults] = [:]

  /// Chooses the track that is heard: among those that can be, an enabled one, the first.
  /// - Throws: ``AudioModel/AudioError/Code/noAudio``, or what is wrong with the only ones.
  func audioTrack() throws(AudioError) -> Int {
    var best: (index: Int, rank: Int)?
    var failure: AudioError?
    for (index, track) in tracks.enumerated() where track.handler == "soun" {
      guard track.entry != nil else {
        failure = failure ?? track.failure
        continue
      }
      let rank = (track.hasSamples || isFragmented ? 2 : 0) + (track.isEnabled ? 1 : 0)
      if rank > best?.rank ?? -1 { best = (index, rank) }
    }
    if let best { return best.index }
    throw failure ?? AudioError(.noAudio, "There is no audio in the file")
  }
}

/// A track of a movie.
struct MP4Track {
  var id: UInt32 = 0
  var isEnabled = true
  /// `soun`, `text`, `vide`, …; empty as long as it is not known.
  var handler = ""
  /// Ticks in a second; 0 where it is not stated.
  var timescale: UInt32 = 0
  /// Ticks of the media; `nil` where that is not stated.
  var duration: Int64?
  var edits: [MP4Edit] = []
  var entry: MP4SampleEntry?
  /// Why there is no entry.
  var failure: AudioError?
  var tables = MP4SampleTables()
  /// Tracks whose texts are the chapters of this one.
  var chapterTracks: [UInt32] = []
  /// Samples to decode before one that is wanted (`roll`).
  var rollSamples = 0

  var hasSamples: Bool { tables.hasSizes }
  var wantsTables: Bool { ["soun", "text", "sbtl", "subt", ""].contains(handler) }
}

/// One entry of an edit list (ISO/IEC 14496-12 §8.6.6).
struct MP4Edit {
  /// Ticks of the movie; 0 means the rest.
  var duration: UInt64
  /// Ticks of the media; negative for silence.
  var mediaTime: Int64
}

/// What samples of fragments are unless they say otherwise.
struct MP4FragmentDefaults {
  var duration: UInt32 = 0
  var size: UInt32 = 0
}

/// Turns ticks of the chosen track into frames of the trimmed timeline.
struct MP4Timeline {
  /// Numbers beyond this are nonsense; sums of those within can't overflow.
  static let limit: Int64 = 1 << 56

  /// Frames in a second, as played.
  let rate: Int64
  /// Ticks in a second.
  let timescale: Int64
  /// Frames of every packet; 0 where the ticks say it.
  private(set) var packetFrames: Int64
  /// The frame that is heard first, counted from the first sample's first.
  private(set) var start: Int64 = 0
  /// The first that is no longer heard; `nil` where nothing says so.
  private(set) var end: Int64?

  init(_ track: MP4Track, entry: MP4SampleEntry) {
    rate = Int64(entry.format.sampleRate.hertz)
    timescale = track.timescale > 0 ? Int64(track.timescale) : rate
    // What the codec says about its packets is believed as long as the table nearly agrees.
    let isExact = timescale == rate && entry.codec == .alac
    packetFrames = isExact ? 0 : Int64(entry.packetFrames)
    if !track.tables.times.isEmpty { check(usualTicks: track.tables.usualDelta) }
  }

  /// Drops what the codec says about its packets where most of them last otherwise.
  mutating func check(usualTicks: UInt32) {
    if abs(Int64(usualTicks) * rate / timescale - packetFrames) > max(1, rate / timescale) { packetFrames = 0 }
  }

  /// Ticks in frames, rounded to nearest.
  func frames(_ ticks: Int64) -> Int64 { Self.scale(ticks, rate, timescale) }

  /// Frames in ticks, rounded down.
  func ticks(_ frames: Int64) -> Int64 {
    let product = Int128(frames) * Int128(timescale)
    return Int64(clamping: product / Int128(rate))
  }

  static func scale(_ value: Int64, _ factor: Int64, _ divisor: Int64) -> Int64 {
    let product = Int128(value) * Int128(factor)
    let half = Int128(value < 0 ? -divisor / 2 : divisor / 2)
    return Int64(min(max((product + half) / Int128(max(divisor, 1)), -Int128(limit)), Int128(limit)))
  }

  /// Frames of all samples: the last packet may be said to be heard only in part.
  func mediaFrames(samples: Int64, ticks: Int64) -> Int64 {
    let stated = frames(ticks)
    guard packetFrames > 0 else { return stated }
    let decoded = min(samples, Self.limit / max(packetFrames, 1)) * packetFrames
    return stated < decoded && decoded - stated < packetFrames ? stated : decoded
  }

  /// Says what is heard, by the edit list or what stands for it.
  /// - Parameter media: Frames of all samples; `nil` where more follow.
  mutating func trim(_ track: MP4Track, _ movie: MP4Movie, media: Int64?) {
    end = media
    let edit = Self.firstStretch(track.edits, movieTimescale: Int64(movie.timescale), timescale: timescale)
    if let edit {
      start = min(max(frames(edit.mediaTime), 0), Self.limit)
      // Edit lists count in the movie's ticks, often milliseconds: an end within a tick of the media's is that one.
      if edit.duration > 0 && movie.timescale > 0 {
        let length = Self.scale(Int64(clamping: edit.duration), rate, Int64(movie.timescale))
        let tick = rate / Int64(movie.timescale) + 1
        let stop = start + length
        if media.map({ stop < $0 - tick }) ?? (length > 0) { end = stop }
      }
    }
    // An edit list that cuts nothing off is what programs write that do not know of the encoder's delay.
    if start == 0, end == media, let gapless = movie.gapless {
      let delay = Int64(gapless.delay)
      let all = delay + Int64(gapless.padding) + gapless.frames
      // The numbers may count at half the rate, that of the core under SBR.
      let scale: Int64 = media.map { abs(all * 2 - $0) <= packetFrames } == true ? 2 : 1
      let stop = (delay + gapless.frames) * scale
      if media.map({ stop <= $0 + max(packetFrames, 1) }) ?? true {
        start = delay * scale
        end = min(stop, media ?? .max)
      }
    }
    if let media, start >= media { start = 0 }
    if let end { self.end = max(end, start) }
  }

  /// Moves the first heard frame on to where fragments begin.
  mutating func begin(at frame: Int64) { start = max(start, frame) }

  /// The first stretch of media that an edit list plays, with what goes on without a gap.
  private static func firstStretch(_ edits: [MP4Edit], movieTimescale: Int64, timescale: Int64) -> MP4Edit? {
    var stretch: MP4Edit?
    for edit in edits where edit.mediaTime >= 0 {
      guard let known = stretch else {
        stretch = edit
        continue
      }
      guard known.duration > 0, movieTimescale > 0 else { break }
      let length = scale(Int64(clamping: known.duration), timescale, movieTimescale)
      let tick = timescale / movieTimescale + 1
      guard abs(edit.mediaTime - min(known.mediaTime.addingSaturating(length), limit)) <= tick else { break }
      stretch?.duration = edit.duration == 0 ? 0 : known.duration &+ edit.duration
    }
    return stretch
  }
}
