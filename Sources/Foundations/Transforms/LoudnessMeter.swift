package import AudioModel
internal import CEBUR128

/// Loudness of a programme after EBU R 128 and ITU-R BS.1770-4, by libebur128.
///
/// What is integrated is kept as two histograms of steps of 0.1 LU, so that memory does not grow with a programme's length
/// (some 400 kB for stereo at 48 kHz, most of it the last three seconds). Values are in LUFS; `nil` where nothing was louder
/// than −70 LUFS, the absolute gate. Below 4 kHz, where the weighting filter can't be, nothing is measured.
///
/// Not for the thread that renders: the library's filters change that thread's floating-point mode for a moment, and range
/// and integration read thousands of values. Taps bring sound to it. For one thread at a time.
package final class LoudnessMeter: @unchecked Sendable {
  /// Format of what is measured.
  package let format: PCMFormat
  private var state: UnsafeMutablePointer<ebur128_state>?
  private var scratch: [Float]

  /// Frames that are handed to the library in one go.
  private static let piece = 1024

  /// Makes a meter.
  /// - Parameters:
  ///   - format: Rate and loudspeakers. The low-frequency channel does not count; those at the sides count 1.5 dB more.
  ///   - isDualMono: Counts the one channel of a mono programme twice, as it sounds where both loudspeakers play it.
  ///     Default: `false`, as BS.1770 has it.
  package init(format: PCMFormat, isDualMono: Bool = false) {
    self.format = format
    scratch = [Float](repeating: 0, count: Self.piece * format.channels)
    let mode = EBUR128_MODE_S.rawValue | EBUR128_MODE_I.rawValue | EBUR128_MODE_LRA.rawValue
    let bounded = mode | EBUR128_MODE_HISTOGRAM.rawValue
    guard format.sampleRate.hertz >= 4000 else { return }
    // It fills tables of its own anew each time, with the same numbers: meters may be made on any thread.
    state = ebur128_init(UInt32(format.channels), UInt(format.sampleRate.hertz), Int32(bounded))
    let places = Self.places(of: format.layout, isDualMono: isDualMono)
    for (channel, place) in places.enumerated() {
      ebur128_set_channel(state, UInt32(channel), Int32(place.rawValue))
    }
  }

  deinit { if state != nil { ebur128_destroy(&state) } }

  /// Measures frames; samples that are no numbers count as 0.
  /// - Parameters:
  ///   - block: Of the meter's number of channels.
  ///   - range: Frames of it.
  package func add(_ block: PCMBlock, _ range: Range<Int>) {
    precondition(block.channels == format.channels && range.upperBound <= block.frameCount)
    guard !range.isEmpty else { return }
    add(block.plane(0) + range.lowerBound, stride: block.capacity, frames: range.count)
  }

  /// Measures frames; samples that are no numbers count as 0.
  /// - Parameter planes: The plane of channel c begins at `planes + c × stride`.
  package func add(_ planes: UnsafePointer<Float>, stride: Int, frames: Int) {
    guard let state else { return }
    let channels = format.channels
    var done = 0
    while done < frames {
      let count = min(frames - done, Self.piece)
      scratch.withUnsafeMutableBufferPointer { scratch in
        for channel in 0..<channels {
          let plane = planes + channel * stride + done
          for frame in 0..<count {
            let value = plane[frame]
            scratch[frame * channels + channel] = value.isFinite ? value : 0
          }
        }
        // It fails for want of memory only, and takes none.
        _ = ebur128_add_frames_float(state, scratch.baseAddress, count)
      }
      done += count
    }
  }

  /// Loudness of the last 400 ms.
  package var momentary: Double? { value(ebur128_loudness_momentary) }

  /// Loudness of the last three seconds.
  package var shortTerm: Double? { value(ebur128_loudness_shortterm) }

  /// Loudness of everything so far, without what is silent (gated at −70 LUFS and 10 LU below the mean).
  package var integrated: Double? { value(ebur128_loudness_global) }

  /// Loudness range after EBU Tech 3342, in LU: from soft to loud, without the extremes. `nil` before three seconds are
  /// heard.
  package var range: Double? {
    guard integrated != nil, let state else { return nil }
    var value = 0.0
    guard ebur128_loudness_range(state, &value) == Int32(EBUR128_SUCCESS.rawValue) else { return nil }
    return value.isFinite ? value : nil
  }

  /// Integrated loudness of several programmes as if they were one: that of an album.
  package static func integrated(of meters: [LoudnessMeter]) -> Double? {
    var states: [UnsafeMutablePointer<ebur128_state>?] = meters.compactMap(\.state)
    guard !states.isEmpty else { return nil }
    var value = 0.0
    let count = states.count
    let result = states.withUnsafeMutableBufferPointer {
      ebur128_loudness_global_multiple($0.baseAddress, count, &value)
    }
    return withExtendedLifetime(meters) { audible(result, value) }
  }

  private func value(
    _ read: (UnsafeMutablePointer<ebur128_state>?, UnsafeMutablePointer<Double>?) -> Int32
  ) -> Double? {
    guard let state else { return nil }
    var value = 0.0
    return Self.audible(read(state, &value), value)
  }

  private static func audible(_ result: Int32, _ value: Double) -> Double? {
    result == Int32(EBUR128_SUCCESS.rawValue) && value.isFinite && value >= -70 ? value : nil
  }

  /// The library's names of loudspeakers. The angle decides the weight: 60°…120° count 1.41 times, all others once.
  private static func places(of layout: ChannelLayout, isDualMono: Bool) -> [channel] {
    if layout.count == 1 { return [isDualMono ? EBUR128_DUAL_MONO : EBUR128_CENTER] }
    guard layout.mask != 0 else { return Array(repeating: EBUR128_LEFT, count: layout.count) }
    let hasSides = layout.mask & 0x600 != 0
    return (0..<UInt32(32)).filter { layout.mask >> $0 & 1 != 0 }.map { bit in
      switch bit {
      case 0: EBUR128_LEFT
      case 1: EBUR128_RIGHT
      case 2: EBUR128_CENTER
      case 3: EBUR128_UNUSED
      // Surrounds of 5.1 stand at 110°, the back ones of 7.1 at 135°.
      case 4: hasSides ? EBUR128_Mp135 : EBUR128_Mp110
      case 5: hasSides ? EBUR128_Mm135 : EBUR128_Mm110
      case 8: EBUR128_Mp180
      case 9: EBUR128_Mp090
      case 10: EBUR128_Mm090
      default: EBUR128_CENTER
      }
    }
  }
}
