internal import CKernels

/// Changes the tempo by leaving out or repeating pieces of the signal, where it goes on most like itself.
///
/// Between two splices the signal is copied. How far the copy has come away from where it should be decides when the next
/// splice is due; where it goes is the lag at which the signal is most like itself: a period of a voice (pitch-synchronous
/// overlap-add, after D. Malah, "Time-domain algorithms for harmonic bandwidth reduction and time scaling of speech
/// signals", 1979), or at higher speeds the best place near the one that is due (W. Verhelst and M. Roelands, "An overlap-add
/// technique based on waveform similarity", 1993).
struct TimeDomainStretcher {
  private let channels: Int
  private let rate: Double
  /// Lags that are looked for, in frames: those of voices, 65…400 Hz.
  private let shortestLag: Int
  private let longestLag: Int
  /// The longest splice.
  private let longestSplice: Int
  /// The search begins on a mono signal at about 11 kHz.
  private let decimation: Int
  private let search: SpliceSearch

  /// The source's frame that is copied next.
  private var position: Int64 = 0
  private var period = 0.0
  /// No search before this frame: the last one met something that a splice would have lost.
  private var nextSearch: Int64 = 0
  private var spliceLength = 0
  private var spliceDone = 0
  private var spliceJump = 0
  private var likeness: Float = 0

  init(channels: Int, rate: Int) {
    self.channels = channels
    self.rate = Double(rate)
    shortestLag = max(4, rate / 400)
    longestLag = max(16, rate / 65)
    longestSplice = longestLag
    decimation = max(1, rate / 11_025)
    search = SpliceSearch(
      channels: channels, longest: 2 * longestLag + longestSplice + rate / 50, decimation: decimation)
  }

  func deallocate() { search.deallocate() }

  // MARK: Real-time

  /// Begins at a frame of the source.
  @_noLocks @_noAllocation
  mutating func start(at media: Double) {
    position = Int64(martlet_floor(media + 0.5))
    period = rate / 200
    nextSearch = .min
    spliceLength = 0
    spliceDone = 0
  }

  /// The first frame of the source that may still be needed.
  var oldestFrame: Int64 {
    @_noLocks @_noAllocation
    get { position &- Int64(longestLag &+ 2 &* decimation) }
  }

  /// Frames of the source that are needed behind the one that is due.
  @_noLocks @_noAllocation
  func lookAhead(speed: Double) -> Int {
    let near = 2 &* longestLag &+ longestLag / 4 &+ 4 &* decimation
    return speed > 2 ? near &+ Int((speed - 1) * Double(longestSplice)) &+ longestLag : near
  }

  /// Makes frames `start ..< start + count`.
  @_noLocks @_noAllocation
  mutating func render(
    _ source: SignalQueue, _ map: MediaMap, from start: Int64, count: Int, into output: UnsafeMutablePointer<Float>,
    stride: Int
  ) {
    var done = 0
    while done < count {
      let left = count &- done
      if spliceLength > 0 {
        let rest = spliceLength &- spliceDone
        let run = rest < left ? rest : left
        splice(source, run, into: output + done, stride: stride)
        done &+= run
        continue
      }
      let frame = start &+ Int64(done)
      let speed = map.speed(at: Double(frame))
      let away = map.media(at: Double(frame)) - Double(position)
      if isDue(away, speed), position >= nextSearch {
        plan(source, away: away, speed: speed)
        if spliceLength > 0 { continue }
        nextSearch = position &+ Int64(shortestLag / 2)
      }
      // As far as the next look.
      let step = shortestLag / 4 &+ 1
      let run = step < left ? step : left
      copy(source, run, into: output + done, stride: stride)
      done &+= run
    }
  }

  /// Whether the copy is far enough from its place for a splice: an eighth of a period. That sounds better than half of
  /// one, with which the copy would be right in the mean (measured with voices there and back).
  @_noLocks @_noAllocation
  private func isDue(_ away: Double, _ speed: Double) -> Bool {
    let due = period / 8
    return speed >= 1 ? away >= due : away <= -due
  }

  /// Begins a splice where the signal is most like itself. Where it is like itself nowhere, a stroke is going by, which
  /// would be lost or doubled: that is waited for. That may take as long as the longest lag.
  @_noLocks @_noAllocation
  private mutating func plan(_ source: SignalQueue, away: Double, speed: Double) {
    var match: SpliceSearch.Match
    var length = 0
    if speed < 1 {
      match = search.best(
        source, at: position, lags: 0 &- longestLag, 0 &- shortestLag, window: 0)
      length = 0 &- match.lag
    } else if speed <= 2 {
      match = search.best(source, at: position, lags: shortestLag, longestLag, window: 0)
      length = match.lag
    } else {
      length = Int(period)
      let due = away + (speed - 1) * Double(length)
      let wanted = Int(due)
      let first = wanted &- longestLag / 2
      match = search.best(
        source, at: position, lags: first > shortestLag ? first : shortestLag, wanted &+ longestLag / 2,
        window: length)
    }
    let distance = away < 0 ? -away : away
    // Slowed down, what it waits for has to be read ahead.
    let patience = Double(speed < 1 ? longestLag / 4 : longestLag)
    guard match.likeness > 0.15 || distance > patience else { return }
    if speed <= 2 { period = Double(match.lag < 0 ? 0 &- match.lag : match.lag) }
    spliceJump = match.lag
    spliceLength = length
    spliceDone = 0
    // Half way between equal power and equal amplitude.
    likeness = match.likeness > 0 ? (1 + match.likeness) / 2 : 0.5
  }

  /// Goes over from the one piece to the other. The gains follow a raised cosine, and keep the power that pieces of this
  /// likeness have together.
  @_noLocks @_noAllocation
  private mutating func splice(
    _ source: SignalQueue, _ count: Int, into output: UnsafeMutablePointer<Float>, stride: Int
  ) {
    let scale = 1 / Float(Int32(truncatingIfNeeded: spliceLength))
    var index = 0
    while index < count {
      let place = (Float(Int32(truncatingIfNeeded: spliceDone &+ index)) + 0.5) * scale
      let rising = CrossFade.rising(place)
      let falling = 1 - rising
      let power = rising * rising + falling * falling + 2 * likeness * rising * falling
      let factor = 1 / martlet_square_root(power)
      var channel = 0
      while channel < channels {
        let here = source.pointer(channel, position &+ Int64(spliceDone &+ index))
        output[channel &* stride &+ index] = (here[0] * falling + here[spliceJump] * rising) * factor
        channel &+= 1
      }
      index &+= 1
    }
    spliceDone &+= count
    if spliceDone == spliceLength {
      position &+= Int64(spliceJump &+ spliceLength)
      spliceLength = 0
    }
  }

  @_noLocks @_noAllocation
  private mutating func copy(
    _ source: SignalQueue, _ count: Int, into output: UnsafeMutablePointer<Float>, stride: Int
  ) {
    var channel = 0
    while channel < channels {
      Kernels.copy(source.pointer(channel, position), to: output + channel &* stride, count: count)
      channel &+= 1
    }
    position &+= Int64(count)
  }
}

/// How one sound goes over into another.
enum CrossFade {
  // MARK: Real-time

  /// The gain of what comes, `place` of the way (0…1): half a period of a cosine, by a polynomial exact to 1e-6.
  @inline(__always) @_noLocks @_noAllocation
  static func rising(_ place: Float) -> Float {
    // sin(x) / x in x², for x = π (place − 1/2) in −π/2 … π/2.
    let x = (place - 0.5) * Float.pi
    let square = x * x
    let sine = x * (1 + square * (-1 / 6 + square * (1 / 120 + square * (-1 / 5040 + square * (1 / 362_880)))))
    return 0.5 + 0.5 * sine
  }
}
