internal import CFFmpeg

/// Decoded samples of any of libavutil's formats to Float32, full scale ±1: exact for integers up to 24 bits, which the
/// decoders deliver left-justified, and for Float32; wider ones round to nearest.
enum SampleConversion {
  /// Writes channel `channel` of `count` frames.
  /// - Returns: `false` for a format that is not known.
  static func convert(
    _ planes: UnsafePointer<UnsafeMutablePointer<UInt8>?>, format: AVSampleFormat, channel: Int, channels: Int,
    count: Int, to output: UnsafeMutablePointer<Float>
  ) -> Bool {
    let isPlanar: Bool
    switch format {
    case AV_SAMPLE_FMT_U8P, AV_SAMPLE_FMT_S16P, AV_SAMPLE_FMT_S32P, AV_SAMPLE_FMT_FLTP, AV_SAMPLE_FMT_DBLP,
      AV_SAMPLE_FMT_S64P:
      isPlanar = true
    default: isPlanar = false
    }
    guard let plane = planes[isPlanar ? channel : 0] else { return false }
    let raw = UnsafeRawPointer(plane)
    let stride = isPlanar ? 1 : channels
    let offset = isPlanar ? 0 : channel
    switch format {
    case AV_SAMPLE_FMT_FLTP:
      output.update(from: raw.assumingMemoryBound(to: Float.self), count: count)
    case AV_SAMPLE_FMT_FLT:
      each(raw, as: Float.self, offset, stride, count, output) { $0 }
    case AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16P:
      each(raw, as: Int16.self, offset, stride, count, output) { Float($0) * 0x1p-15 }
    case AV_SAMPLE_FMT_S32, AV_SAMPLE_FMT_S32P:
      each(raw, as: Int32.self, offset, stride, count, output) { Float($0) * 0x1p-31 }
    case AV_SAMPLE_FMT_U8, AV_SAMPLE_FMT_U8P:
      each(raw, as: UInt8.self, offset, stride, count, output) { Float(Int32($0) - 128) * 0x1p-7 }
    case AV_SAMPLE_FMT_DBL, AV_SAMPLE_FMT_DBLP:
      each(raw, as: Double.self, offset, stride, count, output) { Float($0) }
    case AV_SAMPLE_FMT_S64, AV_SAMPLE_FMT_S64P:
      each(raw, as: Int64.self, offset, stride, count, output) { Float($0) * 0x1p-63 }
    default: return false
    }
    return true
  }

  @inline(__always)
  private static func each<Sample>(
    _ raw: UnsafeRawPointer, as type: Sample.Type, _ offset: Int, _ stride: Int, _ count: Int,
    _ output: UnsafeMutablePointer<Float>, _ convert: (Sample) -> Float
  ) {
    let input = raw.assumingMemoryBound(to: Sample.self) + offset
    if stride == 1 {
      for index in 0..<count { output[index] = convert(input[index]) }
    } else {
      for index in 0..<count { output[index] = convert(input[index &* stride]) }
    }
  }
}
