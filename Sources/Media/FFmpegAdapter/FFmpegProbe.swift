internal import AudioModel
internal import ByteSource
internal import CFFmpeg

/// Chooses the demuxer: by what is known of the container, else by libavformat's look at the first bytes, which must
/// end at an allowed one; a weak sign needs the name or the media type to agree.
enum FFmpegProbe {
  /// libavformat's own mark of a guess that more bytes might overturn.
  private static let weakScore: Int32 = 25

  static func choose(
    _ functions: UnsafePointer<CFFmpegTable>, head: [UInt8], name: String?, facts: SourceFacts
  ) throws(AudioError) -> (FFmpegFormat, UnsafePointer<AVInputFormat>) {
    let candidates = name.map { name in FFmpegFormats.all.filter { $0.name == name || $0.demuxer == name } } ?? []
    if candidates.count == 1, let found = find(functions, candidates[0]) { return found }
    let hinted = FFmpegFormats.hinted(pathExtension: facts.pathExtension, mediaType: facts.contentType)
    if let (format, demuxer, score) = probe(functions, head, facts.pathExtension) {
      if candidates.contains(where: { $0.demuxer == format.demuxer }) || score > weakScore
        || hinted?.name == format.name
      {
        return (format, demuxer)
      }
    }
    if let first = candidates.first, let found = find(functions, first) { return found }
    // A stream that is joined in the middle of a frame shows no sign at its first byte.
    if name == nil, let hinted, hinted.isRaw, let found = find(functions, hinted) { return found }
    throw AudioError(.unrecognized, "The input is no audio that is known here")
  }

  private static func find(
    _ functions: UnsafePointer<CFFmpegTable>, _ format: FFmpegFormat
  ) -> (FFmpegFormat, UnsafePointer<AVInputFormat>)? {
    functions.pointee.av_find_input_format(format.demuxer).map { (format, $0) }
  }

  private static func probe(
    _ functions: UnsafePointer<CFFmpegTable>, _ head: [UInt8], _ pathExtension: String?
  ) -> (FFmpegFormat, UnsafePointer<AVInputFormat>, Int32)? {
    let padding = Int(AVPROBE_PADDING_SIZE)
    var bytes = head.prefix(1 << 20) + [UInt8](repeating: 0, count: padding)
    let count = bytes.count - padding
    guard count > 0 else { return nil }
    var score: Int32 = 0
    let hint = pathExtension.map { "x." + $0.filter { $0.isASCII && $0.isLetter || $0.isNumber } } ?? ""
    let demuxer = bytes.withUnsafeMutableBufferPointer { buffer in
      hint.withCString { hint in
        var data = AVProbeData(filename: hint, buf: buffer.baseAddress, buf_size: Int32(count), mime_type: nil)
        return functions.pointee.av_probe_input_format2(&data, 1, &score)
      }
    }
    guard let demuxer, let name = demuxer.pointee.name, let format = FFmpegFormats.named(String(cString: name)) else {
      return nil
    }
    return (format, demuxer, score)
  }
}
