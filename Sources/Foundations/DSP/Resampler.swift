package import AudioModel

/// Changes the sample rate.
///
/// A polyphase low-pass filter: at medium quality flat within 0.001 dB up to 0.91 of the lower rate's Nyquist frequency,
/// at least 110 dB down from 1.0 of it on, images and aliases included. Positions are counted in whole numbers, so that
/// any length of signal keeps its place to the end. Output frame 0 lies at input frame 0, and N input frames make
/// ⌈N × output rate / input rate⌉ output frames: all whose place lies before the input's end. Equal rates pass bit for
/// bit.
///
/// The bits of the output do not depend on how the input is cut into blocks. Takes at most about 2 MB for the filter,
/// and memory for the input of one filter length and 1024 frames. For one thread, not the device's.
package final class Resampler {
  /// Rate of the input.
  package let inputRate: SampleRate
  /// Rate of the output.
  package let outputRate: SampleRate
  /// Channels of both.
  package let channels: Int
  /// Steepness and attenuation of the filter.
  package let quality: ResamplerQuality

  private let filter: KaiserFilter?
  private var walk: PhaseWalk
  // Input that is still needed, per channel.
  private let window: PCMBlock

  /// The most coefficients that are kept: where exact phases would need more, neighbouring ones are interpolated.
  static let tableLimit = 200_000
  /// Phases that interpolation needs for an error below −118 dB.
  static let interpolatedPhases = 1024.0
  /// Beyond this ratio the filter is no longer lengthened, and rates so far apart alias.
  static let reductionLimit = 256.0

  /// Designs the filter.
  /// - Parameters:
  ///   - inputRate: Rate of the input.
  ///   - outputRate: Rate of the output.
  ///   - channels: 1…64.
  ///   - quality: Steepness and attenuation of the filter.
  package init(
    from inputRate: SampleRate, to outputRate: SampleRate, channels: Int, quality: ResamplerQuality = .medium
  ) {
    self.quality = quality
    self.inputRate = inputRate
    self.outputRate = outputRate
    self.channels = channels
    walk = PhaseWalk(from: inputRate, to: outputRate)
    guard inputRate != outputRate else {
      filter = nil
      window = PCMBlock(channels: channels, capacity: 1)
      return
    }
    let reduction = min(max(1, Double(inputRate.hertz) / Double(outputRate.hertz)), Self.reductionLimit)
    let taps = KaiserFilter.taps(reduction: reduction, quality: quality)
    let phases =
      walk.denominator * taps <= Self.tableLimit
      ? walk.denominator : Int((Self.interpolatedPhases / reduction).rounded(.up))
    filter = KaiserFilter(taps: taps, phases: phases, reduction: reduction, quality: quality)
    window = PCMBlock(channels: channels, capacity: taps + max(taps, 1024))
    reset()
  }

  deinit { filter?.deallocate() }

  /// Converts frames `start` ..< `start + count` of `input`, and appends to `output` what is complete.
  package func process(_ input: PCMBlock, from start: Int, count: Int, into output: PCMBlock) {
    guard let filter else {
      output.append(input, from: start, count: count)
      return
    }
    var done = 0
    while done < count {
      let fitting = min(count - done, window.capacity - window.frameCount)
      window.append(input, from: start + done, count: fitting)
      done += fitting
      advance(filter, into: output)
    }
  }

  /// Says that the input ends: appends the last frames to `output`, and is ready for another signal.
  package func finish(into output: PCMBlock) {
    guard let filter else { return }
    var padding = filter.taps / 2
    while padding > 0 {
      let fitting = min(padding, window.capacity - window.frameCount)
      window.appendSilence(fitting)
      padding -= fitting
      advance(filter, into: output)
    }
    reset()
  }

  /// Forgets the signal so far.
  /// - Parameter place: How far the next input frame lies behind an output frame, in parts of one: 0..<1. Output goes on
  ///   with the first frame that is not before the input, as it would have if all input had been given. Silence takes
  ///   the place of what is missing, and blurs the first half of a filter's length.
  package func reset(place: Double = 0) {
    window.removeAll()
    let parts = place > 0 ? Int(((1 - place) * Double(walk.ratio)).rounded()) : 0
    (walk.start, walk.fraction) = parts.quotientAndRemainder(dividingBy: walk.denominator)
    if let filter { window.appendSilence(filter.taps / 2 - 1) }
  }

  /// Makes all output frames whose filter lies within the window, and drops what no later one needs.
  private func advance(_ filter: KaiserFilter, into output: PCMBlock) {
    let frames = framesReady(filter.taps)
    if frames > 0 {
      output.reserve(frames)
      walk.run(
        filter, window.plane(0), inputStride: window.capacity, into: output.plane(0) + output.frameCount,
        outputStride: output.capacity, channels: channels, frames: frames)
      output.advance(frames)
    }
    let dropped = min(walk.start, window.frameCount)
    window.removeFirst(dropped)
    walk.start -= dropped
  }

  /// How many output frames begin at or before the last place where the filter fits into the window.
  private func framesReady(_ taps: Int) -> Int {
    let room = window.frameCount - taps - walk.start
    guard room >= 0 else { return 0 }
    return ((room + 1) * walk.denominator - walk.fraction + walk.ratio - 1) / walk.ratio
  }
}
