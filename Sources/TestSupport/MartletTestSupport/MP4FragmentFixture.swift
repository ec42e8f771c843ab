extension MP4Fixture {
  /// A fragmented file: a header without samples, then fragments of one track.
  package struct Fragments {
    package var id: UInt32 = 1
    package var timescale = 44_100
    package var entry: [UInt8]
    package var edits: [(duration: Int, time: Int)] = []
    /// Samples of each fragment.
    package var fragments: [[[UInt8]]] = []
    package var ticks = 1024
    /// The time of each fragment; `nil` for the sum of those before, empty for none at all.
    package var times: [Int]?
    /// Sizes and durations stand in the run; else in the fragment's header, and all samples are as long as the first.
    package var isSpelledOut = true
    /// A segment index in front.
    package var hasIndex = false
    /// A random access index at the end.
    package var hasRandomAccess = false
    /// Bytes that lie between the header of the data and the samples.
    package var gap = 0
    /// Fragments of another track come along.
    package var hasOtherTrack = false
    package var duration: Int?

    package init(entry: [UInt8]) { self.entry = entry }

    private func time(_ index: Int) -> Int {
      times.map { $0[index] } ?? fragments[..<index].reduce(0) { $0 + $1.count * ticks }
    }

    /// The whole file, and where each fragment begins.
    package var parts: (bytes: [UInt8], positions: [Int]) {
      var track = Track(entry: entry)
      (track.id, track.timescale, track.edits, track.duration) = (id, timescale, edits, 0)
      let defaults = MP4Fixture.full(
        "trex", MP4Fixture.big(Int(id), 4) + MP4Fixture.big(1, 4) + MP4Fixture.big(0, 12))
      var movie = MP4Fixture([track])
      let stated = duration.map { MP4Fixture.full("mehd", MP4Fixture.big($0, 4)) } ?? []
      movie.more = MP4Fixture.box("mvex", stated + defaults)
      // The fixture's own data box is empty.
      var bytes = Array(movie.file.dropLast(8))
      let made = fragments.indices.map { fragment($0) }
      if hasIndex {
        let entries = fragments.indices.flatMap { index -> [UInt8] in
          MP4Fixture.big(made[index].count, 4) + MP4Fixture.big(fragments[index].count * ticks, 4)
            + MP4Fixture.big(0x9000_0000, 4)
        }
        bytes += MP4Fixture.full(
          "sidx",
          MP4Fixture.big(Int(id), 4) + MP4Fixture.big(timescale, 4)
            + MP4Fixture.big(fragments.isEmpty ? 0 : time(0), 4)
            + MP4Fixture.big(0, 4) + MP4Fixture.big(0, 2) + MP4Fixture.big(fragments.count, 2) + entries)
      }
      var positions: [Int] = []
      for part in made {
        positions.append(bytes.count)
        bytes += part
      }
      if hasRandomAccess {
        let entries = positions.enumerated().flatMap { index, position -> [UInt8] in
          MP4Fixture.big(time(index), 4) + MP4Fixture.big(position, 4) + [1, 1, 1]
        }
        let table = MP4Fixture.full(
          "tfra", MP4Fixture.big(Int(id), 4) + MP4Fixture.big(0, 4) + MP4Fixture.big(positions.count, 4) + entries)
        let size = 8 + table.count + 16
        bytes += MP4Fixture.box("mfra", table + MP4Fixture.full("mfro", MP4Fixture.big(size, 4)))
      }
      return (bytes, positions)
    }

    private func fragment(_ index: Int) -> [UInt8] {
      let samples = fragments[index]
      func moof(_ offset: Int) -> [UInt8] {
        let clock = times?.isEmpty == true ? [] : MP4Fixture.full("tfdt", version: 1, MP4Fixture.big(time(index), 8))
        let other =
          hasOtherTrack
          ? MP4Fixture.box(
            "traf",
            MP4Fixture.full("tfhd", flags: 0x2_0000, MP4Fixture.big(77, 4))
              + MP4Fixture.full(
                "trun", flags: 0x201, MP4Fixture.big(1, 4) + MP4Fixture.big(offset - gap, 4) + MP4Fixture.big(gap, 4))
          )
          : []
        let head: [UInt8]
        let run: [UInt8]
        if isSpelledOut {
          head = MP4Fixture.full("tfhd", flags: 0x2_0000, MP4Fixture.big(Int(id), 4))
          let list = samples.flatMap { MP4Fixture.big(ticks, 4) + MP4Fixture.big($0.count, 4) }
          run = MP4Fixture.full(
            "trun", flags: 0x301, MP4Fixture.big(samples.count, 4) + MP4Fixture.big(offset, 4) + list)
        } else {
          head = MP4Fixture.full(
            "tfhd", flags: 0x2_0018,
            MP4Fixture.big(Int(id), 4) + MP4Fixture.big(ticks, 4) + MP4Fixture.big(samples.first?.count ?? 0, 4))
          run = MP4Fixture.full("trun", flags: 0x1, MP4Fixture.big(samples.count, 4) + MP4Fixture.big(offset, 4))
        }
        return MP4Fixture.box(
          "moof",
          MP4Fixture.full("mfhd", MP4Fixture.big(index + 1, 4)) + other + MP4Fixture.box("traf", head + clock + run))
      }
      let size = moof(0).count
      let data = [UInt8](repeating: 0xEE, count: gap) + samples.flatMap { $0 }
      return moof(size + 8 + gap) + MP4Fixture.box("mdat", data)
    }
  }
}
