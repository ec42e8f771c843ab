public import AudioModel
internal import Platform
public import Realtime

/// A device without hardware: a thread that draws frames, lets them wait for the latency asked for, and hands them to a
/// sink at the pace of the system's monotonic clock, or as fast as the sink takes them.
///
/// Its clock never runs ahead of the sound: when the thread comes late, time stands still for it, and no frame is lost.
public class ClockedDevice: OutputDevice, @unchecked Sendable {
  // What both threads touch is behind `monitor`; `thread` belongs to the control thread, `staging` to the device's.
  private let sink: any FrameSink
  private let monitor = Monitor<ClockedQueue?>(nil)
  private var thread: NamedThread?
  private var staging: UnsafeMutablePointer<Float>?
  private var events: OutputEventHandler = { _ in }

  package init(sink: any FrameSink) { self.sink = sink }

  deinit { staging?.deallocate() }

  public func open(
    _ request: OutputRequest, source: any RenderSource, events: @escaping OutputEventHandler
  ) throws(AudioError) -> PCMFormat {
    precondition(staging == nil, "an output is opened once")
    try sink.open(request.format)
    let queue = ClockedQueue(request, isClocked: sink.isClocked, source: source)
    staging = .allocate(capacity: queue.capacity * request.format.channels)
    self.events = events
    monitor.withLock { $0 = queue }
    return request.format
  }

  public func start() throws(AudioError) {
    guard thread == nil else { return resume() }
    change { $0.resume(at: .now) }
    thread = NamedThread("martlet-device") { [self] in run() }
  }

  public func pause() { change { $0.pause(at: .now) } }
  public func resume() { change { $0.resume(at: .now) } }
  public func withdraw() { change { $0.withdraw(at: .now) } }

  public var isPaced: Bool { sink.isClocked }

  public var timing: OutputTiming {
    monitor.withLock { $0?.timing(at: .now) } ?? OutputTiming(rendered: 0, pending: 0)
  }

  public func close() {
    guard monitor.withLock({ $0?.close() ?? false }) else { return }
    change { _ in }
    sink.interrupt()
    thread?.join()
    do { try sink.finish() } catch { events(.failed(error)) }
    events = { _ in }
  }

  /// Changes the state and wakes the thread.
  private func change(_ body: (ClockedQueue) -> Void) {
    monitor.signal { queue in
      guard let queue else { return }
      body(queue)
      queue.isChanged = true
    }
  }

  // MARK: The device's thread

  private func run() {
    CurrentThread.flushDenormals()
    if sink.isClocked { CurrentThread.requestRealtimePriority() }
    guard let staging else { return }
    while true {
      switch monitor.withLock({ $0?.next(at: .now, into: staging) ?? .stop }) {
      case .write(let frames): write(staging, frames)
      case .drained: events(.drained)
      case .wait(let deadline): monitor.wait(until: deadline) { $0?.takeChange() }
      case .stop: return
      }
    }
  }

  private func write(_ samples: UnsafePointer<Float>, _ frames: Int) {
    do {
      try sink.write(samples, frames: frames)
      monitor.withLock { $0?.written(frames) }
    } catch {
      if monitor.withLock({ $0?.fail() ?? false }) { events(.failed(error)) }
    }
  }
}
