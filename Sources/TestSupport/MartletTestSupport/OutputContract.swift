internal import AudioModel
public import AudioOutput

/// What every output has to do, as one course of calls: start, pause, withdraw, resume, drain, go on, drain, close; and
/// what comes out of it: every frame once and in order.
public struct OutputContract {
  /// What is asked of the output.
  public var request: OutputRequest
  /// Makes the output.
  public var make: () throws -> any OutputDevice
  /// For outputs without a thread: lets the device have one callback.
  public var pump: (() -> Void)?
  /// Silence inserted between the frames (a sound server's, before the first or while paused) is no fault.
  public var allowsSilence: Bool
  /// What was heard, interleaved, once the output is closed; `nil` where nobody can tell.
  public var heard: () throws -> [Float]?

  /// Makes a contract for an output.
  public init(
    _ request: OutputRequest, allowsSilence: Bool = false, make: @escaping () throws -> any OutputDevice,
    pump: (() -> Void)? = nil, heard: @escaping () throws -> [Float]? = { nil }
  ) {
    self.request = request
    self.make = make
    self.pump = pump
    self.allowsSilence = allowsSilence
    self.heard = heard
  }

  /// Puts the output through it.
  /// - Returns: What it does wrong, one sentence each; empty when it is right.
  public func violations() throws -> [String] {
    let device = try make()
    let source = CountingSource(channels: request.format.channels, maximumFrames: request.maximumFrames)
    var faults: [String] = []
    func check(_ isRight: Bool, _ fault: @autoclosure () -> String) { if !isRight { faults.append(fault()) } }
    func wait(_ what: String, _ condition: (CountingSource.Account) -> Bool) {
      if !reaches(source, condition) { faults.append("in vain waited for \(what)") }
    }

    source.forbid("before start")
    let format = try device.open(request, source: source) { source.note($0) }
    check(format == request.format, "opened with \(format) instead of \(request.format)")
    check(device.timing == OutputTiming(rendered: 0, pending: 0), "timing before start: \(device.timing)")
    source.forbid(nil)
    try device.start()
    let part = Int64(format.sampleRate.frames(request.latency))
    wait("the first frames") { $0.rendered >= 2 * part }

    device.pause()
    source.forbid("while paused")
    var timing = device.timing
    var account = source.now
    var truth: Int64 { account.rendered - account.rewound }
    check(timing.rendered == truth, "\(timing.rendered) rendered by timing, \(truth) in truth")
    check((0...timing.rendered).contains(timing.pending), "pending \(timing.pending) of \(timing.rendered)")
    device.withdraw()
    timing = device.timing
    account = source.now
    check(timing.rendered == truth, "\(timing.rendered) rendered after withdraw, \(truth) in truth")
    source.forbid(nil)
    device.resume()
    wait("frames after resume") { $0.rendered >= account.rendered + part }

    source.jumpWhenRewound(to: 20_000)
    account = source.now
    device.withdraw()
    check(device.timing.heard >= timing.heard, "the position ran backwards")
    wait("frames after withdraw") { $0.rendered >= account.rendered + part }

    for round in 1...2 {
      source.end(after: part / 2)
      wait("drained, time \(round)") { $0.events.filter { $0 == .drained }.count >= round }
      source.forbid("after the end")
      check(device.timing.pending == 0, "\(device.timing.pending) frames pending after drained")
      account = source.now
      check(device.timing.heard == truth, "\(device.timing.heard) heard after drained, \(truth) in truth")
      source.forbid(nil)
      guard round == 1 else { break }
      source.end(after: 3 * part)
      device.resume()
      wait("frames after drained") { $0.rendered >= account.rendered + part }
    }

    device.close()
    source.forbid("after close")
    account = source.now
    check(account.events.filter { $0 == .drained }.count == 2, "events: \(account.events)")
    for event in account.events { if case .failed(let error) = event { faults.append("failed: \(error)") } }
    if let heard = try heard() { faults += compare(heard, with: source.expectedSamples) }
    return faults + source.now.violations
  }

  private func reaches(_ source: CountingSource, _ condition: (CountingSource.Account) -> Bool) -> Bool {
    guard let pump else { return source.wait { condition($0) ? true : nil } ?? false }
    for _ in 0..<100_000 {
      if condition(source.now) { return true }
      pump()
    }
    return false
  }

  private func compare(_ heard: [Float], with expected: [Float]) -> [String] {
    let heard = allowsSilence ? heard.filter { $0 != 0 } : heard
    if heard == expected { return [] }
    let place = zip(heard, expected).enumerated().first { $0.element.0 != $0.element.1 }
    let detail =
      place.map { "at sample \($0.offset) \($0.element.0 * 32768) instead of \($0.element.1 * 32768)" }
      ?? "same start"
    return ["heard \(heard.count) samples, expected \(expected.count): \(detail)"]
  }
}
