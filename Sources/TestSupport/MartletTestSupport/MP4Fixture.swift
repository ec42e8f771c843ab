/// Makes MP4 and QuickTime files, box by box.
package struct MP4Fixture {
  /// A track. Its samples lie in chunks, all tracks' in turns.
  package struct Track {
    package var id: UInt32 = 1
    package var handler = "soun"
    package var isEnabled = true
    package var timescale = 44_100
    /// Ticks of the media; `nil` for the sum of the samples'.
    package var duration: Int?
    /// The first entry of `stsd`, with its header.
    package var entry: [UInt8]
    package var samples: [[UInt8]] = []
    /// Ticks of each sample; the last counts for all that follow.
    package var ticks: [Int] = [1024]
    package var samplesPerChunk = 3
    /// Movie ticks and media time of each edit; none for no list.
    package var edits: [(duration: Int, time: Int)] = []
    /// Tracks whose texts are its chapters.
    package var chapters: [UInt32] = []
    /// Times and sizes in 64 bits, where boxes have such a version.
    package var isLong = false
    /// Bits of a size in `stz2`; `nil` for `stsz`.
    package var compactBits: Int?
    /// What `stsz` says of every sample, instead of a table.
    package var constantSize: Int?
    /// Numbers of samples with `constantSize`; `nil` for the true one.
    package var statedCount: Int?
    /// Boxes behind the others of `stbl`.
    package var more: [UInt8] = []

    package init(entry: [UInt8]) { self.entry = entry }

    func ticks(_ sample: Int) -> Int { ticks.isEmpty ? 0 : ticks[min(sample, ticks.count - 1)] }
    var allTicks: Int { samples.indices.reduce(0) { $0 + ticks($1) } }
  }

  package var tracks: [Track] = []
  package var movieTimescale = 1000
  /// Boxes of the movie's `udta`.
  package var userData: [UInt8] = []
  /// Boxes of the movie itself behind the tracks.
  package var more: [UInt8] = []
  /// The header stands behind the data.
  package var isHeaderLast = false
  /// Bytes between `ftyp` and the rest.
  package var padding = 0
  /// What the data's size says; `nil` for the truth.
  package var statedDataSize: UInt32?

  package init(_ tracks: [Track] = []) { self.tracks = tracks }

  // MARK: Boxes

  package static func big(_ value: Int, _ size: Int) -> [UInt8] {
    MediaFixtures.bytes(UInt64(bitPattern: Int64(value)), size, bigEndian: true)
  }

  /// A box; a © in its type is one byte.
  package static func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
    big(body.count + 8, 4) + type.unicodeScalars.map { UInt8($0.value) } + body
  }

  /// A box with version and flags.
  package static func full(_ type: String, version: Int = 0, flags: Int = 0, _ body: [UInt8]) -> [UInt8] {
    box(type, big(version, 1) + big(flags, 3) + body)
  }

  /// A sound sample description.
  package static func entry(
    _ type: String, channels: Int = 2, bits: Int = 16, rate: Int = 44_100, version: Int = 0, fields: [UInt8] = [],
    _ boxes: [UInt8] = []
  ) -> [UInt8] {
    let head = big(0, 6) + big(1, 2) + big(version, 2) + big(0, 6) + big(channels, 2) + big(bits, 2) + big(0, 4)
    return box(type, head + big(rate & 0xFFFF, 2) + big(0, 2) + fields + boxes)
  }

  /// AAC's description box.
  package static func esds(_ configuration: [UInt8], objectType: Int = 0x40, longSizes: Bool = false) -> [UInt8] {
    func descriptor(_ tag: Int, _ body: [UInt8]) -> [UInt8] {
      big(tag, 1) + (longSizes ? [0x80, 0x80, 0x80] : []) + big(body.count, 1) + body
    }
    let specific = configuration.isEmpty ? [] : descriptor(5, configuration)
    let decoder = descriptor(4, big(objectType, 1) + [0x15] + big(0, 11) + specific)
    return full("esds", descriptor(3, big(0, 3) + decoder + descriptor(6, [2])))
  }

  /// An entry for AAC.
  package static func aac(_ configuration: [UInt8] = [0x12, 0x10], rate: Int = 44_100, channels: Int = 2) -> [UInt8] {
    entry("mp4a", channels: channels, rate: rate, esds(configuration))
  }

  /// An item of iTunes' list.
  package static func item(_ type: String, kind: Int = 1, _ value: [UInt8]) -> [UInt8] {
    box(type, box("data", big(kind, 4) + big(0, 4) + value))
  }

  /// A freeform item.
  package static func item(named name: String, _ value: String) -> [UInt8] {
    box(
      "----",
      full("mean", Array("com.apple.iTunes".utf8)) + full("name", Array(name.utf8))
        + box("data", big(1, 4) + big(0, 4) + Array(value.utf8)))
  }

  /// A `meta` box with a list of items.
  package static func meta(_ items: [UInt8]) -> [UInt8] {
    full("meta", full("hdlr", big(0, 4) + Array("mdirappl".utf8) + big(0, 9)) + box("ilst", items))
  }

  // MARK: Files

  /// The whole file.
  package var file: [UInt8] {
    let front =
      Self.box("ftyp", Array("M4A ".utf8) + Self.big(0, 4) + Array("isom".utf8))
      + (padding > 0 ? Self.box("free", [UInt8](repeating: 0, count: padding)) : [])
    let (data, offsets) = media()
    let size = movie(offsets).count
    let dataStart = front.count + (isHeaderLast ? 0 : size) + 8
    let moov = movie(offsets.map { $0.map { $0 + dataStart } })
    let mdat = Self.big(statedDataSize.map { Int($0) } ?? data.count + 8, 4) + Array("mdat".utf8) + data
    return front + (isHeaderLast ? mdat + moov : moov + mdat)
  }

  /// Chunks of all tracks in turns, and where each is.
  private func media() -> ([UInt8], [[Int]]) {
    var data: [UInt8] = []
    var offsets = [[Int]](repeating: [], count: tracks.count)
    var next = [Int](repeating: 0, count: tracks.count)
    while let track = tracks.indices.filter({ next[$0] < tracks[$0].samples.count }).min(by: {
      offsets[$0].count < offsets[$1].count
    }) {
      offsets[track].append(data.count)
      let end = min(next[track] + tracks[track].samplesPerChunk, tracks[track].samples.count)
      for sample in next[track]..<end { data += tracks[track].samples[sample] }
      next[track] = end
    }
    return (data, offsets)
  }

  private func movie(_ offsets: [[Int]]) -> [UInt8] {
    let header = Self.full("mvhd", Self.big(0, 8) + Self.big(movieTimescale, 4) + Self.big(0, 4) + Self.big(0, 80))
    let traks = zip(tracks, offsets).flatMap { Self.trak($0, $1) }
    return Self.box("moov", header + traks + (userData.isEmpty ? [] : Self.box("udta", userData)) + more)
  }

  private static func trak(_ track: Track, _ offsets: [Int]) -> [UInt8] {
    let version = track.isLong ? 1 : 0
    let wide = track.isLong ? 8 : 4
    let head = full(
      "tkhd", version: version, flags: track.isEnabled ? 7 : 6,
      big(0, 2 * wide) + big(Int(track.id), 4) + big(0, 4) + big(0, wide) + big(0, 60))
    let edits: [UInt8] = track.edits.flatMap { edit -> [UInt8] in
      big(edit.duration, wide) + big(edit.time, wide) + [0, 1, 0, 0]
    }
    let list =
      track.edits.isEmpty ? [] : box("edts", full("elst", version: version, big(track.edits.count, 4) + edits))
    let references =
      track.chapters.isEmpty ? [] : box("tref", box("chap", track.chapters.flatMap { big(Int($0), 4) }))
    let mediaHead = full(
      "mdhd", version: version,
      big(0, 2 * wide) + big(track.timescale, 4) + big(track.duration ?? track.allTicks, wide) + big(0, 4))
    let handler = full("hdlr", big(0, 4) + Array(track.handler.utf8) + big(0, 13))
    return box(
      "trak", head + list + references + box("mdia", mediaHead + handler + box("minf", tables(track, offsets))))
  }

  private static func tables(_ track: Track, _ offsets: [Int]) -> [UInt8] {
    var runs: [(Int, Int)] = []
    for sample in track.samples.indices {
      if let last = runs.last, last.1 == track.ticks(sample) {
        runs[runs.count - 1].0 += 1
      } else {
        runs.append((1, track.ticks(sample)))
      }
    }
    let times = full("stts", big(runs.count, 4) + runs.flatMap { big($0.0, 4) + big($0.1, 4) })
    let rest = track.samples.count % track.samplesPerChunk
    var chunks = [(1, track.samplesPerChunk)]
    if rest > 0 { chunks = offsets.count > 1 ? chunks + [(offsets.count, rest)] : [(1, rest)] }
    let chunkTable = full("stsc", big(chunks.count, 4) + chunks.flatMap { big($0.0, 4) + big($0.1, 4) + big(1, 4) })
    let sizes = track.samples.map(\.count)
    let sizeTable: [UInt8]
    if let constant = track.constantSize {
      sizeTable = full("stsz", big(constant, 4) + big(track.statedCount ?? sizes.count, 4))
    } else if let bits = track.compactBits {
      var packed = sizes.flatMap { big($0, bits / 8) }
      if bits == 4 {
        let padded = sizes + (sizes.count % 2 == 1 ? [0] : [])
        packed = stride(from: 0, to: padded.count, by: 2).map { UInt8(padded[$0] << 4 | padded[$0 + 1]) }
      }
      sizeTable = full("stz2", big(bits, 4) + big(sizes.count, 4) + packed)
    } else {
      sizeTable = full("stsz", big(0, 4) + big(sizes.count, 4) + sizes.flatMap { big($0, 4) })
    }
    let places = full(
      track.isLong ? "co64" : "stco", big(offsets.count, 4) + offsets.flatMap { big($0, track.isLong ? 8 : 4) })
    let description = full("stsd", big(1, 4) + track.entry)
    return box("stbl", description + times + chunkTable + sizeTable + places + track.more)
  }
}
