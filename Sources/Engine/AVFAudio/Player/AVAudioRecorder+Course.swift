internal import AudioModel
internal import AudioOutput
internal import DSP
internal import Foundation
internal import GraphHost
internal import Platform

/// How the sound gets from the microphone to the file.
extension AVAudioRecorder {
  /// Opens the microphone and makes the file, unless they are there.
  func prepare() -> Bool {
    writing.sync {
      if writer != nil { return true }
      let generation = state.withLock { state -> Int in
        state.generation += 1
        return state.generation
      }
      guard let host = try? open(generation) else { return false }
      guard let made = try? RecordingWriter(url, settings: settings, input: host.format) else {
        host.stop()
        return false
      }
      writer = made
      self.host = host
      state.withLock { state in
        state.isPrepared = true
        state.frames = 0
        state.rate = host.format.sampleRate
        state.waiting = 0
      }
      return true
    }
  }

  private func open(_ generation: Int) throws(AudioError) -> CaptureHost {
    let wishes = streams.wishes
    let request = InputRequest(
      format: wanted, latency: wishes.latency ?? StreamSession.usualLatency, role: wishes.inputRole)
    return try CaptureHost(
      try makeInput(wishes.inputTarget), request: request, session: streams,
      client: CaptureHost.Client(
        take: { [weak self] block, time in self?.enqueue(block, time, generation) },
        fail: { [weak self] error in self?.failLater(generation, EngineError.make(error)) }))
  }

  func record(from begin: TimeInterval, seconds: TimeInterval) -> Bool {
    guard prepare() else { return false }
    return writing.sync {
      guard let host else { return false }
      state.withLock { state in
        state.begin = begin
        let (limit, isTooFar) = state.frames.addingReportingOverflow(state.rate.frames(max(0, seconds)))
        state.limit = isTooFar ? .max : limit
        state.isRecording = true
      }
      do { try host.start() } catch {
        state.withLock { $0.isRecording = false }
        return false
      }
      return true
    }
  }

  /// Hands a block to the writing queue: the microphone goes on while a disk is slow.
  private func enqueue(_ block: PCMBlock, _ time: Int64, _ generation: Int) {
    let copy = PCMBlock(channels: block.channels, capacity: block.frameCount)
    copy.append(block, count: block.frameCount)
    let seconds = Double(block.frameCount) / Double(wanted.sampleRate.hertz)
    let isTooMuch = state.withLock { state -> Bool in
      state.waiting += seconds
      return state.waiting > Self.patience
    }
    if isTooMuch {
      return failLater(generation, EngineError.make(-50, "The recording can't be written as fast as the sound comes"))
    }
    let parcel = UncheckedBox(copy)
    writing.async { [weak self] in
      guard let self else { return }
      state.withLock { $0.waiting -= seconds }
      take(parcel.value, time, generation)
    }
  }

  /// How many seconds of sound may wait to be written.
  private static var patience: Double { 30 }

  private func failLater(_ generation: Int, _ error: NSError) {
    writing.async { [weak self] in self?.finish(generation, error: error) }
  }

  // MARK: The writing queue

  private func take(_ block: PCMBlock, _ time: Int64, _ generation: Int) {
    guard let writer else { return }
    let plan = state.withLock { state -> (range: Range<Int>, isMetered: Bool, isEnough: Bool)? in
      guard state.generation == generation else { return nil }
      let count = Int64(block.frameCount)
      let early = state.rate.frames(state.begin - Double(time) / 1e9)
      let start = min(max(0, early), count)
      let end = min(count, start + min(count, state.limit - state.frames))
      state.frames += end - start
      return (Int(start)..<Int(end), state.isMeteringEnabled, state.frames >= state.limit)
    }
    guard let plan else { return }
    do {
      try writer.write(block, plan.range)
      if plan.isMetered { meter.measure(block, plan.range) }
      if plan.isEnough { finish(generation, error: nil) }
    } catch {
      finish(generation, error: error)
    }
  }

  /// Completes the file and tells.
  func finish(_ generation: Int, error: (any Error)?) {
    guard let writer, close(generation) else { return }
    var failure = error
    do { try writer.finish() } catch { failure = failure ?? error }
    let box = UncheckedBox(failure)
    DispatchQueue.main.async { [self] in
      if let error = box.value { delegate?.audioRecorderEncodeErrorDidOccur(self, error: error) }
      delegate?.audioRecorderDidFinishRecording(self, successfully: box.value == nil)
    }
  }

  /// Lets a file go that is not to stay.
  func discard() { if close(state.withLock { $0.generation }) { meter.clear() } }

  /// Lets microphone and file go, and forgets what is still on its way from the one to the other.
  /// - Returns: Whether they were open.
  private func close(_ generation: Int) -> Bool {
    let isCurrent = state.withLock { state -> Bool in
      guard state.generation == generation, state.isPrepared else { return false }
      state.generation += 1
      state.isPrepared = false
      state.isRecording = false
      return true
    }
    guard isCurrent else { return false }
    host?.stop()
    (host, writer) = (nil, nil)
    meter.clear()
    return true
  }
}
