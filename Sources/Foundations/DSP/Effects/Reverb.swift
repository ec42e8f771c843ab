internal import Glibc

/// A room, hall or plate: what comes back of a sound.
///
/// The way of the sound: a low-pass, a delay, whose taps are the early reflections, allpasses that make many echoes
/// of each (``AllpassChain``), and a ``FeedbackNetwork`` for the late part. Each channel enters the network and
/// leaves it by a row of its own of an orthogonal matrix, so that what comes out of any two has nothing in common,
/// and their sum is as loud as one expects. The reverb of pink noise is as loud as the noise, whatever the preset.
///
/// Gives the reverb alone. Not for two threads at a time.
package final class Reverb: @unchecked Sendable {
  /// What it sounds like.
  package let plan: ReverbPlan
  /// Frames until a sound has fallen by 96 dB, which counts as its end: then everything is forgotten.
  package let tail: Int
  private let channels: Int
  private let preDelay: Int
  private let lateGain: Float
  /// Part of a sample that the low-pass takes in at once; 1 lets everything pass.
  private let tone: Float
  private let tones: UnsafeMutablePointer<Float>
  private var gate: InputGate
  private var past: DelayMemory
  private var network: FeedbackNetwork
  private let chains: UnsafeMutablePointer<AllpassChain>
  private let reflections: UnsafeMutableBufferPointer<ReverbPlan.Reflection>
  private let late: UnsafeMutablePointer<Float>

  /// Makes a silent room.
  /// - Parameters:
  ///   - rate: Frames a second.
  ///   - channels: Planes that go in and come out.
  package init(_ plan: ReverbPlan, rate: Int, channels: Int) {
    precondition(rate > 0 && channels > 0)
    let hertz = Double(rate)
    self.plan = plan
    self.channels = channels
    tail = max(1, Int(plan.tail * hertz))
    let lengths = plan.lines(rate: hertz)
    let filters = lengths.map { DecayFilter(plan.times, length: $0, rate: hertz, matrix: 16) }
    network = FeedbackNetwork(lengths: lengths, filters: filters, channels: channels, turning: 1 / hertz, block: 64)
    let block = network.block
    gate = InputGate(channels: channels, block: block, tail: tail)
    tone = plan.brightness < 0.45 * hertz ? Float(1 - exp(-2 * Double.pi * plan.brightness / hertz)) : 1
    let taps = (0..<channels).flatMap { plan.reflections(channel: $0, channels: channels, rate: hertz) }
    preDelay = Int(plan.preDelay * hertz / 1000)
    past = DelayMemory(channels: channels, depth: max(preDelay, taps.map(\.delay).max() ?? 0), block: block)
    lateGain = Self.lateGain(plan, filters: filters, tone: Double(tone), rate: hertz)
    reflections = .allocate(capacity: taps.count)
    _ = reflections.initialize(from: taps)
    tones = .allocate(capacity: channels)
    tones.initialize(repeating: 0, count: channels)
    late = .allocate(capacity: channels * block)
    late.initialize(repeating: 0, count: channels * block)
    chains = .allocate(capacity: channels)
    for channel in 0..<channels {
      (chains + channel).initialize(
        to: AllpassChain(lengths: plan.allpasses(channel: channel, rate: hertz), gain: Float(plan.diffusion)))
    }
  }

  deinit {
    chains.deinitialize(count: channels)
    chains.deallocate()
    reflections.deallocate()
    tones.deallocate()
    late.deallocate()
  }

  /// The gain with which early and late part together have the energy that pink noise has.
  ///
  /// Into sixteen lines goes a power of 1, a sixteenth into each, and each loses 1 − g² of what it has. So in
  /// balance each gives g̅² / Σ (1 − g²).
  private static func lateGain(_ plan: ReverbPlan, filters: [DecayFilter], tone: Double, rate: Double) -> Float {
    var energy = 0.0
    var early = 0.0
    var octaves = 0.0
    for hertz in [125.0, 250, 500, 1000, 2000, 4000, 8000] where hertz < 0.45 * rate || octaves == 0 {
      let frequency = min(hertz, 0.45 * rate)
      let squares = filters.map { 16 * $0.gain(at: frequency, rate: rate) * $0.gain(at: frequency, rate: rate) }
      let kept = squares.reduce(0, +)
      // |a / (1 − (1 − a) z⁻¹)|².
      let pole = 1 - tone
      let low = tone * tone / (1 - 2 * pole * cos(2 * Double.pi * frequency / rate) + pole * pole)
      energy += low * kept / 16 / (16 - kept)
      early += low * plan.early
      octaves += 1
    }
    return Float((max(0.1 * octaves, octaves - early) / energy).squareRoot())
  }

  // MARK: Real-time

  /// Whether nothing is left to be heard, and nothing is calculated until sound comes.
  package var isAsleep: Bool {
    @_noLocks @_noAllocation
    get { gate.isAsleep }
  }

  /// Forgets all sound.
  @_noLocks @_noAllocation
  package func reset() {
    if !gate.isAsleep { forget() }
    gate.reset()
  }

  @_noLocks @_noAllocation
  private func forget() {
    past.reset()
    network.reset()
    var channel = 0
    while channel < channels {
      chains[channel].reset()
      tones[channel] = 0
      channel &+= 1
    }
  }

  /// Makes the reverb of some frames.
  /// - Parameters:
  ///   - input: The plane of channel c begins at `input + c × inputStride`; `nil` for silence.
  ///   - output: The plane of channel c begins at `output + c × outputStride`. Not the input.
  @_noLocks @_noAllocation
  package func process(
    _ input: UnsafePointer<Float>?, inputStride: Int, into output: UnsafeMutablePointer<Float>, outputStride: Int,
    count: Int
  ) {
    var done = 0
    while done < count {
      let step = gate.take(input, from: done, stride: inputStride, limit: count &- done)
      Mixing.clear(output + done, stride: outputStride, channels: channels, count: step.frames)
      if !step.isAsleep { run(into: output + done, stride: outputStride, count: step.frames) }
      if step.isLast { forget() }
      done &+= step.frames
    }
  }

  @_noLocks @_noAllocation
  private func run(into output: UnsafeMutablePointer<Float>, stride: Int, count: Int) {
    let block = gate.block
    var channel = 0
    while channel < channels {
      if tone < 1 { soften(gate.planes + channel &* block, channel: channel, count: count) }
      past.write(gate.planes + channel &* block, channel: channel, count: count)
      channel &+= 1
    }
    let taps = reflections.count / channels
    channel = 0
    while channel < channels {
      let target = output + channel &* stride
      var tap = channel &* taps
      while tap < (channel &+ 1) &* taps {
        let reflection = reflections[tap]
        past.add(
          to: target, channel: reflection.channel, delay: reflection.delay, gain: reflection.gain, count: count)
        tap &+= 1
      }
      past.read(late + channel &* block, channel: channel, delay: preDelay, count: count)
      chains[channel].run(late + channel &* block, count: count)
      channel &+= 1
    }
    past.advance(count)
    network.run(
      late, inputStride: block, addingTo: output, outputStride: stride, gain: lateGain, count: count)
  }

  @_noLocks @_noAllocation
  private func soften(_ plane: UnsafeMutablePointer<Float>, channel: Int, count: Int) {
    let tone = tone
    var last = tones[channel]
    var index = 0
    while index < count {
      // A constant too small to be heard keeps what fades out away from numbers that processors are slow with.
      last += tone * (plane[index] + 1e-18 - last)
      plane[index] = last - 1e-18
      index &+= 1
    }
    tones[channel] = last
  }
}
