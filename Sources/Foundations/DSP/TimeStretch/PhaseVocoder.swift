internal import CKernels
internal import Glibc
internal import Transforms

/// Changes the tempo by laying spectra of the source at other distances, with their phases turned to fit.
///
/// Each frame of the result is a window of the source around the frame that is due. What its phases have to be turned by
/// follows from a second window, as far before the first as the frames of the result are apart: the turn from that to the
/// result so far, at the peaks of the spectrum, for all channels together; the bins around a peak turn with it. No phase is
/// unwrapped, so that any ratio will do, and the channels keep their phases to each other. After J. Laroche and M. Dolson,
/// "Improved phase vocoder time-scale modification of audio" (1999), and M. Puckette, "Phase-locked vocoder" (1995).
struct PhaseVocoder {
  /// Samples of a window of the source, about 116 ms: less can't tell the partials of a chord from each other.
  let size: Int
  /// Samples each side that a window of the result has, 35 ms: fewer than the source's, so that less is read ahead.
  private let reach: Int
  private let half: Int
  let bins: Int
  let channels: Int
  private let transform: Unmanaged<RealFFT>
  private let window: UnsafeMutablePointer<Float>
  private let resultWindow: UnsafeMutablePointer<Float>
  /// The window as it is cut at an onset: of the source, and of the result.
  private let analysis: UnsafeMutablePointer<Float>
  private let synthesis: UnsafeMutablePointer<Float>
  private let scratch: UnsafeMutablePointer<Float>
  /// Spectra: of the window that is due, of the one before it, and of the result.
  let present: UnsafeMutablePointer<Float>
  let past: UnsafeMutablePointer<Float>
  let result: UnsafeMutablePointer<Float>
  let powers: UnsafeMutablePointer<Float>
  let pastPowers: UnsafeMutablePointer<Float>
  let turns: UnsafeMutablePointer<Float>
  /// What has been added up, and the windows' squares.
  private let sums: UnsafeMutablePointer<Float>
  private let weights: UnsafeMutablePointer<Float>
  private let capacity: Int
  /// The frame at the beginning of the sums.
  private var base: Int64 = 0
  private var nextCentre: Int64 = 0
  private var lastCentre: Int64 = 0
  private var hasResult = false
  // Onsets, and what belongs to the last one: its frame of the source, and of the result.
  private var detector: OnsetDetector
  var isAttack = false
  private var attackMedia = Int64.min / 2
  private var attackCentre = Int64.min / 2
  private let edge: Int
  private let guardFrames: Int
  /// Frames from one window to the next.
  private(set) var hop: Int

  /// A window's length for a rate: one that is quickly transformed, a multiple of 16.
  static func windowSize(rate: Int) -> Int { 8 * RealFFT.fastLength(atLeast: (rate * 5120 / 44_100 + 7) / 8) }

  init(channels: Int, rate: Int) {
    size = Self.windowSize(rate: rate)
    half = size / 2
    reach = size * 3 / 10
    hop = reach * 4 / 7
    bins = half + 1
    self.channels = channels
    transform = .passRetained(RealFFT(length: size))
    func zeros(_ count: Int) -> UnsafeMutablePointer<Float> {
      let memory = UnsafeMutablePointer<Float>.allocate(capacity: count)
      memory.initialize(repeating: 0, count: count)
      return memory
    }
    window = zeros(size)
    resultWindow = zeros(size)
    for index in half - reach..<half + reach {
      resultWindow[index] = Float(0.5 + 0.5 * cos(Double.pi * Double(index - half) / Double(reach)))
    }
    for index in 0..<size { window[index] = Float(0.5 - 0.5 * cos(2 * Double.pi * Double(index) / Double(size))) }
    scratch = zeros(size)
    present = zeros(channels * 2 * bins)
    past = zeros(channels * 2 * bins)
    result = zeros(channels * 2 * bins)
    analysis = zeros(size)
    synthesis = zeros(size)
    powers = zeros(bins + 8)
    pastPowers = zeros(bins + 8)
    edge = max(4, rate * 32 / 44_100)
    guardFrames = rate / 1000
    detector = OnsetDetector(rate: rate)
    turns = zeros(2 * bins)
    capacity = 3 * size
    sums = zeros(channels * capacity)
    weights = zeros(capacity)
  }

  func deallocate() {
    transform.release()
    detector.deallocate()
    for memory in [
      window, resultWindow, analysis, synthesis, scratch, present, past, result, powers, pastPowers, turns, sums,
      weights,
    ] { memory.deallocate() }
  }

  // MARK: Real-time

  /// Sets by how many windows of the result each frame is covered.
  @_noLocks @_noAllocation
  mutating func setOverlap(_ windows: Int) { hop = 16 &* reach / (7 &* windows) }

  /// How far the map has to be laid beyond what is made.
  var horizon: Int {
    @_noLocks @_noAllocation
    get { reach }
  }

  /// Frames of the source that are needed behind the one that is due at the horizon.
  var lookAhead: Int {
    @_noLocks @_noAllocation
    get { half &+ detector.lookAhead &+ 1 }
  }

  /// Begins at a frame of the result.
  @_noLocks @_noAllocation
  mutating func start(at frame: Int64, media: Int64) {
    detector.start(at: media)
    forgetAttack()
    base = frame
    nextCentre = frame
    hasResult = false
    weights.update(repeating: 0, count: capacity)
    sums.update(repeating: 0, count: channels &* capacity)
  }

  /// Makes frames `start ..< start + count`, for which the map must be laid as far as the horizon.
  @_noLocks @_noAllocation
  mutating func render(
    _ source: SignalQueue, _ map: MediaMap, from start: Int64, count: Int, into output: UnsafeMutablePointer<Float>,
    stride: Int
  ) {
    let end = start &+ Int64(count)
    while nextCentre < end &+ Int64(reach) { place(source, map) }
    let offset = Int(start &- base)
    var channel = 0
    while channel < channels {
      let plane = sums + (channel &* capacity &+ offset)
      let target = output + channel &* stride
      var index = 0
      while index < count {
        let weight = weights[offset &+ index]
        // Where hardly a window is, there is nothing to be made louder.
        target[index] = plane[index] / (weight > 0.1 ? weight : 0.1)
        index &+= 1
      }
      channel &+= 1
    }
    drop(to: end)
  }

  /// Adds the next window.
  ///
  /// Where a sound sets in, a window stands right on it, which keeps its phases where they are new. No window before reaches
  /// beyond it, and none behind reaches back over its first millisecond: those come out as they went in.
  @_noLocks @_noAllocation
  private mutating func place(_ source: SignalQueue, _ map: MediaMap) {
    let centre = nextCentre
    var media = round(map.media(at: Double(centre)))
    if isAttack {
      // The speed may have changed since the place of the attack was reckoned.
      let off = attackMedia &- media
      isAttack = off < 64 && off > -64
      if isAttack { media = attackMedia } else { forgetAttack() }
    }
    let distance = Int(centre &- lastCentre)
    detector.scan(source, to: media &+ Int64(half))
    let onset = detector.first(after: media)
    // Cuts, as places in the window: nothing counts before `left` and from `right` on.
    let behind = media &- attackMedia
    let isBehind = !isAttack && behind < Int64(half)
    let left = isBehind ? half &- Int(behind) &+ guardFrames : 0
    let right = onset &- media < Int64(half) ? half &+ Int(onset &- media) : size
    cut(window, left: left, right: right, into: analysis)
    analyse(source, media, into: present)
    if hasResult {
      if isAttack {
        cut(window, left: 0, right: minimum(half &+ distance, size), into: analysis)
        analyse(source, media &- Int64(distance), into: past)
        cut(window, left: 0, right: right, into: analysis)
      } else {
        analyse(source, media &- Int64(distance), into: past)
      }
      turn()
    } else {
      adopt()
    }
    let sinceAttack = centre &- attackCentre
    let wait = nextCentreOffset(map, centre, media, onset)
    var resultRight = size
    if wait.isAttack, wait.offset < half { resultRight = half &+ wait.offset &+ edge }
    cut(
      resultWindow, left: isBehind && sinceAttack < Int64(half) ? half &- Int(sinceAttack) &+ guardFrames : 0,
      right: minimum(resultRight, size), into: synthesis)
    synthesise(at: centre)
    hasResult = true
    lastCentre = centre
    nextCentre = centre &+ Int64(wait.offset)
    isAttack = wait.isAttack
    if isAttack {
      attackMedia = onset
      attackCentre = nextCentre
    }
  }

  @_noLocks @_noAllocation
  private mutating func forgetAttack() {
    isAttack = false
    attackMedia = .min / 2
    attackCentre = .min / 2
  }

  /// How far the next window is: a hop, or as far as the onset, if that is nearer.
  @_noLocks @_noAllocation
  private func nextCentreOffset(
    _ map: MediaMap, _ centre: Int64, _ media: Int64, _ onset: Int64
  ) -> (offset: Int, isAttack: Bool) {
    guard onset != .max else { return (hop, false) }
    let from = map.media(at: Double(centre))
    let to = map.media(at: Double(centre &+ Int64(hop)))
    guard to > from, Double(onset) <= to else { return (hop, false) }
    let part = (Double(onset) - from) / (to - from)
    let offset = Int(part * Double(hop) + 0.5)
    return (offset < 1 ? 1 : offset > hop ? hop : offset, true)
  }

  /// The window without what lies before `left` and from `right` on. Its edges are soft.
  @_noLocks @_noAllocation
  private func cut(
    _ window: UnsafePointer<Float>, left: Int, right: Int, into target: UnsafeMutablePointer<Float>
  ) {
    Kernels.copy(window, to: target, count: size)
    let scale = 1 / Float(Int32(truncatingIfNeeded: edge))
    if left > 0 {
      var index = 0
      while index < left {
        let place = left &- index
        if index < size {
          target[index] *= place >= edge ? 0 : CrossFade.rising(1 - Float(Int32(truncatingIfNeeded: place)) * scale)
        }
        index &+= 1
      }
    }
    if right < size {
      var index = right > edge ? right &- edge : 0
      while index < size {
        let place = right &- index
        target[index] *= place <= 0 ? 0 : CrossFade.rising(Float(Int32(truncatingIfNeeded: place)) * scale)
        index &+= 1
      }
    }
  }

  @inline(__always) @_noLocks @_noAllocation
  private func round(_ value: Double) -> Int64 { Int64(martlet_floor(value + 0.5)) }

  @inline(__always) @_noLocks @_noAllocation
  private func minimum(_ a: Int, _ b: Int) -> Int { a < b ? a : b }

  /// The spectra of the window around a frame.
  @_noLocks @_noAllocation
  private func analyse(_ source: SignalQueue, _ centre: Int64, into spectra: UnsafeMutablePointer<Float>) {
    let (transform, scratch) = (transform, scratch)
    var channel = 0
    while channel < channels {
      let samples = source.pointer(channel, centre &- Int64(half))
      let target = spectra + channel &* 2 &* bins
      multiply(samples, analysis, into: scratch, count: size)
      transform._withUnsafeGuaranteedRef { $0.forward(scratch, into: target) }
      channel &+= 1
    }
  }

  /// Adds the result's spectra to the sums, around a frame.
  @_noLocks @_noAllocation
  private func synthesise(at centre: Int64) {
    // The first windows reach back before the beginning.
    let from = Int(centre &- Int64(half) &- base)
    let first = half &- reach
    let skipped = from &+ first < 0 ? 0 &- from : first
    let end = half &+ reach
    let factor = 1 / Float(Int32(truncatingIfNeeded: size))
    let (transform, scratch) = (transform, scratch)
    var channel = 0
    while channel < channels {
      let spectrum = result + channel &* 2 &* bins
      transform._withUnsafeGuaranteedRef { $0.inverse(spectrum, into: scratch) }
      let plane = sums + (channel &* capacity &+ from)
      var index = skipped
      while index < end {
        plane[index] += scratch[index] * synthesis[index] * factor
        index &+= 1
      }
      channel &+= 1
    }
    let plane = weights + from
    var index = skipped
    while index < end {
      plane[index] += analysis[index] * synthesis[index]
      index &+= 1
    }
  }

  @_noLocks @_noAllocation
  private func multiply(
    _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>, count: Int
  ) {
    var index = 0
    while index < count {
      target[index] = a[index] * b[index]
      index &+= 1
    }
  }

  /// Forgets sums before a frame, when there is no more room behind them.
  @_noLocks @_noAllocation
  private mutating func drop(to frame: Int64) {
    let done = Int(frame &- base)
    guard done > size else { return }
    let rest = capacity &- done
    var channel = 0
    while channel < channels {
      let plane = sums + channel &* capacity
      Kernels.copy(plane + done, to: plane, count: rest)
      (plane + rest).update(repeating: 0, count: done)
      channel &+= 1
    }
    Kernels.copy(weights + done, to: weights, count: rest)
    (weights + rest).update(repeating: 0, count: done)
    base = frame
  }
}
