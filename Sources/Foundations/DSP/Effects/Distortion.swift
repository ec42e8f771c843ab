internal import Glibc

/// Sound spoilt after a ``DistortionPlan``.
///
/// Gives the spoilt sound alone, free of constant parts. Not for two threads at a time.
package final class Distortion: @unchecked Sendable {
  /// What is done.
  package let plan: DistortionPlan
  /// Frames until a sound has fallen by 96 dB, which counts as its end: then everything is forgotten.
  package let tail: Int
  private let channels: Int
  private var gate: InputGate
  private var past: DelayMemory
  private let echoFrames: Int
  private let echoFeedback: Float
  private let echoMix: Float
  private let level: Float
  /// The pole of what takes constants away: what changes more often than ten times a second passes.
  private let blocking: Float
  // Holding: a part of a sample for each frame, and what has come together so far.
  private let holdStep: Double
  private var holdPhase = 1.0
  private let quantum: Float
  // The sines, as what turns by steps.
  private let ring: (share: Float, first: Float, second: Float)
  private var first: Turn
  private var second: Turn
  private let shape: Shape?
  private let states: UnsafeMutablePointer<State>
  /// Sines of a block, and samples at twice the rate.
  private let carrier: UnsafeMutablePointer<Float>
  private let fine: UnsafeMutablePointer<Float>
  private let heard: UnsafeMutablePointer<Float>

  /// What a channel remembers.
  private struct State: BitwiseCopyable {
    var band: BandFilter
    var halves = HalfBand()
    var held: Float = 0
    var input: Float = 0
    var output: Float = 0

    init(band: BandFilter) { self.band = band }
  }

  private struct Shape: BitwiseCopyable {
    var (linear, squared, cubed, drive): (Float, Float, Float, Float)
  }

  /// A sine and its cosine; twice the precision of samples, so that hours don't change it.
  private struct Turn: BitwiseCopyable {
    let (stepCosine, stepSine): (Double, Double)
    private var (cosine, sine): (Double, Double) = (1, 0)

    init(hertz: Double, rate: Double) {
      let angle = 2 * Double.pi * min(hertz, 0.45 * rate) / rate
      (stepCosine, stepSine) = (cos(angle), sin(angle))
    }

    @inline(__always) @_noLocks @_noAllocation
    mutating func next() -> Float {
      let result = Float(sine)
      (cosine, sine) = (cosine * stepCosine - sine * stepSine, sine * stepCosine + cosine * stepSine)
      return result
    }

    @_noLocks @_noAllocation
    mutating func reset() { (cosine, sine) = (1, 0) }
  }

  /// Makes a distortion that has heard nothing.
  /// - Parameters:
  ///   - rate: Frames a second.
  ///   - channels: Planes that go in and come out.
  package init(_ plan: DistortionPlan, rate: Int, channels: Int) {
    precondition(rate > 0 && channels > 0)
    let hertz = Double(rate)
    let echo = plan.echo.seconds > 0 ? max(1, Int(plan.echo.seconds * hertz)) : 0
    let block = echo == 0 ? 64 : min(64, echo)
    self.plan = plan
    self.channels = channels
    tail = max(1, Int(plan.tail * hertz))
    gate = InputGate(channels: channels, block: block, tail: tail)
    past = DelayMemory(channels: echo == 0 ? 0 : channels, depth: echo, block: block)
    echoFrames = echo
    echoFeedback = plan.echo.feedback
    echoMix = plan.echo.mix
    level = Float(pow(10, plan.level / 20))
    holdStep = plan.hold > 0 ? min(1, plan.hold / hertz) : 1
    quantum = plan.bits > 0 ? Float(1 << (plan.bits - 1)) : 0
    let share = Float(plan.ring.mix)
    ring = (share, share * Float(1 - plan.ring.balance), share * Float(plan.ring.balance))
    first = Turn(hertz: plan.ring.first, rate: hertz)
    second = Turn(hertz: plan.ring.second, rate: hertz)
    shape = plan.curve.map {
      Shape(linear: $0.linear, squared: $0.squared, cubed: $0.cubed, drive: Float(pow(10, $0.drive / 20)))
    }
    let band = BandFilter(highPass: plan.highPass, lowPass: plan.lowPass, rate: hertz)
    states = .allocate(capacity: channels)
    states.initialize(repeating: State(band: band), count: channels)
    carrier = .allocate(capacity: block)
    carrier.initialize(repeating: 0, count: block)
    heard = .allocate(capacity: block)
    heard.initialize(repeating: 0, count: block)
    fine = .allocate(capacity: 2 * block)
    fine.initialize(repeating: 0, count: 2 * block)
    blocking = Float(exp(-2 * Double.pi * min(10, 0.1 * hertz) / hertz))
  }

  deinit {
    states.deallocate()
    carrier.deallocate()
    heard.deallocate()
    fine.deallocate()
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
    gate.reset()
    forget()
  }

  @_noLocks @_noAllocation
  private func forget() {
    past.reset()
    first.reset()
    second.reset()
    holdPhase = 1
    var channel = 0
    while channel < channels {
      let state = states + channel
      state.pointee.band.reset()
      state.pointee.halves.reset()
      state.pointee.held = 0
      state.pointee.input = 0
      state.pointee.output = 0
      channel &+= 1
    }
  }

  /// Spoils some frames.
  /// - Parameters:
  ///   - input: The plane of channel c begins at `input + c × inputStride`; `nil` for silence.
  ///   - output: The plane of channel c begins at `output + c × outputStride`. Not the input.
  ///   - gain: Gain in front of everything: what the first of the frames begins with.
  @_noLocks @_noAllocation
  package func process(
    _ input: UnsafePointer<Float>?, inputStride: Int, into output: UnsafeMutablePointer<Float>, outputStride: Int,
    gain: GainRamp, count: Int
  ) {
    var gain = gain
    var done = 0
    while done < count {
      let step = gate.take(input, from: done, stride: inputStride, limit: count &- done)
      if step.isAsleep {
        gain.advance(step.frames)
        Mixing.clear(output + done, stride: outputStride, channels: channels, count: step.frames)
      } else {
        gain.apply(to: gate.planes, stride: gate.block, channels: channels, count: step.frames)
        run(into: output + done, stride: outputStride, count: step.frames)
      }
      if step.isLast { forget() }
      done &+= step.frames
    }
  }

  @_noLocks @_noAllocation
  private func run(into output: UnsafeMutablePointer<Float>, stride: Int, count: Int) {
    let start = holdPhase
    if ring.share > 0 { turn(count: count) }
    var channel = 0
    while channel < channels {
      let plane = gate.planes + channel &* gate.block
      let state = states + channel
      state.pointee.band.run(plane, count: count)
      if holdStep < 1 {
        holdPhase = start
        hold(plane, state, count: count)
      }
      if quantum > 0 { round(plane, count: count) }
      if ring.share > 0 { multiply(plane, count: count) }
      if let shape {
        state.pointee.halves.double(plane, into: fine, count: count)
        bend(shape, count: 2 &* count)
        state.pointee.halves.halve(fine, into: plane, count: count)
      }
      if echoFrames > 0 { echo(plane, channel: channel, count: count) }
      finish(plane, state, into: output + channel &* stride, count: count)
      channel &+= 1
    }
    past.advance(count)
  }

  @_noLocks @_noAllocation
  private func turn(count: Int) {
    let kept = 1 - ring.share
    var index = 0
    while index < count {
      carrier[index] = kept + ring.first * first.next() + ring.second * second.next()
      index &+= 1
    }
  }

  @_noLocks @_noAllocation
  private func hold(_ plane: UnsafeMutablePointer<Float>, _ state: UnsafeMutablePointer<State>, count: Int) {
    let step = holdStep
    var phase = holdPhase
    var held = state.pointee.held
    var index = 0
    while index < count {
      if phase >= 1 {
        phase -= 1
        held = plane[index]
      }
      plane[index] = held
      phase += step
      index &+= 1
    }
    holdPhase = phase
    state.pointee.held = held
  }

  @_noLocks @_noAllocation
  private func round(_ plane: UnsafeMutablePointer<Float>, count: Int) {
    let scale = quantum
    let back = 1 / quantum
    // Added and taken away, it leaves whole numbers: the nearest ones.
    let magic = Float(12_582_912)
    var index = 0
    while index < count {
      plane[index] = ((plane[index] * scale + magic) - magic) * back
      index &+= 1
    }
  }

  @_noLocks @_noAllocation
  private func multiply(_ plane: UnsafeMutablePointer<Float>, count: Int) {
    var index = 0
    while index < count {
      plane[index] *= carrier[index]
      index &+= 1
    }
  }

  @_noLocks @_noAllocation
  private func bend(_ shape: Shape, count: Int) {
    let limit: Float = 3
    var index = 0
    while index < count {
      let x = fine[index]
      let sum = shape.drive * (x * (shape.linear + x * (shape.squared + x * shape.cubed)))
      let above = sum > limit ? limit : sum
      let y = above < -limit ? -limit : above
      // Padé's fraction for the hyperbolic tangent, which reaches 1 at 3, with a slope of 0.
      fine[index] = y * (27 + y * y) / (27 + 9 * y * y)
      index &+= 1
    }
  }

  @_noLocks @_noAllocation
  private func echo(_ plane: UnsafeMutablePointer<Float>, channel: Int, count: Int) {
    past.read(heard, channel: channel, delay: echoFrames, count: count)
    let (feedback, mix) = (echoFeedback, echoMix)
    var index = 0
    while index < count {
      let late = heard[index]
      // Adding what is too little to count, and taking it away, makes zeros of what processors are slow with.
      heard[index] = (plane[index] + feedback * late + 1e-18) - 1e-18
      plane[index] += mix * late
      index &+= 1
    }
    past.write(heard, channel: channel, count: count)
  }

  /// Takes away what stays constant, (1 − z⁻¹) / (1 − p z⁻¹), and sets the level.
  @_noLocks @_noAllocation
  private func finish(
    _ plane: UnsafeMutablePointer<Float>, _ state: UnsafeMutablePointer<State>,
    into output: UnsafeMutablePointer<Float>, count: Int
  ) {
    let (pole, level) = (blocking, level)
    var (input, last) = (state.pointee.input, state.pointee.output)
    var index = 0
    while index < count {
      let sample = plane[index]
      last = (sample - input + pole * last + 1e-18) - 1e-18
      input = sample
      output[index] = last * level
      index &+= 1
    }
    (state.pointee.input, state.pointee.output) = (input, last)
  }
}
