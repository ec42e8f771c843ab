internal import Synchronization

/// A number that an effect can be told, from any thread, while sound goes through it.
///
/// The processor follows it with a ``ParameterRamp``.
public final class EffectParameter {
  /// What a number stands for.
  public enum Unit: Hashable, Sendable {
    /// Nothing that has a name.
    case none
    /// A factor.
    case ratio
    /// 0…100, or −100…100.
    case percent
    case decibels
    case hertz
    case octaves
    case cents
    case seconds
    case degrees
    /// 0 is off, everything else on.
    case toggle
    /// Whole numbers, each of which stands for something.
    case choice
  }

  /// What it is called; each parameter of an effect has another name.
  public let name: String
  /// What it stands for.
  public let unit: Unit
  /// What it can be; a value outside becomes the nearer end.
  public let range: ClosedRange<Float>
  /// What it is at the beginning.
  public let defaultValue: Float
  /// Seconds over which a change is spread.
  public let rampTime: Double

  // The bits of the value. Behind a pointer, so that a ramp can read them without touching the object.
  let bits: UnsafeMutablePointer<Atomic<UInt32>>

  /// Makes a parameter.
  /// - Parameters:
  ///   - name: What it is called.
  ///   - unit: What it stands for.
  ///   - range: What it can be; both ends are numbers.
  ///   - defaultValue: What it is at the beginning; within the range.
  ///   - rampTime: Seconds over which a change is spread: 0…60. Default: 20 ms. With 0 it jumps at the beginning of a
  ///     block, which is for what only chooses.
  public init(
    _ name: String, unit: Unit = .none, range: ClosedRange<Float>, default defaultValue: Float,
    rampTime: Double = 0.02
  ) {
    precondition(range.lowerBound.isFinite && range.upperBound.isFinite, "a range ends somewhere")
    precondition(range.contains(defaultValue), "\(name): \(defaultValue) is not in \(range)")
    precondition(rampTime >= 0 && rampTime <= 60, "a ramp takes 0 to 60 s")
    self.name = name
    self.unit = unit
    self.range = range
    self.defaultValue = defaultValue
    self.rampTime = rampTime
    bits = .allocate(capacity: 1)
    bits.initialize(to: Atomic(defaultValue.bitPattern))
  }

  deinit {
    bits.deinitialize(count: 1)
    bits.deallocate()
  }

  /// What it is, or is on its way to. Any thread. A value outside of ``range`` becomes the nearer end; what is no number
  /// changes nothing.
  public var value: Float {
    get { Float(bitPattern: bits.pointee.load(ordering: .relaxed)) }
    set {
      guard !newValue.isNaN else { return }
      let value = min(max(newValue, range.lowerBound), range.upperBound)
      bits.pointee.store(value.bitPattern, ordering: .relaxed)
    }
  }
}

extension EffectParameter: @unchecked Sendable {}

/// A parameter as a processor follows it: in straight lines, frame by frame.
///
/// Belongs to the thread that renders. ``begin()`` at the beginning of each block looks what was set; ``next()`` gives the
/// value of each frame. A ramp goes on through the blocks that follow: where it stands depends on frames, never on blocks.
public struct ParameterRamp {
  // Keeps the bits alive. It is not touched where it renders, so that no reference is counted there.
  private let parameter: EffectParameter
  private var line: Line

  private struct Line: BitwiseCopyable {
    let bits: UnsafeMutablePointer<Atomic<UInt32>>
    let length: Int
    var origin: Float
    var target: Float
    var slope: Float = 0
    // Frames of the ramp that are done.
    var position: Int

    init(_ parameter: EffectParameter, length: Int) {
      bits = parameter.bits
      self.length = length
      target = parameter.value
      origin = target
      position = length
    }

    // MARK: Real-time

    var wanted: Float {
      @_noLocks @_noAllocation
      get { Float(bitPattern: bits.pointee.load(ordering: .relaxed)) }
    }

    var value: Float {
      @_noLocks @_noAllocation
      get { position < length ? origin + slope * Float(position) : target }
    }
  }

  /// Makes a ramp that stands where the parameter is.
  public init(_ parameter: EffectParameter, for format: EffectFormat) {
    self.parameter = parameter
    line = Line(parameter, length: format.frames(parameter.rampTime))
  }

  // MARK: Real-time

  /// Whether the value is still on its way.
  public var isMoving: Bool {
    @_noLocks @_noAllocation
    get { line.position < line.length }
  }

  /// The value of the last frame that was asked for.
  public var value: Float {
    @_noLocks @_noAllocation
    get { line.value }
  }

  /// Where it is going, or stands.
  public var target: Float {
    @_noLocks @_noAllocation
    get { line.target }
  }

  /// Looks what was set since the last block: a change begins a ramp from where the value is.
  @_noLocks @_noAllocation
  public mutating func begin() {
    let wanted = line.wanted
    guard wanted != line.target else { return }
    line.origin = line.value
    line.target = wanted
    line.position = 0
    if line.length > 0 { line.slope = (wanted - line.origin) / Float(line.length) }
  }

  /// The value of the next frame.
  @_noLocks @_noAllocation
  public mutating func next() -> Float {
    if line.position < line.length { line.position &+= 1 }
    return line.value
  }

  /// Steps over frames, as if ``next()`` had been called for each.
  @_noLocks @_noAllocation
  public mutating func skip(_ frames: Int) {
    line.position = frames < line.length &- line.position ? line.position &+ frames : line.length
  }

  /// Is at once where it was going, as a ramp made anew would be: for ``EffectProcessor/reset()``.
  @_noLocks @_noAllocation
  public mutating func settle() {
    line.target = line.wanted
    line.position = line.length
  }
}
