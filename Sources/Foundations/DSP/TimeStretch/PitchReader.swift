internal import CKernels
internal import Glibc

/// Reads a signal at places between its frames, at a step that may change all the time: windowed-sinc interpolation.
///
/// Steps above 1 would fold what lies above half the new rate back into the sound; there the filter is stretched, so that
/// it takes that away first. The filter is a sinc under a Kaiser window (Kaiser & Schafer, 1980): 32 zero crossings each
/// side, edges at 0.84 and 1.01 of half the rate, 90 dB.
struct PitchReader {
  /// The greatest step.
  let maximumStep = 32.0

  private let resolution = 512
  private let crossings = 32
  /// The filter's right half, `resolution` values from one zero crossing to the next.
  private let curve: UnsafeMutablePointer<Float>
  /// The filter for the stretching that was prepared: a row for each of ``spacing`` places between two frames, and one more.
  private let rows: UnsafeMutablePointer<Float>
  /// Where a row is computed for one place.
  private let row: UnsafeMutablePointer<Float>
  /// How many values of the curve one frame is apart from the next: fewer where it is stretched.
  private var spacing = 0
  private var taps = 0

  init() {
    let size = crossings * resolution
    curve = .allocate(capacity: size + 2)
    for index in 0...size + 1 {
      (curve + index).initialize(to: Float(Self.response(Double(index) / Double(resolution))))
    }
    // As many values whatever the stretching: fewer rows are longer ones.
    let capacity = 2 * size + 24 * resolution + 4096
    rows = .allocate(capacity: capacity)
    rows.initialize(repeating: 0, count: capacity)
    row = .allocate(capacity: 2 * 32 * crossings + 64)
    row.initialize(repeating: 0, count: 2 * 32 * crossings + 64)
    prepare(step: 1)
  }

  func deallocate() {
    rows.deallocate()
    curve.deallocate()
    row.deallocate()
  }

  /// The filter's response at a distance in frames.
  private static func response(_ distance: Double) -> Double {
    let place = distance / 32
    guard place < 1 else { return 0 }
    let cutoff = 0.925
    let angle = Double.pi * cutoff * distance
    let sinc = distance < 1e-9 ? 1 : sin(angle) / angle
    let beta = 0.1102 * (90 - 8.7)
    return cutoff * sinc * KaiserFilter.besselI0(beta * (1 - place * place).squareRoot())
      / KaiserFilter.besselI0(beta)
  }

  // MARK: Real-time

  /// Frames each side of a place that a step needs.
  @_noLocks @_noAllocation
  func reach(step: Double) -> Int { half(spacing(step)) &+ 10 }

  /// Lays out the filter for a step that stays, so that reading is quicker: once for each step that stays.
  @_noLocks @_noAllocation
  mutating func prepare(step: Double) {
    let wanted = spacing(step)
    guard wanted != spacing else { return }
    spacing = wanted
    taps = count(wanted)
    var phase = 0
    while phase <= spacing {
      fill(rows + phase &* taps, spacing: spacing, phase: phase, blend: 0)
      phase &+= 1
    }
  }

  /// The values of all channels at a place.
  /// - Parameters:
  ///   - place: Number of a frame and how far behind it; ``reach(step:)`` frames each side must be held.
  ///   - output: Where the value of channel c goes: `output + c × stride`.
  @_noLocks @_noAllocation
  func read(
    _ queue: SignalQueue, at place: Double, step: Double, into output: UnsafeMutablePointer<Float>, stride: Int
  ) {
    let whole = martlet_floor(place)
    let spacing = spacing(step)
    let offset = (place - whole) * Double(spacing)
    let phase = Int(offset)
    let blend = Float(offset - Double(phase))
    let first = Int64(whole) &- Int64(half(spacing) &- 1)
    var channel = 0
    if spacing == self.spacing {
      let lower = rows + phase &* taps
      while channel < queue.channels {
        output[channel &* stride] = Kernels.dot(
          queue.pointer(channel, first), lower, lower + taps, blend: blend, count: taps)
        channel &+= 1
      }
      return
    }
    let count = count(spacing)
    fill(row, spacing: spacing, phase: phase, blend: blend)
    while channel < queue.channels {
      output[channel &* stride] = Kernels.dot(queue.pointer(channel, first), row, count: count)
      channel &+= 1
    }
  }

  /// The filter is stretched by whole values of the curve, at least as far as the step is above 1.
  @inline(__always) @_noLocks @_noAllocation
  private func spacing(_ step: Double) -> Int {
    guard step > 1 else { return resolution }
    let spacing = Int(Double(resolution) / step)
    return spacing < 16 ? 16 : spacing
  }

  /// Frames each side.
  @inline(__always) @_noLocks @_noAllocation
  private func half(_ spacing: Int) -> Int { (crossings &* resolution &+ spacing &- 1) / spacing }

  /// Coefficients of a row, a multiple of 8.
  @inline(__always) @_noLocks @_noAllocation
  private func count(_ spacing: Int) -> Int { (2 &* half(spacing) &+ 7) & ~7 }

  /// The coefficients for a place `phase + blend` values of the curve behind a frame; their sum is 1.
  @_noLocks @_noAllocation
  private func fill(_ target: UnsafeMutablePointer<Float>, spacing: Int, phase: Int, blend: Float) {
    let count = count(spacing)
    let limit = crossings &* resolution
    var place = (1 &- half(spacing)) &* spacing &- phase
    var sum: Float = 0
    var tap = 0
    while tap < count {
      let near = place < 0 ? 0 &- place : place
      let far = place < 1 ? 1 &- place : place &- 1
      let lower = near < limit ? curve[near] : 0
      let upper = far < limit ? curve[far] : 0
      let value = lower + blend * (upper - lower)
      target[tap] = value
      sum += value
      place &+= spacing
      tap &+= 1
    }
    let factor = 1 / sum
    tap = 0
    while tap < count {
      target[tap] *= factor
      tap &+= 1
    }
  }
}
