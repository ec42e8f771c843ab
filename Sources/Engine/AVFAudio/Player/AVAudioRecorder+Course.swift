internal import Foundation
internal import Platform

/// How the sound gets from the microphone to the file.
extension AVAudioRecorder {
  /// Makes the file, unless it is there.
  func prepare() -> Bool {
    writing.sync {
      if state.withLock({ $0.isPrepared }) { return true }
      guard let made = try? RecordingWriter(url, settings: wanted) else { return false }
      writer = made
      state.withLock { state in
        state.generation += 1
        state.isPrepared = true
        state.recorded = 0
      }
      return true
    }
  }

  func record(from begin: UInt64, seconds: TimeInterval) -> Bool {
    guard prepare() else { return false }
    let generation = state.withLock { state -> Int in
      state.begin = begin
      state.limit = seconds.isNaN ? .infinity : state.recorded + max(0, seconds)
      return state.generation
    }
    installTap(generation)
    state.withLock { $0.isRecording = true }
    do { try engine.start() } catch {
      state.withLock { $0.isRecording = false }
      return false
    }
    return true
  }

  private func installTap(_ generation: Int) {
    let isFirst = state.withLock { state -> Bool in
      defer { state.isTapped = true }
      return !state.isTapped
    }
    guard isFirst else { return }
    engine.inputNode.installTap(onBus: 0, bufferSize: 1024, format: nil) { [weak self] buffer, time in
      self?.enqueue(buffer, time, generation)
    }
  }

  /// Hands a buffer to the writing queue: the tap itself would drop what comes while a disk is slow.
  private func enqueue(_ buffer: AVAudioPCMBuffer, _ time: AVAudioTime, _ generation: Int) {
    let seconds = Double(buffer.frameLength) / buffer.format.sampleRate
    let isTooMuch = state.withLock { state -> Bool in
      state.waiting += seconds
      return state.waiting > Self.patience
    }
    let parcel = UncheckedBox((buffer: buffer, time: time))
    writing.async { [weak self] in
      guard let self else { return }
      state.withLock { $0.waiting -= seconds }
      if isTooMuch {
        finish(generation, error: Self.slowDisk, isWhole: false)
      } else {
        take(parcel.value.buffer, parcel.value.time, generation)
      }
    }
  }

  /// How many seconds of sound may wait to be written.
  private static var patience: Double { 30 }

  private static var slowDisk: NSError {
    NSError(
      domain: "NSOSStatusErrorDomain", code: AVAudioSession.ErrorCode.unspecified.rawValue,
      userInfo: [NSLocalizedDescriptionKey: "the file can't be written as fast as the sound comes"])
  }

  // MARK: The writing queue

  private func take(_ buffer: AVAudioPCMBuffer, _ time: AVAudioTime, _ generation: Int) {
    let rate = buffer.format.sampleRate
    let plan = state.withLock { state -> (range: Range<Int>, isMetered: Bool, isEnough: Bool)? in
      guard state.generation == generation, state.isPrepared, state.isRecording else { return nil }
      let count = Int(buffer.frameLength)
      let first = time.isHostTimeValid ? Self.frames(until: state.begin, from: time.hostTime, rate: rate) : 0
      let left = (state.limit - state.recorded) * rate
      let start = min(count, first)
      let end = left.isFinite ? min(count, start + Int(left.rounded())) : count
      state.recorded += Double(end - start) / rate
      let isEnough = left.isFinite && start + Int(left.rounded()) <= count
      return (start..<end, state.isMeteringEnabled, isEnough)
    }
    guard let plan, let writer else { return }
    do {
      try writer.write(buffer, plan.range)
      if plan.isMetered, !plan.range.isEmpty { meter.measure(buffer) }
      if plan.isEnough { finish(generation, error: nil, isWhole: true) }
    } catch {
      finish(generation, error: error, isWhole: false)
    }
  }

  /// Frames of a buffer before the moment from which it is wanted.
  private static func frames(until begin: UInt64, from start: UInt64, rate: Double) -> Int {
    guard begin > start else { return 0 }
    return Int(min(Double(Int32.max), (Double(begin - start) / 1e9 * rate).rounded()))
  }

  /// Completes the file and tells.
  func finish(_ generation: Int, error: (any Error)?, isWhole: Bool) {
    let isCurrent = state.withLock { state -> Bool in
      guard state.generation == generation, state.isPrepared else { return false }
      state.generation += 1
      state.isPrepared = false
      state.isRecording = false
      state.isTapped = false
      return true
    }
    guard isCurrent else { return }
    engine.inputNode.removeTap(onBus: 0)
    engine.stop()
    meter.clear()
    var failure = error
    do { try writer?.finish() } catch { failure = failure ?? error }
    writer = nil
    let box = UncheckedBox(failure)
    DispatchQueue.main.async { [self] in
      if let error = box.value { delegate?.audioRecorderEncodeErrorDidOccur(self, error: error) }
      delegate?.audioRecorderDidFinishRecording(self, successfully: isWhole && box.value == nil)
    }
  }

  /// Lets a file go that was prepared or paused.
  func discard() {
    let isOpen = state.withLock { state -> Bool in
      defer {
        state.generation += 1
        state.isPrepared = false
        state.isTapped = false
      }
      return state.isPrepared
    }
    guard isOpen else { return }
    engine.inputNode.removeTap(onBus: 0)
    engine.stop()
    try? writer?.finish()
    writer = nil
  }
}
