internal import AudioModel
internal import DSP

/// An input of a mixer: from the format that comes to the one that is mixed.
///
/// The rate changes first, then the channels are laid on those of the mixer: equal layouts as they are, mono to both
/// sides, stereo to mono as the mean, everything else by ITU-R BS.775 as ``ChannelMixer`` has it.
final class MixerInput: @unchecked Sendable {
  /// What comes out.
  let output: PCMFormat
  /// The most frames that are wanted at a time.
  let capacity: Int
  private let connection: Unmanaged<GraphConnection>
  private let state: UnsafeMutablePointer<MixState>
  private let sourceRate: Int
  private let channels: Int
  private let outputChannels: Int
  private let outputRate: Int
  private let resampler: Unmanaged<PullResampler>?
  // Whose filter is taken over by the first call; kept until this input goes, since a plan may still run it.
  private let previous: Unmanaged<MixerInput>?
  // Belongs to the thread that renders.
  private var hasBegun = false
  private let planes: UnsafeMutablePointer<Float>
  private let curve: UnsafeMutablePointer<Float>
  // Row by row: for each output channel, how many terms, then channel and coefficient of each.
  private let terms: UnsafeMutableBufferPointer<Term>
  private let rows: UnsafeMutableBufferPointer<Int>

  private struct Term: BitwiseCopyable {
    var channel: Int
    var coefficient: Float
  }

  /// - Parameter previous: The connection's input so far. Between the same rates its filter goes on here.
  init(
    _ connection: GraphConnection, from input: PCMFormat, to output: PCMFormat, capacity: Int,
    after previous: MixerInput? = nil
  ) {
    self.connection = .passUnretained(connection)
    state = connection.state
    sourceRate = input.sampleRate.hertz
    self.output = output
    self.capacity = capacity
    channels = input.channels
    outputChannels = output.channels
    outputRate = output.sampleRate.hertz
    resampler =
      input.sampleRate == output.sampleRate
      ? nil
      : .passRetained(
        PullResampler(
          from: input.sampleRate, to: output.sampleRate, channels: channels, maximumOutput: capacity))
    let isSame = previous.map { $0.outputRate == output.sampleRate.hertz && $0.resampler != nil } ?? false
    self.previous = isSame ? previous.map { .passRetained($0) } : nil
    planes = .allocate(capacity: channels * capacity)
    planes.initialize(repeating: 0, count: channels * capacity)
    curve = .allocate(capacity: capacity)
    curve.initialize(repeating: 0, count: capacity)
    let matrix = ChannelMixer(from: input.layout, to: output.layout).matrix
    var all: [Term] = []
    var bounds = [0]
    for row in matrix {
      for (channel, coefficient) in row.enumerated() where coefficient != 0 {
        all.append(Term(channel: channel, coefficient: coefficient))
      }
      bounds.append(all.count)
    }
    terms = .allocate(capacity: max(1, all.count))
    _ = terms.initialize(from: all)
    rows = .allocate(capacity: bounds.count)
    _ = rows.initialize(from: bounds)
  }

  deinit {
    resampler?.release()
    previous?.release()
    planes.deallocate()
    curve.deallocate()
    terms.deallocate()
    rows.deallocate()
  }

  /// The most frames that are pulled from the source for `frames` of the mixer.
  func sourceCapacity(for frames: Int) -> Int {
    resampler?._withUnsafeGuaranteedRef { $0.mostInputFrames(for: frames) } ?? frames
  }

  /// By how many of the mixer's frames a frame is heard later than it was pulled.
  var latency: Int {
    guard let resampler else { return 0 }
    let lookAhead = resampler._withUnsafeGuaranteedRef { $0.lookAhead }
    return (lookAhead * outputRate + sourceRate - 1) / sourceRate
  }

  // MARK: Real-time

  /// How many frames of the source the next `frames` need.
  @_noLocks @_noAllocation
  func sourceFrames(for frames: Int) -> Int {
    guard let resampler else { return frames }
    if !hasBegun { begin() }
    return resampler._withUnsafeGuaranteedRef { $0.inputFrames(for: frames) }
  }

  /// Takes over the filter of the input before.
  @_noLocks @_noAllocation
  private func begin() {
    hasBegun = true
    guard let previous, let resampler else { return }
    // One that no plan has come to run stands where its own predecessor does.
    let before = previous._withUnsafeGuaranteedRef { input in
      if !input.hasBegun { input.begin() }
      return input.resampler
    }
    guard let standing = before?._withUnsafeGuaranteedRef({ $0.standing }) else { return }
    resampler._withUnsafeGuaranteedRef { $0.takeOver(standing) }
  }

  /// Takes frames of the source where their rate is another one.
  @_noLocks @_noAllocation
  func push(_ block: RenderedBlock) {
    resampler?._withUnsafeGuaranteedRef { $0.push(block.planes, stride: block.stride, count: block.count) }
  }

  /// Lays the next frames on the mixer's planes.
  /// - Parameters:
  ///   - block: What was pulled, if the rates are the same.
  ///   - target: The mixer's planes.
  ///   - isFirst: Nothing is on them yet.
  @_noLocks @_noAllocation
  func mix(_ block: RenderedBlock, onto target: UnsafeMutablePointer<Float>, stride: Int, frames: Int, isFirst: Bool)
  {
    var source = block
    if let resampler {
      let (planes, capacity) = (planes, capacity)
      resampler._withUnsafeGuaranteedRef { $0.pull(into: planes, stride: capacity, count: frames) }
      source = RenderedBlock(planes: planes, stride: capacity, count: frames)
    }
    let rampFrames = outputRate / 100
    connection._withUnsafeGuaranteedRef { $0.obey(rampFrames: rampFrames) }
    var row = 0
    while row < outputChannels {
      let plane = target + row &* stride
      let gain = state.pointee.gain(row, curve: curve, count: frames)
      var term = rows[row]
      let end = rows[row &+ 1]
      if term == end && isFirst { plane.update(repeating: 0, count: frames) }
      var isEmpty = isFirst
      while term < end {
        let from = source.planes + terms[term].channel &* source.stride
        let coefficient = terms[term].coefficient
        if let gain {
          if isEmpty {
            Mixing.set(plane, from, gain: coefficient * gain, count: frames)
          } else {
            Mixing.add(plane, from, gain: coefficient * gain, count: frames)
          }
        } else if isEmpty {
          Mixing.set(plane, from, gain: coefficient, curve: curve, count: frames)
        } else {
          Mixing.add(plane, from, gain: coefficient, curve: curve, count: frames)
        }
        isEmpty = false
        term &+= 1
      }
      row &+= 1
    }
    state.pointee.advance(frames)
  }

  /// Fades the input out, from now on.
  @_noLocks @_noAllocation
  func leave(over frames: Int) { state.pointee.leave(over: frames) }
}

/// Frames that a node has rendered.
struct RenderedBlock: BitwiseCopyable {
  /// The plane of channel c begins at `planes + c × stride`.
  var planes: UnsafeMutablePointer<Float>
  var stride: Int
  var count: Int

  // MARK: Real-time

  @_noLocks @_noAllocation
  init(planes: UnsafeMutablePointer<Float>, stride: Int, count: Int) {
    self.planes = planes
    self.stride = stride
    self.count = count
  }
}
