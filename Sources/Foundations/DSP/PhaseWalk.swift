internal import AudioModel
internal import CKernels

/// The places of output frames among input frames, counted in whole numbers, and the filter that is heard at them.
struct PhaseWalk: BitwiseCopyable {
  /// An output frame is `step` input frames and `stepRemainder` / `denominator` of one behind the one before.
  let denominator: Int
  let step: Int
  let stepRemainder: Int
  /// Input frames from one output frame to the next, as a multiple of 1 / `denominator`; those of `denominator` frames.
  let ratio: Int
  private let isWide = martlet_has_wide_sums()
  /// Where the next output frame's filter begins, as an index of the input, and as `fraction` / `denominator` behind it.
  var start = 0
  var fraction = 0

  /// The places of frames at `outputRate` among those at `inputRate`.
  init(from inputRate: SampleRate, to outputRate: SampleRate) {
    let divisor = Self.greatestCommonDivisor(inputRate.hertz, outputRate.hertz)
    denominator = outputRate.hertz / divisor
    ratio = inputRate.hertz / divisor
    step = inputRate.hertz / outputRate.hertz
    stepRemainder = ratio % denominator
  }

  private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }

  // MARK: Real-time

  /// Where the filter begins at the output frame `frames` behind the next one.
  @_noLocks @_noAllocation
  func place(of frames: Int) -> Int { start &+ frames &* step &+ (fraction &+ frames &* stepRemainder) / denominator }

  /// Makes `frames` output frames of each channel, whose input must be there, and steps on.
  /// - Parameters:
  ///   - input: The plane of channel c begins at `input + c × inputStride`.
  ///   - output: The plane of channel c begins at `output + c × outputStride`.
  @_noLocks @_noAllocation
  mutating func run(
    _ filter: KaiserFilter, _ input: UnsafePointer<Float>, inputStride: Int, into output: UnsafeMutablePointer<Float>,
    outputStride: Int, channels: Int, frames: Int
  ) {
    var channel = 0
    // Several sums at a time: reading the coefficients takes longer than multiplying.
    if filter.phases == denominator {
      while channel &+ 2 <= channels {
        runTwo(
          filter, (input + channel &* inputStride, input + (channel &+ 1) &* inputStride),
          into: (output + channel &* outputStride, output + (channel &+ 1) &* outputStride), frames: frames)
        channel &+= 2
      }
    }
    while channel < channels {
      runOne(filter, input + channel &* inputStride, into: output + channel &* outputStride, frames: frames)
      channel &+= 1
    }
    let moved = fraction &+ frames &* stepRemainder
    start = place(of: frames)
    fraction = moved % denominator
  }

  @_noLocks @_noAllocation
  private func runTwo(
    _ filter: KaiserFilter, _ input: (UnsafePointer<Float>, UnsafePointer<Float>),
    into output: (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>), frames: Int
  ) {
    let taps = filter.taps
    let distance = ratio
    var (place, fraction) = (start, fraction)
    var frame = 0
    // `denominator` output frames on, the filter's phase is the same, and its place whole frames further.
    while frame &+ 2 &* denominator <= frames {
      let end = frame &+ denominator
      while frame < end {
        let row = filter.table + fraction &* taps
        let sums =
          isWide
          ? martlet_wide_sums(input.0 + place, input.1 + place, distance, row, taps)
          : Kernels.sums((input.0 + place, input.1 + place), distance: distance, row, count: taps)
        output.0[frame] = sums.near0
        output.1[frame] = sums.near1
        output.0[frame &+ denominator] = sums.far0
        output.1[frame &+ denominator] = sums.far1
        advance(&place, &fraction)
        frame &+= 1
      }
      frame &+= denominator
      place &+= distance
    }
    while frame < frames {
      let sums = Kernels.dots((input.0 + place, input.1 + place), filter.table + fraction &* taps, count: taps)
      output.0[frame] = sums.0
      output.1[frame] = sums.1
      advance(&place, &fraction)
      frame &+= 1
    }
  }

  @_noLocks @_noAllocation
  private func runOne(
    _ filter: KaiserFilter, _ input: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, frames: Int
  ) {
    let taps = filter.taps
    let isExact = filter.phases == denominator
    let scale = Double(filter.phases) / Double(denominator)
    var (place, fraction) = (start, fraction)
    var frame = 0
    while frame < frames {
      if isExact {
        output[frame] = Kernels.dot(input + place, filter.table + fraction &* taps, count: taps)
      } else {
        let phase = Double(fraction) * scale
        let lower = Int(phase)
        let row = filter.table + lower &* taps
        output[frame] = Kernels.dot(input + place, row, row + taps, blend: Float(phase - Double(lower)), count: taps)
      }
      advance(&place, &fraction)
      frame &+= 1
    }
  }

  @inline(__always) @_noLocks @_noAllocation
  private func advance(_ place: inout Int, _ fraction: inout Int) {
    place &+= step
    fraction &+= stepRemainder
    if fraction >= denominator {
      fraction &-= denominator
      place &+= 1
    }
  }
}
