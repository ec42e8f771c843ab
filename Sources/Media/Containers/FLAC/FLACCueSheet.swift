import AudioModel

/// The tracks of a cue sheet block. Source: RFC 9639 §8.7.
enum FLACCueSheet {
  /// Reads a block's body: 395 bytes about the disc, the number of tracks, and 36 bytes for each with 12 more for each
  /// index point. The last track only tells where the disc ends.
  static func tracks(_ bytes: [UInt8]) -> [(start: Int64, number: Int)] {
    func number(_ at: Int, _ count: Int) -> UInt64 { bytes[at..<at + count].reduce(0) { $0 << 8 | UInt64($1) } }
    guard bytes.count > 396 else { return [] }
    var tracks: [(start: Int64, number: Int)] = []
    var at = 396
    for _ in 0..<bytes[395] {
      guard at + 36 <= bytes.count else { break }
      let offset = number(at, 8)
      let track = Int(bytes[at + 8])
      let isAudio = bytes[at + 21] & 0x80 == 0
      let points = Int(bytes[at + 35])
      var start = offset
      // A track begins at its first index point but the pre-gap, which has number 0.
      for point in 0..<points where at + 36 + 12 * point + 12 <= bytes.count {
        guard bytes[at + 36 + 12 * point + 8] == 1 else { continue }
        start = offset.addingReportingOverflow(number(at + 36 + 12 * point, 8)).partialValue
      }
      if isAudio, track != 170, track != 255, track != 0, start < 1 << 40 { tracks.append((Int64(start), track)) }
      at += 36 + 12 * points
    }
    return tracks.sorted { $0.start < $1.start }
  }

  /// Chapters of tracks at a rate.
  static func chapters(_ tracks: [(start: Int64, number: Int)], rate: SampleRate) -> [Chapter] {
    tracks.indices.map { index in
      let next = index + 1 < tracks.count ? rate.seconds(tracks[index + 1].start) : nil
      return Chapter(start: rate.seconds(tracks[index].start), end: next, title: "Track \(tracks[index].number)")
    }
  }
}
