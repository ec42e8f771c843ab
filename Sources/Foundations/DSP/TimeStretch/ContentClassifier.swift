/// Tells speech from music by what has been heard in the last seconds.
///
/// Speech is a voice that comes and goes: many frames are far below the mean level, and many of the others repeat
/// themselves at the period of a voice. Chords and noises do not repeat so, and tones that sound on do not pause (E. Scheirer
/// and M. Slaney, "Construction and evaluation of a robust multifeature speech/music discriminator", 1997, use the share of
/// quiet frames likewise). What was decided stays until the opposite is clear.
struct ContentClassifier {
  /// Whether it sounds like speech.
  private(set) var isSpeech = true

  private let channels: Int
  private let decimation: Int
  // Mono, at about 11 kHz: the last frame and the one that comes in.
  private let samples: UnsafeMutablePointer<Float>
  private let frameLength = 256
  private let shortestLag: Int
  private let longestLag: Int
  private var filled = 0
  private var partial: Float = 0
  private var partialCount = 0
  private var previous: Float = 0
  // Of the last frames: the energy, and how much they are like themselves a period before.
  private let energies: UnsafeMutablePointer<Float>
  private let periodicities: UnsafeMutablePointer<Float>
  private let remembered = 96
  private var count = 0
  private var dwelling = 0

  init(rate: Int, channels: Int) {
    self.channels = channels
    decimation = max(1, rate / 11_025)
    let rate = rate / decimation
    shortestLag = rate / 400
    longestLag = min(rate / 70, 250)
    samples = .allocate(capacity: 2 * 256)
    samples.initialize(repeating: 0, count: 2 * 256)
    energies = .allocate(capacity: remembered)
    energies.initialize(repeating: 0, count: remembered)
    periodicities = .allocate(capacity: remembered)
    periodicities.initialize(repeating: 0, count: remembered)
  }

  func deallocate() {
    samples.deallocate()
    energies.deallocate()
    periodicities.deallocate()
  }

  // MARK: Real-time

  /// Forgets what was heard, but not what it was: after a jump it is likely the same.
  @_noLocks @_noAllocation
  mutating func reset() {
    filled = 0
    partial = 0
    partialCount = 0
    count = 0
    dwelling = 0
  }

  /// Hears frames.
  @_noLocks @_noAllocation
  mutating func listen(_ planes: UnsafePointer<Float>, stride: Int, count frames: Int) {
    var frame = 0
    while frame < frames {
      var channel = 0
      while channel < channels {
        partial += planes[channel &* stride &+ frame]
        channel &+= 1
      }
      partialCount &+= 1
      frame &+= 1
      guard partialCount == decimation else { continue }
      // The lowest tones count least: the stroke of a drum is no voice.
      samples[frameLength &+ filled] = partial - 0.95 * previous
      previous = partial
      partial = 0
      partialCount = 0
      filled &+= 1
      if filled == frameLength { note() }
    }
  }

  /// Measures a frame, and judges.
  @_noLocks @_noAllocation
  private mutating func note() {
    let frame = samples + frameLength
    let energy = Kernels.dot(frame, frame, count: frameLength)
    let place = count % remembered
    energies[place] = energy
    periodicities[place] = periodicity(frame, energy)
    count &+= 1
    filled = 0
    Kernels.copy(frame, to: samples, count: frameLength)
    judge()
  }

  /// The greatest correlation of a frame with what was a period of a voice before.
  @_noLocks @_noAllocation
  private func periodicity(_ frame: UnsafePointer<Float>, _ energy: Float) -> Float {
    guard energy > 1e-9 else { return 0 }
    var before = Kernels.dot(frame - shortestLag, frame - shortestLag, count: frameLength)
    var best: Float = 0
    var lag = shortestLag
    while lag <= longestLag {
      let product = Kernels.dot(frame, frame - lag, count: frameLength)
      if product > 0 {
        let likeness = product * product / (energy * (before > 1e-12 ? before : 1e-12))
        if likeness > best { best = likeness }
      }
      // One sample comes in at the beginning, one goes out at the end.
      lag &+= 1
      let first = frame[0 &- lag]
      let last = frame[frameLength &- lag]
      before += first * first - last * last
    }
    return best
  }

  @_noLocks @_noAllocation
  private mutating func judge() {
    dwelling &+= 1
    let known = count < remembered ? count : remembered
    guard known >= 24, dwelling >= 24 else { return }
    var total: Float = 0
    var index = 0
    while index < known {
      total += energies[index]
      index &+= 1
    }
    let mean = total / Float(Int32(truncatingIfNeeded: known))
    guard mean > 1e-8 else { return }
    var quiet = 0
    var loud = 0
    var voiced = 0
    index = 0
    while index < known {
      if energies[index] < 0.2 * mean {
        quiet &+= 1
      } else {
        loud &+= 1
        // Squares: a correlation of 0.71.
        if periodicities[index] > 0.5 { voiced &+= 1 }
      }
      index &+= 1
    }
    guard loud > 0 else { return }
    let pauses = Float(Int32(truncatingIfNeeded: quiet)) / Float(Int32(truncatingIfNeeded: known))
    let voices = Float(Int32(truncatingIfNeeded: voiced)) / Float(Int32(truncatingIfNeeded: loud))
    var isNow = isSpeech
    if isSpeech {
      if pauses < 0.04 { isNow = false }
      if voices < 0.16 { isNow = false }
    } else if pauses > 0.1, voices > 0.26 {
      isNow = true
    }
    if isNow != isSpeech {
      isSpeech = isNow
      dwelling = 0
    }
  }
}
