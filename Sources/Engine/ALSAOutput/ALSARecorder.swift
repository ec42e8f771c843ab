internal import AudioModel
internal import AudioOutput
internal import CALSA
internal import Glibc
internal import Platform
internal import Realtime

/// The state of an ``ALSAInput`` and what it does next. Guarded by the input's lock, also round the sink's calls.
final class ALSARecorder {
  enum Step: Sendable {
    case tell(InputEvent)
    case wait(until: MonotonicTime?)
    case again
    case stop
  }

  private enum Phase { case idle, running, paused, failed, closed }

  private let reopen: () throws(AudioError) -> ALSAPCM
  private let sink: any CaptureSink
  private let maximumFrames: Int
  private let format: PCMFormat
  private let block: UnsafeMutablePointer<Float>
  /// `nil` while the device is gone.
  private var pcm: ALSAPCM?
  private var phase = Phase.idle
  private var delivered: Int64 = 0
  private var lastTime: Int64 = 0
  private var recovery = ALSARecovery()
  /// Something happened that the thread has to look at.
  var isChanged = false

  init(_ pcm: ALSAPCM, maximumFrames: Int, sink: any CaptureSink, reopen: @escaping () throws(AudioError) -> ALSAPCM)
  {
    self.pcm = pcm
    self.reopen = reopen
    self.sink = sink
    self.maximumFrames = maximumFrames
    format = pcm.format
    block = .allocate(capacity: maximumFrames * pcm.format.channels)
  }

  deinit { block.deallocate() }

  // MARK: The control thread

  func resume() {
    guard phase != .failed, phase != .closed, phase != .running else { return }
    phase = .running
    pcm?.startIfReady()
  }

  /// What the device holds is dropped: it would be old when it goes on.
  func pause() {
    guard phase == .running else { return }
    phase = .paused
    pcm?.drop()
  }

  func timing() -> InputTiming { InputTiming(delivered: delivered, latency: Int64(pcm?.delay() ?? 0)) }

  /// Returns whether it was open till now.
  func close() -> Bool {
    defer { phase = .closed }
    return phase != .closed
  }

  // MARK: The device's thread

  func next(at now: MonotonicTime) -> Step {
    switch phase {
    case .closed:
      pcm = nil
      return .stop
    case .idle, .failed: return .wait(until: nil)
    case .running, .paused: break
    }
    guard let pcm else { return lookForDevice(now) }
    return phase == .paused ? .wait(until: nil) : record(pcm, now)
  }

  func takeChange() -> Void? {
    guard isChanged else { return nil }
    isChanged = false
    return ()
  }

  /// Empties the device's buffer. Descriptors are not polled: those of many plugins are always ready, and a quarter of a
  /// buffer of time is known well enough by the clock.
  private func record(_ pcm: ALSAPCM, _ now: MonotonicTime) -> Step {
    let available = pcm.available()
    if available < 0 { return recover(pcm, Int32(available), now) }
    var left = min(available, pcm.bufferFrames)
    while left > 0 {
      let age = format.sampleRate.seconds(Int64(max(pcm.delay(), left)))
      let count = pcm.read(block, frames: min(left, maximumFrames))
      if count < 0 { return recover(pcm, Int32(count), now) }
      if count == 0 { break }
      lastTime = max(lastTime, now.advanced(bySeconds: -age).nanoseconds)
      sink.receive(block, frames: count, at: CaptureTime(frame: delivered, hostNanoseconds: lastTime))
      delivered += Int64(count)
      left -= count
    }
    return .wait(until: now.advanced(bySeconds: max(0.001, format.sampleRate.seconds(Int64(pcm.bufferFrames / 4)))))
  }

  // MARK: Trouble

  private func recover(_ pcm: ALSAPCM, _ code: Int32, _ now: MonotonicTime) -> Step {
    switch code {
    case -EAGAIN: return .wait(until: now.advanced(bySeconds: 0.005))
    case -EPIPE:
      if pcm.prepare() < 0 { return lose(code, now) }
      pcm.startIfReady()
      return .tell(.overrun(frames: 0))
    case -ESTRPIPE:
      let status = pcm.wake()
      if status == -EAGAIN { return .wait(until: now.advanced(bySeconds: 0.1)) }
      if status < 0 { return lose(status, now) }
      pcm.startIfReady()
      return .again
    default: return lose(code, now)
    }
  }

  private func lose(_ code: Int32, _ now: MonotonicTime) -> Step {
    pcm = nil
    recovery.begin(at: now)
    return .tell(.lost("The ALSA device is gone: \(ALSAPCM.text(code))"))
  }

  private func lookForDevice(_ now: MonotonicTime) -> Step {
    if now < recovery.due { return .wait(until: recovery.due) }
    recovery.tried(at: now)
    if let found = try? reopen(), found.format == format {
      pcm = found
      if phase == .running { found.startIfReady() }
      return .tell(.restored)
    }
    if !recovery.isHopeless(at: now) { return .again }
    phase = .failed
    return .tell(.failed(AudioError(.outputLost, "The ALSA device did not come back")))
  }
}
