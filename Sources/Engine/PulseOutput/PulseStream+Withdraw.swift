internal import AudioModel
internal import CPulse
internal import Realtime

extension PulseStream {
  /// Takes back what the server has queued, but for what it may fetch for its sink before it hears of it.
  ///
  /// The server's answer tells how far it has read, and how full the sink's buffer is. Until the new frames arrive it
  /// reads on by at most the time that passes and what the sink's buffer has room for: that much is left alone. They are
  /// sent when all are drawn, so that drawing counts. A corked stream is not read at all.
  func withdraw() {
    guard hasStarted, !hasDrained, let context else { return }
    let asked = pulse.pa_rtclock_now()
    guard state == .ready, let stream, loop.finish(updateTiming(stream), context, seconds: 0.2), state == .ready,
      self.stream == stream, let timing = pulse.pa_stream_get_timing_info(stream)?.pointee,
      timing.write_index_corrupt == 0, timing.read_index_corrupt == 0
    else { return }
    let elapsed = Double(pulse.pa_rtclock_now() - asked) / 1e6
    let queued = (timing.write_index - timing.read_index) / Int64(frameBytes) - account.seek
    withdraw(queued - (isCorked ? 0 : margin(timing, elapsed, queued)))
  }

  private func updateTiming(_ stream: OpaquePointer) -> OpaquePointer? {
    pulse.pa_stream_update_timing_info(stream, { PulseStream.from($2).loop.signal() }, pointer)
  }

  /// - Parameters:
  ///   - elapsed: How long the question and its answer took, in seconds: the new frames may take as long again.
  ///   - queued: The most frames that are to be drawn anew.
  private func margin(_ timing: pa_timing_info, _ elapsed: Double, _ queued: Int64) -> Int64 {
    let room = timing.configured_sink_usec > timing.sink_usec ? timing.configured_sink_usec - timing.sink_usec : 0
    let drawing = drawingTime * Double(max(queued, 0))
    return format.sampleRate.frames(Double(room) / 1e6 + max(0.02, 0.01 + 2 * elapsed) + drawing)
  }

  private func withdraw(_ frames: Int64) {
    _ = timing
    let wanted = account.renderedFrames(inLast: frames)
    guard wanted > 0 else { return }
    let taken = max(0, min(Int(wanted), source.rewind(frames: Int(wanted))))
    guard taken > 0 else { return }
    account.withdrew(Int64(taken))
    hasEnded = false
    cancelDrain()
    fill()
  }
}
