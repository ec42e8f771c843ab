package import AudioModel
internal import Glibc

/// Repetitions of a sound, each of them fed back with less treble than the one before.
///
/// Times between two frames are exact: an allpass of first order, designed after J.-P. Thiran, delays by the part of
/// a frame and changes no frequency's level, so that a loop neither loses nor wins. Another time fades in within 50
/// ms while the one before fades out; feedback and treble move within 20 ms.
///
/// Gives the repetitions alone. Not for two threads at a time.
package final class Delay: @unchecked Sendable {
  private let channels: Int
  private let rate: Int
  private var gate: InputGate
  private var past: DelayMemory
  private var feedback: GainRamp
  private var damping: GainRamp
  /// The time in use, and what comes next: their ends read from the past.
  private let readers: UnsafeMutablePointer<Reader>
  private var now: Place
  private var next: Place
  private var wanted: Place
  private var fade = GainRamp(0)
  private let filters: UnsafeMutablePointer<Float>
  private let wet: UnsafeMutablePointer<Float>
  private let other: UnsafeMutablePointer<Float>
  /// Gains of each frame of a block: of the fade, the feedback, and the low-pass.
  private let curves: UnsafeMutablePointer<Float>

  /// What a delay is told, as numbers that it calculates with.
  package struct Targets: BitwiseCopyable, Hashable, Sendable {
    /// Frames a second.
    let rate: Int
    /// Frames between a sound and its repetition: whole ones, and what an allpass adds.
    var frames: Int
    var coefficient: Float
    var feedback: Float
    /// Part of a sample that the low-pass takes in at once; 1 lets everything pass.
    var damping: Float
    /// Frames until a sound has fallen by 96 dB; `Int.max` where it never does.
    package var tail: Int

    /// The numbers for settings; those out of range count as the nearer end, those that are none as the default.
    package init(_ settings: DelaySettings, rate: Int) {
      let settings = settings.clamped
      self.rate = rate
      let time = settings.time * Double(rate)
      // An allpass delays by 0.5…1.5 frames, and a loop has at least one whole one.
      let place = time < 1.5 ? 1 : (time * 4096).rounded() / 4096
      frames = Int(place - 0.5)
      let rest = place - Double(frames)
      coefficient = Float((1 - rest) / (1 + rest))
      if rest == 1 { frames += 1 }
      feedback = Float(settings.feedback / 100)
      let corner = settings.cutoff / Double(rate)
      let warped = tan(Double.pi * min(corner, 0.499))
      damping = corner >= 0.499 ? 1 : Float(warped / (1 + warped))
      let size = Double(feedback.magnitude)
      let repetitions = size == 0 ? 1 : 1 + (log(1.6e-5) / log(size)).rounded(.up)
      let frames = repetitions * (place + 2)
      tail = size < 1 && frames < 1e15 ? Int(frames) + rate / 10 : Int.max
    }
  }

  /// A time: whole frames, and the allpass for the rest (none where it is 0).
  private struct Place: BitwiseCopyable {
    var frames: Int
    var coefficient: Float
    @_noLocks @_noAllocation
    init(_ targets: Targets) {
      frames = targets.frames
      coefficient = targets.coefficient
    }
    @_noLocks @_noAllocation
    func equals(_ other: Place) -> Bool {
      guard frames == other.frames else { return false }
      return coefficient == other.coefficient
    }
  }

  /// An allpass of first order.
  private struct Reader: BitwiseCopyable {
    var (input, output): (Float, Float) = (0, 0)
    @inline(__always) @_noLocks @_noAllocation
    mutating func step(_ sample: Float, _ coefficient: Float) -> Float {
      let result = coefficient * (sample - output) + input
      input = sample
      output = result
      return result
    }
  }

  /// Makes a silent delay.
  package init(_ targets: Targets, rate: Int, channels: Int) {
    precondition(rate > 0 && channels > 0)
    let block = 64
    self.channels = channels
    self.rate = rate
    gate = InputGate(channels: channels, block: block, tail: targets.tail)
    let longest = Int(DelaySettings.timeRange.upperBound * Double(rate))
    past = DelayMemory(channels: channels, depth: longest + 2, block: block)
    feedback = GainRamp(targets.feedback)
    damping = GainRamp(targets.damping)
    now = Place(targets)
    next = now
    wanted = now
    readers = .allocate(capacity: 2 * channels)
    readers.initialize(repeating: Reader(), count: 2 * channels)
    filters = .allocate(capacity: channels)
    filters.initialize(repeating: 0, count: channels)
    wet = .allocate(capacity: block)
    wet.initialize(repeating: 0, count: block)
    other = .allocate(capacity: block)
    other.initialize(repeating: 0, count: block)
    curves = .allocate(capacity: 3 * block)
    curves.initialize(repeating: 0, count: 3 * block)
  }

  deinit {
    readers.deallocate()
    filters.deallocate()
    wet.deallocate()
    other.deallocate()
    curves.deallocate()
  }

  // MARK: Real-time

  /// Whether nothing is left to be heard, and nothing is calculated until sound comes.
  package var isAsleep: Bool {
    @_noLocks @_noAllocation
    get { gate.isAsleep }
  }

  /// Moves to other settings, unless they are those for another rate.
  @_noLocks @_noAllocation
  package func move(to targets: Targets) {
    guard targets.rate == rate else { return }
    gate.move(to: targets.tail)
    let isAsleep = gate.isAsleep
    if targets.feedback != feedback.target { feedback.move(to: targets.feedback, over: isAsleep ? 0 : rate / 50) }
    if targets.damping != damping.target { damping.move(to: targets.damping, over: isAsleep ? 0 : rate / 50) }
    wanted = Place(targets)
    if isAsleep { settle() }
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
    var channel = 0
    while channel < channels {
      filters[channel] = 0
      channel &+= 1
    }
    settle()
  }

  /// Begins anew at the time wanted.
  @_noLocks @_noAllocation
  private func settle() {
    now = wanted
    next = wanted
    fade = GainRamp(0)
    var index = 0
    while index < 2 &* channels {
      readers[index].input = 0
      readers[index].output = 0
      index &+= 1
    }
  }

  /// Makes the repetitions of some frames.
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
      var limit = count &- done
      if !now.equals(wanted) { beginFade() }
      // What is read has to be written before.
      let shortest = now.frames < next.frames ? now.frames : next.frames
      limit = limit < shortest ? limit : shortest
      // With the end of a fade the next one may begin.
      let rest = fade.length &+ 1 &- fade.position
      if isFading && rest < limit { limit = rest }
      let step = gate.take(input, from: done, stride: inputStride, limit: limit)
      if step.isAsleep {
        Mixing.clear(output + done, stride: outputStride, channels: channels, count: step.frames)
      } else {
        run(into: output + done, stride: outputStride, count: step.frames)
      }
      if step.isLast { forget() }
      done &+= step.frames
    }
  }

  private var isFading: Bool {
    @_noLocks @_noAllocation
    get { fade.target == 1 }
  }

  @_noLocks @_noAllocation
  private func beginFade() {
    guard !isFading else { return }
    next = wanted
    fade = GainRamp(0)
    fade.move(to: 1, over: rate / 20)
    var channel = 0
    while channel < channels {
      readers[channels &+ channel].input = 0
      readers[channels &+ channel].output = 0
      channel &+= 1
    }
  }

  @_noLocks @_noAllocation
  private func run(into output: UnsafeMutablePointer<Float>, stride: Int, count: Int) {
    let block = gate.block
    var curve = 0
    while curve < 3 {
      (curves + curve &* block).update(repeating: 1, count: count)
      curve &+= 1
    }
    if isFading { fade.apply(to: curves, stride: block, channels: 1, count: count) }
    feedback.apply(to: curves + block, stride: block, channels: 1, count: count)
    damping.apply(to: curves + 2 &* block, stride: block, channels: 1, count: count)
    var channel = 0
    while channel < channels {
      read(now, readers + channel, channel: channel, into: wet, count: count)
      if isFading {
        read(next, readers + channels + channel, channel: channel, into: other, count: count)
        blend(count: count)
      }
      soften(channel, output + channel &* stride, count: count)
      past.write(gate.planes + channel &* block, channel: channel, count: count)
      channel &+= 1
    }
    past.advance(count)
    if isFading { if fade.position > fade.length { endFade() } }
  }

  @_noLocks @_noAllocation
  private func endFade() {
    now = next
    fade = GainRamp(0)
    var channel = 0
    while channel < channels {
      readers[channel] = readers[channels &+ channel]
      channel &+= 1
    }
  }

  @_noLocks @_noAllocation
  private func read(
    _ place: Place, _ reader: UnsafeMutablePointer<Reader>, channel: Int, into target: UnsafeMutablePointer<Float>,
    count: Int
  ) {
    past.read(target, channel: channel, delay: place.frames, count: count)
    let coefficient = place.coefficient
    if coefficient == 0 { return }
    var state = reader.pointee
    var index = 0
    while index < count {
      target[index] = state.step(target[index], coefficient)
      index &+= 1
    }
    reader.pointee = state
  }

  /// From one time to the other: slowly at first and in the end, so that nothing is heard of it but the change.
  @_noLocks @_noAllocation
  private func blend(count: Int) {
    var index = 0
    while index < count {
      let place = curves[index]
      let share = place * place * (3 - 2 * place)
      wet[index] += share * (other[index] - wet[index])
      index &+= 1
    }
  }

  /// The low-pass, whose result is heard and fed back: (s + ω)⁻¹ ω by the bilinear transform, in the form of
  /// V. Zavalishin ("The art of VA filter design", 2012), which may change while it runs.
  @_noLocks @_noAllocation
  private func soften(_ channel: Int, _ output: UnsafeMutablePointer<Float>, count: Int) {
    let block = gate.block
    let fresh = gate.planes + channel &* block
    let (feedback, damping) = (curves + block, curves + 2 &* block)
    var memory = filters[channel]
    var index = 0
    while index < count {
      let share = damping[index]
      // Adding what is too little to count, here and below, keeps away from numbers that processors are slow with.
      let step = share * (wet[index] + 1e-18 - memory)
      let softened = memory + step
      memory = softened + step
      // At 1 exactly what came.
      let result = share == 1 ? wet[index] : softened - 1e-18
      output[index] = result
      fresh[index] = (fresh[index] + feedback[index] * result + 1e-18) - 1e-18
      index &+= 1
    }
    filters[channel] = memory
  }
}
