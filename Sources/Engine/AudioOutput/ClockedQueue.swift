internal import AudioModel
internal import Platform
internal import Realtime

/// The state of a ``ClockedDevice`` and what it does next. Guarded by the device's lock, also round the render call.
final class ClockedQueue {
  enum Step: Sendable {
    case write(frames: Int)
    case drained
    case wait(until: MonotonicTime?)
    case stop
  }

  private enum Phase { case idle, running, paused, failed, closed }

  /// What is nearer to being heard than this can't be withdrawn: the thread may be taking it just now.
  private static let margin = 0.01

  /// How often a device without a clock looks whether there is something to render.
  private static let patience = 0.002

  private let source: any RenderSource
  private let rate: SampleRate
  private let maximumFrames: Int
  private let isClocked: Bool
  private var queue: FrameQueue
  private var phase = Phase.idle
  private var rendered: Int64 = 0
  /// Frames that the sink has taken.
  private var delivered: Int64 = 0
  /// The clock: the frame heard at a moment. It runs on from there while the phase is `running`.
  private var anchorFrame: Int64 = 0
  private var anchorTime = MonotonicTime(nanoseconds: 0)
  private var hasEnded = false
  private var hasDrained = false
  private var mustDraw = false
  /// Something happened that the thread has to look at.
  var isChanged = false

  init(_ request: OutputRequest, isClocked: Bool, source: any RenderSource) {
    self.source = source
    self.isClocked = isClocked
    rate = request.format.sampleRate
    maximumFrames = max(1, request.maximumFrames)
    let latency = min(max(request.latency.isNaN ? 0 : request.latency, 0.01), 2)
    let frames = isClocked ? Int(rate.frames(latency)) : maximumFrames
    queue = FrameQueue(channels: request.format.channels, capacity: max(2, frames))
  }

  var capacity: Int { queue.capacity }

  // MARK: The control thread

  func pause(at now: MonotonicTime) {
    guard phase == .running else { return }
    anchor(at: now)
    phase = .paused
  }

  func resume(at now: MonotonicTime) {
    guard phase != .failed, phase != .closed else { return }
    anchor(at: now)
    phase = .running
    hasEnded = false
    hasDrained = false
    mustDraw = true
  }

  func withdraw(at now: MonotonicTime) {
    guard phase == .running || phase == .paused else { return }
    let margin = phase == .paused || !isClocked ? 0 : Int(rate.frames(Self.margin))
    let wanted = min(queue.count, Int(rendered - heard(at: now)) - margin)
    guard wanted > 0 else { return }
    let taken = min(wanted, source.rewind(frames: wanted))
    queue.removeLast(taken)
    rendered -= Int64(taken)
    hasEnded = false
    mustDraw = true
  }

  func timing(at now: MonotonicTime) -> OutputTiming {
    OutputTiming(rendered: rendered, pending: rendered - heard(at: now))
  }

  /// Returns whether it was open till now.
  func close() -> Bool {
    defer { phase = .closed }
    return phase != .closed
  }

  // MARK: The device's thread

  /// Moves what is due into `staging`, draws what there is room for, and tells what to do outside the lock.
  func next(at now: MonotonicTime, into staging: UnsafeMutablePointer<Float>) -> Step {
    if phase == .closed { return .stop }
    if phase == .failed || phase == .idle { return .wait(until: nil) }
    let due = min(queue.count, Int(heard(at: now) - delivered))
    if isClocked, due > 0 { queue.removeFirst(due, into: staging) }
    if phase == .running, !hasEnded, mustDraw || queue.free >= queue.capacity / 2 {
      if clock(at: now) > rendered { anchor(at: now) }
      draw()
    }
    if isClocked, due > 0 { return .write(frames: due) }
    if !isClocked, phase == .running, queue.count > 0 {
      let frames = queue.count
      queue.removeFirst(frames, into: staging)
      return .write(frames: frames)
    }
    guard phase == .running else { return .wait(until: nil) }
    guard hasEnded || isClocked else { return .wait(until: now.advanced(bySeconds: Self.patience)) }
    guard hasEnded else { return .wait(until: time(of: rendered - Int64(queue.capacity / 2))) }
    if hasDrained { return .wait(until: nil) }
    if queue.count > 0 { return .wait(until: time(of: rendered)) }
    hasDrained = true
    return .drained
  }

  func written(_ frames: Int) {
    delivered += Int64(frames)
  }

  /// Returns whether the failure is news: after `close` nobody is told.
  func fail() -> Bool {
    guard phase != .closed else { return false }
    phase = .failed
    return true
  }

  func takeChange() -> Void? {
    guard isChanged else { return nil }
    isChanged = false
    return ()
  }

  private func draw() {
    mustDraw = false
    while queue.free > 0, !hasEnded {
      // Without a clock nothing presses: what is late is waited for, and no silence is heard instead.
      let limit = isClocked ? maximumFrames : source.readyFrames(min(maximumFrames, queue.free))
      guard limit > 0 else { return }
      let (offered, filled) = queue.append(limit: limit) { source.render($0, frames: $1) }
      rendered += Int64(filled)
      hasEnded = filled < offered
    }
  }

  // MARK: The clock

  private func clock(at now: MonotonicTime) -> Int64 {
    phase == .running ? anchorFrame + Int64(now.seconds(since: anchorTime) * Double(rate.hertz)) : anchorFrame
  }

  private func heard(at now: MonotonicTime) -> Int64 {
    isClocked ? max(delivered, min(clock(at: now), rendered)) : delivered
  }

  private func anchor(at now: MonotonicTime) {
    anchorFrame = heard(at: now)
    anchorTime = now
  }

  /// When a frame will be heard, rounded up so that the thread does not wake too early for it.
  private func time(of frame: Int64) -> MonotonicTime {
    anchorTime.advanced(bySeconds: rate.seconds(frame - anchorFrame) + 1e-6)
  }
}
