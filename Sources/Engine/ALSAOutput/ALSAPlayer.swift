internal import AudioModel
internal import AudioOutput
internal import CALSA
internal import Glibc
internal import Platform
internal import Realtime

/// The state of an ``ALSAOutput`` and what it does next. Guarded by the output's lock, also round the render call.
final class ALSAPlayer {
  enum Step: Sendable {
    case tell(OutputEvent)
    case wait(until: MonotonicTime?)
    case again
    case stop
  }

  private enum Phase { case idle, running, paused, failed, closed }

  private let reopen: () throws(AudioError) -> ALSAPCM
  private let source: any RenderSource
  private let maximumFrames: Int
  private let format: PCMFormat
  private let block: UnsafeMutablePointer<Float>
  /// `nil` while the device is gone.
  private var pcm: ALSAPCM?
  private var phase = Phase.idle
  private var rendered: Int64 = 0
  private var heard: Int64 = 0
  private var hasEnded = false
  private var hasDrained = false
  private var recovery = ALSARecovery()
  /// Something happened that the thread has to look at.
  var isChanged = false

  init(
    _ pcm: ALSAPCM, maximumFrames: Int, source: any RenderSource, reopen: @escaping () throws(AudioError) -> ALSAPCM
  ) {
    self.pcm = pcm
    self.reopen = reopen
    self.source = source
    self.maximumFrames = maximumFrames
    format = pcm.format
    block = .allocate(capacity: maximumFrames * pcm.format.channels)
  }

  deinit { block.deallocate() }

  // MARK: The control thread

  func resume() {
    guard phase != .failed, phase != .closed else { return }
    phase = .running
    hasEnded = false
    hasDrained = false
    pcm?.unpause()
  }

  func pause() {
    guard phase == .running else { return }
    phase = .paused
    guard let pcm, !hasDrained, !pcm.pause() else { return }
    takeBack(pcm.delay())
    hasEnded = false
    pcm.drop()
  }

  func withdraw() {
    guard phase == .running || phase == .paused, let pcm, !hasDrained, !pcm.isDraining else { return }
    let wanted = min(pcm.delay(), Int(rendered - timing().heard)) - pcm.marginFrames
    guard wanted > 0 else { return }
    let possible = pcm.rewind(wanted)
    let taken = takeBack(possible)
    pcm.forward(possible - taken)
    if taken > 0 { hasEnded = false }
  }

  func timing() -> OutputTiming {
    let pending = min(rendered, Int64(pcm?.delay() ?? 0))
    heard = min(rendered, max(heard, rendered - pending))
    return OutputTiming(rendered: rendered, pending: rendered - heard)
  }

  /// Returns whether it was open till now.
  func close() -> Bool {
    defer { phase = .closed }
    return phase != .closed
  }

  @discardableResult
  private func takeBack(_ frames: Int) -> Int {
    let known = min(frames, Int(rendered))
    let taken = known > 0 ? max(0, min(known, source.rewind(frames: known))) : 0
    rendered -= Int64(taken)
    return taken
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
    if phase == .paused { return .wait(until: nil) }
    if hasEnded || pcm.isDraining { return drain(pcm, now) }
    return play(pcm, now)
  }

  func takeChange() -> Void? {
    guard isChanged else { return nil }
    isChanged = false
    return ()
  }

  /// Fills the device's buffer. Descriptors are not polled: those of many plugins are always ready, and half a buffer
  /// of time is known well enough by the clock.
  private func play(_ pcm: ALSAPCM, _ now: MonotonicTime) -> Step {
    let available = pcm.available()
    if available < 0 { return recover(pcm, Int32(available), now) }
    var room = min(available, pcm.bufferFrames)
    while room > 0, !hasEnded {
      let wanted = min(room, maximumFrames)
      let delivered = max(0, min(wanted, source.render(block, frames: wanted)))
      rendered += Int64(delivered)
      hasEnded = delivered < wanted
      let written = delivered > 0 ? pcm.write(block, frames: delivered) : 0
      takeBack(delivered - max(0, written))
      if written < delivered { hasEnded = false }
      if written < 0 { return recover(pcm, Int32(written), now) }
      if written < delivered { break }
      room -= delivered
    }
    pcm.startIfReady()
    if hasEnded { return .again }
    let queued = min(pcm.bufferFrames, max(pcm.delay(), pcm.bufferFrames - room))
    let spare = format.sampleRate.seconds(Int64(queued - pcm.bufferFrames / 2))
    return .wait(until: now.advanced(bySeconds: max(0.001, spare)))
  }

  private func drain(_ pcm: ALSAPCM, _ now: MonotonicTime) -> Step {
    if hasDrained { return .wait(until: nil) }
    // Once the device drains it takes no more frames: that is left for the last moment.
    let left = format.sampleRate.seconds(Int64(pcm.delay()))
    if left > 0.02, !pcm.isDraining { return .wait(until: now.advanced(bySeconds: left - 0.02)) }
    switch pcm.drain() {
    case 0: break
    case -EAGAIN: return .wait(until: now.advanced(bySeconds: max(0.001, left)))
    case let code where code != -EPIPE && code != -EBADFD: return recover(pcm, code, now)
    default: break
    }
    pcm.prepare()
    guard hasEnded else { return .again }
    hasDrained = true
    heard = rendered
    return .tell(.drained)
  }

  // MARK: Trouble

  private func recover(_ pcm: ALSAPCM, _ code: Int32, _ now: MonotonicTime) -> Step {
    switch code {
    case -EAGAIN: return .wait(until: now.advanced(bySeconds: 0.005))
    case -EPIPE:
      heard = rendered
      return pcm.prepare() < 0 ? lose(code, now) : .tell(.underrun(frames: 0))
    case -ESTRPIPE:
      let status = pcm.wake()
      if status == -EAGAIN { return .wait(until: now.advanced(bySeconds: 0.1)) }
      return status < 0 ? lose(status, now) : .again
    default: return lose(code, now)
    }
  }

  private func lose(_ code: Int32, _ now: MonotonicTime) -> Step {
    takeBack(Int(timing().pending))
    hasEnded = false
    pcm = nil
    recovery.begin(at: now)
    return .tell(.lost("The ALSA device is gone: \(ALSAPCM.text(code))"))
  }

  private func lookForDevice(_ now: MonotonicTime) -> Step {
    if now < recovery.due { return .wait(until: recovery.due) }
    recovery.tried(at: now)
    if let found = try? reopen(), found.format == format {
      pcm = found
      return .tell(.restored)
    }
    if !recovery.isHopeless(at: now) { return .again }
    phase = .failed
    return .tell(.failed(AudioError(.outputLost, "The ALSA device did not come back")))
  }
}
