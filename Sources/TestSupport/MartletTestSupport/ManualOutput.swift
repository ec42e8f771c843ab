public import AudioModel
public import AudioOutput
internal import Platform
public import Realtime

/// A device without thread and clock: one ``pull(frames:)`` is one device callback.
///
/// It keeps what it rendered in a queue of the length given, like a device with that latency, and hears the oldest
/// frames when more come in. The test calls `pull`, `deliver` and reads; the code under test calls the rest.
public final class ManualOutput: OutputDevice, Sendable {
  /// Where the device stands.
  public enum State: Hashable, Sendable { case closed, opened, playing, paused }

  private struct Device {
    var state = State.closed
    var format: PCMFormat?
    var maximumFrames = 0
    var queue: [Float] = []
    var heard: [Float] = []
    var rendered: Int64 = 0
    var callbacks = 0
    var hasEnded = false
    var hasDrained = false
  }

  private let accepted: PCMFormat?
  private let queueFrames: Int
  private let margin: Int
  private let device = Monitor(Device())
  private let source = Monitor<(any RenderSource)?>(nil)
  private let events = Monitor<OutputEventHandler?>(nil)
  private let hook = Monitor<(@Sendable (Int) -> Void)?>(nil)

  /// Makes a device.
  /// - Parameters:
  ///   - format: The only format it can; `nil` takes any.
  ///   - queue: Frames that wait in the device before they are heard. Default 0.
  ///   - margin: Frames next to being heard that `withdraw` leaves alone. Default 0.
  public init(format: PCMFormat? = nil, queue: Int = 0, margin: Int = 0) {
    accepted = format
    queueFrames = queue
    self.margin = margin
  }

  // MARK: The test's side

  /// Where the device stands.
  public var state: State { device.withLock { $0.state } }
  /// The format that it was opened with.
  public var format: PCMFormat? { device.withLock { $0.format } }
  /// Everything heard since `open`, interleaved.
  public var heard: [Float] { device.withLock { $0.heard } }
  /// What was rendered and waits to be heard, interleaved.
  public var queued: [Float] { device.withLock { $0.queue } }
  /// Callbacks so far that drew.
  public var callbacks: Int { device.withLock { $0.callbacks } }

  /// What it draws from, for tests that draw by themselves; `nil` while it is closed.
  public var drawingSource: (any RenderSource)? { source.withLock { $0 } }

  /// Forgets what was heard.
  public func clearHeard() { device.withLock { $0.heard = [] } }

  /// Calls `body` before each callback, with the frames it will draw. It may call the device.
  public func onPull(_ body: (@Sendable (Int) -> Void)?) { hook.withLock { $0 = body } }

  /// One device callback: draws, and hears as many frames as no longer fit into the queue. After a short render call it
  /// only hears, and tells when all is heard. Does nothing unless the device plays.
  /// - Parameter frames: How many; in several render calls where that is more than the request's maximum.
  /// - Returns: The frames that the source delivered.
  @discardableResult
  public func pull(frames: Int) -> Int {
    hook.withLock { $0 }?(frames)
    let (drawn, hasDrained) = device.signal { device -> (Int, Bool) in
      guard device.state == .playing, let channels = device.format?.channels else { return (0, false) }
      let drawn = device.hasEnded ? 0 : draw(frames, &device)
      let waiting = device.queue.count / channels
      let due = device.hasEnded ? min(waiting, max(frames, waiting - queueFrames)) : max(0, waiting - queueFrames)
      device.heard += device.queue.prefix(due * channels)
      device.queue.removeFirst(due * channels)
      let isEmpty = device.hasEnded && device.queue.isEmpty && !device.hasDrained
      if isEmpty { device.hasDrained = true }
      return (drawn, isEmpty)
    }
    if hasDrained { deliver(.drained) }
    return drawn
  }

  /// Tells an event, as if the device had met it.
  public func deliver(_ event: OutputEvent) { events.withLock { $0 }?(event) }

  /// Waits until the device stands so, or the time is over.
  /// - Returns: Whether it does.
  public func wait(for state: State, seconds: Double = 10) -> Bool {
    device.wait(until: MonotonicTime.now.advanced(bySeconds: seconds)) { $0.state == state ? true : nil } ?? false
  }

  /// Takes back all that is queued, as a device does that vanishes.
  func dropQueue() { device.withLock { _ = rewind($0.queue.count, &$0) } }

  // MARK: The device's side

  public func open(
    _ request: OutputRequest, source: any RenderSource, events: @escaping OutputEventHandler
  ) throws(AudioError) -> PCMFormat {
    self.source.withLock { $0 = source }
    self.events.withLock { $0 = events }
    let format = accepted ?? request.format
    device.signal {
      $0 = Device()
      $0.state = .opened
      $0.format = format
      $0.maximumFrames = request.maximumFrames
    }
    return format
  }

  public func start() throws(AudioError) { resume() }

  public func pause() { device.signal { if $0.state == .playing { $0.state = .paused } } }

  public func resume() {
    device.signal {
      guard $0.state != .closed else { return }
      $0.state = .playing
      $0.hasEnded = false
      $0.hasDrained = false
    }
  }

  public func withdraw() {
    device.signal { device in
      guard let channels = device.format?.channels, device.state == .playing || device.state == .paused else {
        return
      }
      let wanted = device.queue.count - margin * channels
      guard wanted > 0 else { return }
      let taken = rewind(wanted, &device)
      device.hasEnded = false
      if device.state == .playing { draw(taken, &device) }
    }
  }

  public var timing: OutputTiming {
    device.withLock {
      OutputTiming(rendered: $0.rendered, pending: Int64($0.queue.count / max(1, $0.format?.channels ?? 1)))
    }
  }

  public func close() {
    device.signal {
      $0.state = .closed
      $0.queue = []
    }
    source.withLock { $0 = nil }
    events.withLock { $0 = nil }
  }

  /// Renders into the queue. What the source leaves undone stays not-a-number, and so does not go unnoticed.
  @discardableResult
  private func draw(_ frames: Int, _ device: inout Device) -> Int {
    guard let source = source.withLock({ $0 }), let channels = device.format?.channels else { return 0 }
    var drawn = 0
    while drawn < frames, !device.hasEnded {
      let wanted = min(device.maximumFrames, frames - drawn)
      var block = [Float](repeating: .nan, count: wanted * channels)
      let delivered = block.withUnsafeMutableBufferPointer { source.render($0.baseAddress!, frames: wanted) }
      device.queue += block.prefix(delivered * channels)
      device.callbacks += 1
      drawn += delivered
      device.hasEnded = delivered < wanted
    }
    device.rendered += Int64(drawn)
    return drawn
  }

  /// Returns the frames that the source took back of `samples`.
  @discardableResult
  private func rewind(_ samples: Int, _ device: inout Device) -> Int {
    guard let source = source.withLock({ $0 }), let channels = device.format?.channels, samples > 0 else { return 0 }
    let taken = source.rewind(frames: samples / channels)
    device.queue.removeLast(taken * channels)
    device.rendered -= Int64(taken)
    return taken
  }
}
