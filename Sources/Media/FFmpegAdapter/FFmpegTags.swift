internal import AudioModel
internal import CFFmpeg

/// What a file says in words, out of libavformat's dictionaries.
struct FFmpegTags {
  /// More of them, and longer ones, are left out.
  static let maximumCount = 512
  static let maximumBytes = 64 << 10
  static let maximumChapters = 10_000

  private static let internals: Set<String> = [
    "major_brand", "minor_version", "compatible_brands", "creation_time", "handler_name", "vendor_id", "itunsmpb",
    "duration", "number_of_frames", "number_of_bytes", "_statistics_tags", "_statistics_writing_app",
    "_statistics_writing_date_utc", "bps",
  ]

  private(set) var tags: [Tag] = []
  private let functions: UnsafePointer<CFFmpegTable>

  init(_ functions: UnsafePointer<CFFmpegTable>) { self.functions = functions }

  /// Adds the entries of a dictionary whose names are not there yet.
  mutating func add(_ dictionary: OpaquePointer?) {
    let known = Set(tags.map(\.name))
    var entry = functions.pointee.av_dict_get(dictionary, "", nil, AV_DICT_IGNORE_SUFFIX)
    while let current = entry, tags.count < Self.maximumCount {
      if let key = current.pointee.key, let value = current.pointee.value {
        let name = String(cString: key).lowercased()
        let bytes = UnsafeBufferPointer(start: value, count: Self.length(value))
        let text = String(decoding: bytes.lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if !name.isEmpty, name.utf8.count <= 256, !known.contains(name), !Self.internals.contains(name) {
          tags.append(Tag(name, text))
        }
      }
      entry = functions.pointee.av_dict_get(dictionary, "", current, AV_DICT_IGNORE_SUFFIX)
    }
  }

  /// Loudness out of ReplayGain tags (dB), or else Opus's R128 tags: Q7.8 relative to -23 LUFS (RFC 7845 §5.2.1), 5 dB
  /// below ReplayGain's reference.
  var loudness: LoudnessTags {
    func number(_ name: String) -> Double? {
      guard let text = tags.first(where: { $0.name == name })?.value else { return nil }
      let value = Double(text.trimmingSuffix { !$0.isNumber }.drop { $0 == " " })
      return value.flatMap { $0.isFinite && abs($0) < 1e4 ? $0 : nil }
    }
    var loudness = LoudnessTags()
    loudness.trackGain = number("replaygain_track_gain") ?? number("r128_track_gain").map { $0 / 256 + 5 }
    loudness.albumGain = number("replaygain_album_gain") ?? number("r128_album_gain").map { $0 / 256 + 5 }
    loudness.trackPeak = number("replaygain_track_peak")
    loudness.albumPeak = number("replaygain_album_peak")
    return loudness
  }

  /// Chapters, with their titles.
  static func chapters(
    _ context: UnsafePointer<AVFormatContext>, _ functions: UnsafePointer<CFFmpegTable>
  ) -> [Chapter] {
    guard let all = context.pointee.chapters else { return [] }
    var chapters: [Chapter] = []
    for index in 0..<min(Int(context.pointee.nb_chapters), maximumChapters) {
      guard let chapter = all[index]?.pointee, chapter.time_base.den > 0 else { continue }
      let tick = Double(chapter.time_base.num) / Double(chapter.time_base.den)
      var words = FFmpegTags(functions)
      words.add(chapter.metadata)
      let title = words.tags.first { $0.name == "title" }?.value ?? ""
      let hasEnd = chapter.end != CFFMPEG_NO_TIMESTAMP && chapter.end > chapter.start
      chapters.append(
        Chapter(start: Double(chapter.start) * tick, end: hasEnd ? Double(chapter.end) * tick : nil, title: title))
    }
    return chapters
  }

  /// Pictures; libavformat has loaded them, and lets go of them with the first packets.
  static func pictures(
    _ context: UnsafePointer<AVFormatContext>, _ functions: UnsafePointer<CFFmpegTable>
  ) -> [Picture] {
    guard let streams = context.pointee.streams else { return [] }
    var pictures: [Picture] = []
    for index in 0..<Int(context.pointee.nb_streams) {
      guard let stream = streams[index], stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0,
        stream.pointee.attached_pic.size > 0, let parameters = stream.pointee.codecpar
      else { continue }
      let codec = functions.pointee.avcodec_get_name(parameters.pointee.codec_id).map { String(cString: $0) } ?? ""
      let mime = codec == "mjpeg" ? "image/jpeg" : "image/\(codec)"
      let bytes = Int(stream.pointee.attached_pic.size)
      pictures.append(Picture(type: pictures.isEmpty ? 3 : 0, mime: mime, position: nil, byteCount: bytes))
    }
    return pictures
  }

  private static func length(_ text: UnsafePointer<CChar>) -> Int {
    var count = 0
    while count < maximumBytes && text[count] != 0 { count += 1 }
    return count
  }
}

extension StringProtocol {
  fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> SubSequence {
    var end = endIndex
    while end > startIndex, predicate(self[index(before: end)]) { end = index(before: end) }
    return self[..<end]
  }
}
