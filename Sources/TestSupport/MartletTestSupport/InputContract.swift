internal import AudioModel
public import AudioOutput
internal import Realtime

/// What every input has to do, as one course of calls: open, start, pause, resume, close; and what it delivers: blocks of
/// bounded size, numbered without a gap, at times that run on.
public struct InputContract {
  /// What is asked of the input.
  public var request: InputRequest
  /// Makes the input.
  public var make: () throws -> any InputDevice
  /// For inputs without a thread: lets the device hear something.
  public var pump: (() -> Void)?

  /// Makes a contract for an input.
  public init(_ request: InputRequest, make: @escaping () throws -> any InputDevice, pump: (() -> Void)? = nil) {
    self.request = request
    self.make = make
    self.pump = pump
  }

  /// Puts the input through it.
  /// - Returns: What it does wrong, one sentence each; empty when it is right.
  public func violations() throws -> [String] {
    let device = try make()
    let recorder = CaptureRecorder(channels: request.format.channels, maximumFrames: request.maximumFrames)
    var faults: [String] = []
    func check(_ isRight: Bool, _ fault: @autoclosure () -> String) { if !isRight { faults.append(fault()) } }
    func wait(_ what: String, _ condition: (CaptureRecorder.Recording) -> Bool) {
      if !reaches(recorder, condition) { faults.append("in vain waited for \(what)") }
    }

    recorder.forbid("before start")
    let format = try device.open(request, sink: recorder) { recorder.note($0) }
    check(format == request.format, "opened with \(format) instead of \(request.format)")
    check(device.timing.delivered == 0, "timing before start: \(device.timing)")
    recorder.forbid(nil)
    try device.start()
    let part = max(1, format.sampleRate.frames(request.latency))
    wait("the first frames") { $0.frames >= 3 * part }

    for round in 1...2 {
      device.pause()
      recorder.forbid("while paused, time \(round)")
      pump?()
      let known = recorder.now.frames
      check(device.timing.delivered == known, "\(device.timing.delivered) delivered by timing, \(known) in truth")
      check(device.timing.latency >= 0, "a latency of \(device.timing.latency)")
      recorder.forbid(nil)
      device.resume()
      wait("frames after resume, time \(round)") { $0.frames >= known + part }
    }

    device.close()
    recorder.forbid("after close")
    pump?()
    let recording = recorder.now
    check(
      device.timing.delivered == recording.frames, "\(device.timing.delivered) of \(recording.frames) after close")
    let pairs = zip(recording.times, recording.times.dropFirst())
    // What a device says of its latency is a guess; two blocks never change places.
    check(
      pairs.allSatisfy { $0.hostNanoseconds <= $1.hostNanoseconds },
      "times run backwards: \(recording.times.map(\.hostNanoseconds))")
    for event in recording.events { if case .failed(let error) = event { faults.append("failed: \(error)") } }
    return faults + recorder.now.violations
  }

  private func reaches(_ recorder: CaptureRecorder, _ condition: (CaptureRecorder.Recording) -> Bool) -> Bool {
    guard let pump else { return recorder.wait { condition($0) ? true : nil } ?? false }
    for _ in 0..<100_000 {
      if condition(recorder.now) { return true }
      pump()
    }
    return false
  }
}
