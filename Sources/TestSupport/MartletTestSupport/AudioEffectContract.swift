public import Realtime

/// What every effect has to keep: parameters within their ranges, the same sound however it is cut into blocks, nothing
/// left behind a reset, an honest latency and tail, sound again after samples that are no numbers, and nothing where it
/// renders that could make it late.
public struct AudioEffectContract {
  /// Makes the effect anew; called several times.
  public var make: () -> any AudioEffect
  /// Sets the effect so that sound passes as it is, but for its latency; `nil` where it can't.
  public var neutral: ((any AudioEffect) -> Void)?
  /// Called when parameters were set, where they reach the processor by another way than a ramp.
  public var tell: (any AudioEffect) -> Void = { _ in }
  /// How much of a difference is none, where sound passes as it is. Default: 0, bit for bit.
  public var tolerance: Float = 0
  /// What level has died away behind the tail, as a part of full scale. Default: −80 dB.
  public var silence: Float = 1e-4
  /// Seconds after samples that are no numbers in which numbers have to come again. Default: 1.
  public var recovery = 1.0
  /// The longest tail that is waited for, in seconds. Default: 10.
  public var longestTail = 10.0
  /// Formats that are tried.
  public var formats = [
    EffectFormat(rate: 48_000, channels: 2), EffectFormat(rate: 44_100, channels: 1),
    EffectFormat(rate: 96_000, channels: 3),
  ]

  /// Makes a contract for an effect.
  public init(neutral: ((any AudioEffect) -> Void)? = nil, make: @escaping () -> any AudioEffect) {
    self.neutral = neutral
    self.make = make
  }

  /// Puts the effect through it.
  /// - Returns: What it does wrong, one sentence each; empty when it is right.
  public func violations() -> [String] {
    var faults = parameters()
    for format in formats {
      let checks = [blocks, resets, tails, neutrality, numbers, realtime]
      faults += checks.flatMap { $0(format) }.map { "at \(format.rate) Hz, \(format.channels) channels: \($0)" }
    }
    return faults
  }

  // MARK: Checks

  private func parameters() -> [String] {
    let all = make().parameters
    var faults: [String] = []
    if Set(all.map(\.name)).count != all.count { faults.append("two parameters have one name") }
    for parameter in all {
      if parameter.name.isEmpty { faults.append("a parameter has no name") }
      if parameter.value != parameter.defaultValue {
        faults.append("\(parameter.name) does not begin with its default")
      }
    }
    let names = make().parameters.map(\.name)
    if names != all.map(\.name) { faults.append("another effect of the kind has other parameters") }
    return faults
  }

  /// The same sound by blocks of any size, also while parameters move.
  private func blocks(_ format: EffectFormat) -> [String] {
    func output(_ sizes: [Int]) -> [Float] {
      let effect = make()
      let run = EffectRun(effect, format)
      var output = run.process(noise(format, 1), by: sizes)
      move(effect, 0)
      output += run.process(noise(format, 2), by: sizes)
      move(effect, 1)
      return output + run.process(noise(format, 3), by: sizes)
    }
    let whole = output([512])
    return [[1], [7], [64, 3], [4096]].compactMap { sizes in
      EffectRun.difference(output(sizes), whole).map { "by blocks of \(sizes) frames \($0)" }
    }
  }

  /// After a reset, what a processor made anew does.
  private func resets(_ format: EffectFormat) -> [String] {
    let effect = make()
    let run = EffectRun(effect, format)
    _ = run.process(noise(format, 1))
    move(effect, 0)
    _ = run.process(noise(format, 2))
    run.reset()
    let found = run.process(noise(format, 3))
    let expected = EffectRun(effect, format).process(noise(format, 3))
    return EffectRun.difference(found, expected).map { ["after a reset \($0)"] } ?? []
  }

  /// Silence behind the tail, and of silence.
  private func tails(_ format: EffectFormat) -> [String] {
    let run = EffectRun(make(), format)
    let (latency, tail) = (run.latency, run.tail)
    if latency < 0 || tail < 0 { return ["latency \(latency) or tail \(tail) is negative"] }
    guard latency + tail <= format.frames(longestTail) else { return ["a tail of \(tail) frames is not waited for"] }
    var faults: [String] = []
    let quiet = [Float](repeating: 0, count: 512 * format.channels)
    if run.process(quiet).contains(where: { abs($0) > silence }) { faults.append("it makes sound of silence") }
    _ = run.process(noise(format, 1))
    _ = run.process([Float](repeating: 0, count: (latency + tail) * format.channels))
    let loudest = run.process(quiet).map { abs($0) }.max() ?? 0
    if !(loudest <= silence) { faults.append("behind the tail of \(tail) frames sound is at \(loudest)") }
    if run.latency != latency { faults.append("its latency changes") }
    return faults
  }

  /// What goes in comes out as it was, as late as is said.
  private func neutrality(_ format: EffectFormat) -> [String] {
    guard let neutral else { return [] }
    let effect = make()
    neutral(effect)
    tell(effect)
    let run = EffectRun(effect, format)
    let frames = 2000
    let input = noise(format, 1, frames: frames)
    let output = run.process(input)
    let late = min(run.latency, frames)
    for channel in 0..<format.channels {
      let (first, last) = (channel * frames, (channel + 1) * frames)
      let expected = [Float](repeating: 0, count: late) + input[first..<last - late]
      for (frame, pair) in zip(output[first..<last], expected).enumerated() where !(abs(pair.0 - pair.1) <= tolerance)
      {
        return ["set to pass sound \(late) frames late, frame \(frame) is \(pair.0) instead of \(pair.1)"]
      }
    }
    return []
  }

  /// Numbers in, numbers out; and again soon after what was none.
  private func numbers(_ format: EffectFormat) -> [String] {
    let effect = make()
    let run = EffectRun(effect, format)
    var faults: [String] = []
    for (number, size) in [Float(1), 1e-30, 1e6].enumerated() {
      move(effect, number)
      if run.process(noise(format, 1).map { $0 * size }).contains(where: { !$0.isFinite }) {
        faults.append("sound at \(size) becomes what is no number")
      }
    }
    var odd = noise(format, 2, frames: 64)
    for (index, value) in [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude].enumerated() {
      odd[index * 7 % odd.count] = value
    }
    _ = run.process(odd)
    for _ in 0..<format.frames(recovery) / 512 { _ = run.process(noise(format, 3)) }
    if run.process(noise(format, 4)).contains(where: { !$0.isFinite }) {
      faults.append("one sample that is no number ends all sound")
    }
    run.reset()
    if run.process(noise(format, 5)).contains(where: { !$0.isFinite }) {
      faults.append("a reset does not forget samples that are no numbers")
    }
    return faults
  }

  /// No allocation, lock or system call where it renders, with parameters changing.
  private func realtime(_ format: EffectFormat) -> [String] {
    guard AllocationGuard.isAvailable else { return [] }
    let effect = make()
    let run = EffectRun(effect, format)
    var counts = AllocationGuard()
    for round in 0..<4 {
      for size in [512, 1, 100, 333] {
        let planes = noise(format, UInt64(size), frames: size)
        move(effect, round + size)
        run.watch(planes, &counts)
      }
      // The first use of each path makes its metadata.
      if round == 0 { counts = AllocationGuard() }
    }
    return counts.isClean ? [] : ["where it renders there are \(counts)"]
  }

  // MARK: Tools

  /// Sets each parameter to one end of its range, its default, or the other end.
  private func move(_ effect: any AudioEffect, _ number: Int) {
    for (index, parameter) in effect.parameters.enumerated() {
      let values = [parameter.range.upperBound, parameter.defaultValue, parameter.range.lowerBound]
      parameter.value = values[(index + number) % 3]
    }
    tell(effect)
  }

  private func noise(_ format: EffectFormat, _ seed: UInt64, frames: Int = 512) -> [Float] {
    Signals.noise(seed: seed, frames: frames * format.channels)
  }
}
