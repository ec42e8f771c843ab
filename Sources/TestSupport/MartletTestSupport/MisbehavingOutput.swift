public import AudioModel
public import AudioOutput
internal import Platform
public import Realtime

/// A ``ManualOutput`` with the faults that real devices have.
public final class MisbehavingOutput: OutputDevice, Sendable {
  /// What it does wrong.
  public enum Fault: Hashable, Sendable {
    /// Callbacks come `count` at once, after as many pulls with none.
    case bursts(count: Int)
    /// A callback wants 1, 3, 7, … frames instead of what is usual.
    case oddSizes
    /// `timing` says that so many frames more (or fewer) are not heard yet.
    case liesAboutDelay(frames: Int64)
    /// It vanishes after so many pulls, and is back after some more; `nil` is never.
    case vanishes(after: Int, returnsAfter: Int?)
    /// It can't the format, and says so at `open`.
    case refusesFormat
    /// The end is never reported.
    case neverDrains
  }

  /// The device behind the faults: `heard`, `state` and so on are there.
  public let inner: ManualOutput
  private let faults: Set<Fault>
  private let pulls = Monitor(0)
  private static let sizes = [1, 3, 7, 61, 2, 509, 13, 1021]

  /// Makes a device.
  public init(_ faults: Set<Fault>, inner: ManualOutput = ManualOutput()) {
    self.faults = faults
    self.inner = inner
  }

  /// One device callback, or what the faults make of it.
  /// - Returns: The frames that the source delivered.
  @discardableResult
  public func pull(frames: Int) -> Int {
    let number = pulls.withLock { count -> Int in
      count += 1
      return count
    }
    var repeats = 1
    for fault in faults {
      switch fault {
      case .bursts(let count): repeats = number % count == 0 ? count : 0
      case .vanishes(let lost, let back):
        let isBack = back.map { number >= lost + $0 } ?? false
        if number == lost {
          inner.dropQueue()
          inner.deliver(.lost("the device is gone"))
        }
        if let back, number == lost + back { inner.deliver(.restored) }
        if number >= lost, !isBack { return 0 }
      default: break
      }
    }
    return (0..<repeats).reduce(0) { sum, _ in sum + draw(frames, number) }
  }

  private func draw(_ frames: Int, _ number: Int) -> Int {
    guard faults.contains(.oddSizes) else { return inner.pull(frames: frames) }
    var drawn = 0
    var step = number
    var left = frames
    while left > 0 {
      let size = min(left, Self.sizes[step % Self.sizes.count])
      drawn += inner.pull(frames: size)
      left -= size
      step += 1
    }
    return drawn
  }

  public func open(
    _ request: OutputRequest, source: any RenderSource, events: @escaping OutputEventHandler
  ) throws(AudioError) -> PCMFormat {
    if faults.contains(.refusesFormat) {
      throw AudioError(.outputFormat, "The device can't play \(request.format)")
    }
    let isSilent = faults.contains(.neverDrains)
    return try inner.open(request, source: source) { if !isSilent || $0 != .drained { events($0) } }
  }

  public func start() throws(AudioError) { try inner.start() }
  public func pause() { inner.pause() }
  public func resume() { inner.resume() }
  public func withdraw() { inner.withdraw() }

  public var timing: OutputTiming {
    var timing = inner.timing
    for case .liesAboutDelay(let frames) in faults { timing.pending += frames }
    return timing
  }

  public func close() { inner.close() }
}
