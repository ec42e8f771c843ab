internal import CKernels

/// Where the pitch stage reads: a place that moves by a ratio, which moves over a few milliseconds to another.
///
/// Places are computed from the beginning of a ramp or of a stand, never summed up.
struct PitchWalk: BitwiseCopyable {
  private let rampFrames: Int
  // The present piece: `origin + ratio × n + slope × n² / 2` at its n-th frame.
  private var origin = 0.0
  private var begin = 1.0
  private var slope = 0.0
  private var length = 0
  private var done = 0
  private var isSettling = false
  /// What it moves to, or stands at.
  private(set) var target = 1.0

  init(rampFrames: Int) { self.rampFrames = max(1, rampFrames) }

  // MARK: Real-time

  /// Goes back to place 0, at the target.
  @_noLocks @_noAllocation
  mutating func reset() {
    origin = 0
    stand()
  }

  /// Moves to another ratio.
  @_noLocks @_noAllocation
  mutating func move(to ratio: Double, atOnce: Bool) {
    guard ratio != target else { return }
    target = ratio
    origin = position
    if atOnce {
      stand()
      return
    }
    begin = self.ratio(at: done)
    ramp(over: rampFrames)
  }

  /// The place of the next frame.
  var position: Double {
    @_noLocks @_noAllocation
    get { position(at: done) }
  }

  /// The ratio at the next frame.
  var ratio: Double {
    @_noLocks @_noAllocation
    get { ratio(at: done) }
  }

  /// The greatest ratio from the next frame on.
  var greatestRatio: Double {
    @_noLocks @_noAllocation
    get {
      let here = ratio(at: done)
      return here > target ? here : target
    }
  }

  /// Whether the ratio stays.
  var isStanding: Bool {
    @_noLocks @_noAllocation
    get { length == 0 }
  }

  /// Whether places are whole, and stay so.
  var isWhole: Bool {
    @_noLocks @_noAllocation
    get {
      guard length == 0 else { return false }
      guard target == 1 else { return false }
      return origin == martlet_floor(origin)
    }
  }

  /// The place that no frame of the next `frames` goes beyond.
  @_noLocks @_noAllocation
  func position(after frames: Int) -> Double { position + Double(frames) * greatestRatio }

  /// Steps on.
  @_noLocks @_noAllocation
  mutating func advance(_ frames: Int) {
    done &+= frames
    guard length > 0, done >= length else { return }
    let behind = done &- length
    origin = position(at: length)
    // At 1 it shall stand on whole places, where frames pass as they are: the rest of the way is gone first.
    if isSettling {
      origin = martlet_floor(origin + 0.5)
      stand()
    } else if target == 1, origin != martlet_floor(origin) {
      settle(martlet_floor(origin) + 1 - origin)
    } else {
      stand()
    }
    if behind > 0 { advance(behind) }
  }

  @_noLocks @_noAllocation
  private mutating func stand() {
    begin = target
    slope = 0
    length = 0
    done = 0
    isSettling = false
  }

  @_noLocks @_noAllocation
  private mutating func ramp(over frames: Int) {
    slope = (target - begin) / Double(frames)
    length = frames
    done = 0
    isSettling = false
  }

  /// Goes `rest` of a frame further than at 1 over four ramps, 0.06 % faster at most, which nobody hears.
  @_noLocks @_noAllocation
  private mutating func settle(_ rest: Double) {
    length = 4 &* rampFrames
    begin = 1 + rest / Double(length)
    slope = 0
    done = 0
    isSettling = true
  }

  @_noLocks @_noAllocation
  private func position(at frame: Int) -> Double {
    let n = Double(frame)
    return origin + n * begin + slope * n * n / 2
  }

  @_noLocks @_noAllocation
  private func ratio(at frame: Int) -> Double { begin + slope * Double(frame) }
}
