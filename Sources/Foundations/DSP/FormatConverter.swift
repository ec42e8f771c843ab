package import AudioModel

/// From one format to another: channels by ``ChannelMixer``, rate by ``Resampler``, either only where it differs.
///
/// Equal formats pass bit for bit. N input frames make ⌈N × output rate / input rate⌉ output frames, the first one at
/// the place of the first. For one thread, not the device's.
package final class FormatConverter {
  /// Format of the input.
  package let input: PCMFormat
  /// Format of the output.
  package let output: PCMFormat
  private let mixer: ChannelMixer
  private let resampler: Resampler
  private let between: PCMBlock
  // The filter is the dear part: it runs where there are fewer channels.
  private let mixesFirst: Bool

  /// Makes a converter.
  package init(from input: PCMFormat, to output: PCMFormat, quality: ResamplerQuality = .medium) {
    self.input = input
    self.output = output
    mixesFirst = output.channels < input.channels
    let channels = min(input.channels, output.channels)
    mixer = ChannelMixer(from: input.layout, to: output.layout)
    resampler = Resampler(from: input.sampleRate, to: output.sampleRate, channels: channels, quality: quality)
    between = PCMBlock(channels: channels, capacity: 1)
  }

  /// Whether the output is the input, so that the caller can leave the converter out.
  package var isIdentity: Bool { input == output }

  /// How many input frames make at most `outputFrames`, but at least 1: for a caller
  /// that wants bounded blocks, whatever rates a file states. ``finish(into:)`` adds half a filter length at most.
  package func inputFrames(within outputFrames: Int) -> Int {
    max(1, outputFrames * input.sampleRate.hertz / output.sampleRate.hertz)
  }

  /// Converts frames `start` ..< `start + count` of `source`, and appends to `target` what is complete.
  package func process(_ source: PCMBlock, from start: Int, count: Int, into target: PCMBlock) {
    precondition(source.channels == input.channels && target.channels == output.channels)
    if mixer.isIdentity {
      resampler.process(source, from: start, count: count, into: target)
    } else if input.sampleRate == output.sampleRate {
      mixer.process(source, from: start, count: count, into: target)
    } else if mixesFirst {
      between.removeAll()
      mixer.process(source, from: start, count: count, into: between)
      resampler.process(between, from: 0, count: between.frameCount, into: target)
    } else {
      between.removeAll()
      resampler.process(source, from: start, count: count, into: between)
      mixer.process(between, from: 0, count: between.frameCount, into: target)
    }
  }

  /// Says that the input ends: appends the last frames to `target`, and is ready for another signal.
  package func finish(into target: PCMBlock) {
    if mixesFirst || mixer.isIdentity {
      resampler.finish(into: target)
    } else {
      between.removeAll()
      resampler.finish(into: between)
      mixer.process(between, from: 0, count: between.frameCount, into: target)
    }
  }

  /// Forgets the signal so far.
  /// - Parameter place: How far the next input frame lies behind an output frame, in parts of one: see
  ///   ``Resampler/reset(place:)``.
  package func reset(place: Double = 0) { resampler.reset(place: place) }
}
