package import AudioModel
internal import CKernels

/// Makes sound faster or slower, and higher or lower, while it plays.
///
/// Two stages: tempo, then pitch. The tempo stage makes a signal whose duration is changed and whose pitch is not, by
/// `rate / pitch ratio`; the pitch stage reads that at `pitch ratio` frames a frame. Either is left out where it has
/// nothing to do: at rate 1 and pitch ratio 1 frames pass bit for bit.
///
/// It is pulled: whoever wants frames asks how many of the source are ``wanted(for:)``, brings them, and pulls. The source
/// is read ahead; nothing is delayed, and the first frame that comes out is the source's first. Where the source ends
/// (``finish()``), as many frames have come as `source frames / rate` says, rounded; with rates that changed, as the map of
/// positions says: that is what ``mediaPosition`` tells of the next frame, exact through every change.
///
/// Not for two threads at a time.
package final class TimeStretcher: @unchecked Sendable {
  /// What makes the tempo.
  enum Engine: BitwiseCopyable { case direct, timeDomain, spectral }

  package let channels: Int
  /// Frames that are pulled at a time, at most.
  package let maximumFrames = 256
  let block: Int

  // The source, and what the tempo stage has made of it.
  var source: SignalQueue
  var stretched: SignalQueue
  private var sourceEnd: Int64 = .max
  /// Which frame of the source a stretched frame is.
  var map = MediaMap()
  var timeDomain: TimeDomainStretcher
  var vocoder: PhaseVocoder
  var engine = Engine.direct
  var fading = Engine.direct
  var fadeLeft = 0
  let fadeLength: Int
  var likeness: Float = -2
  let other: UnsafeMutablePointer<Float>
  let made: UnsafeMutablePointer<Float>

  private var pitch: PitchWalk
  private var reader = PitchReader()
  var classifier: ContentClassifier

  private var rate = 1.0
  var algorithm = StretchAlgorithm.automatic
  private var isFresh = true

  private var isVarispeed: Bool {
    @_noLocks @_noAllocation
    get {
      if case .varispeed = algorithm { return true }
      return false
    }
  }

  /// Seconds by which the source is read ahead of what comes out, at most, without a pitch of its own: more at higher rates,
  /// since what is read ahead passes sooner.
  package static func latency(of algorithm: StretchAlgorithm, rate: Double) -> Double {
    switch algorithm {
    // A filter's half and a block.
    case .varispeed: 0.0044 + 0.00075 * rate
    // Two of the longest periods, some patience, and a block.
    case .speech where rate > 2: 0.036 + 0.021 * rate
    case .speech: 0.0365 + 0.004 * rate
    // Half a window of the source; half a window of the result and a block.
    case .music, .automatic: 0.0615 + 0.0385 * rate
    }
  }

  /// Makes a stretcher at rate 1 and pitch ratio 1.
  /// - Parameters:
  ///   - rate: Of source and result.
  ///   - channels: 1 or more.
  package init(rate: SampleRate, channels: Int) {
    precondition(channels > 0)
    self.channels = channels
    timeDomain = TimeDomainStretcher(channels: channels, rate: rate.hertz)
    vocoder = PhaseVocoder(channels: channels, rate: rate.hertz)
    block = vocoder.size / 32
    fadeLength = 8 * block
    // At 32 times the rate, two octaves lower, the tempo is 128: a third of a window is 45 windows of the source, and what
    // is spliced may be 17 behind. Memory that is never used is never there.
    source = SignalQueue(channels: channels, capacity: 72 * vocoder.size)
    let reach = 2 * reader.reach(step: reader.maximumStep)
    stretched = SignalQueue(channels: channels, capacity: reach + maximumFrames * Int(reader.maximumStep) + 2 * block)
    made = .allocate(capacity: channels * block)
    made.initialize(repeating: 0, count: channels * block)
    other = .allocate(capacity: channels * block)
    other.initialize(repeating: 0, count: channels * block)
    pitch = PitchWalk(rampFrames: rate.hertz / 100)
    classifier = ContentClassifier(rate: rate.hertz, channels: channels)
    reset()
  }

  deinit {
    source.deallocate()
    stretched.deallocate()
    timeDomain.deallocate()
    vocoder.deallocate()
    reader.deallocate()
    classifier.deallocate()
    made.deallocate()
    other.deallocate()
  }

  // MARK: Real-time

  /// Sets what is wanted, from the next frames on: the rate as far as it is not laid yet, the pitch over 10 ms.
  /// - Parameters:
  ///   - rate: 1/32…32.
  ///   - pitchRatio: 0.25…4; left alone by `.varispeed`.
  @_noLocks @_noAllocation
  package func set(rate: Double, pitchRatio: Double, algorithm: StretchAlgorithm) {
    self.rate = rate
    self.algorithm = algorithm
    pitch.move(to: isVarispeed ? rate : pitchRatio, atOnce: isFresh)
  }

  /// Sets frames from a spectral window to the next: the window's length divided by it, 4…16, is how often a frame is
  /// covered.
  @_noLocks @_noAllocation
  package func setOverlap(_ windows: Int) {
    let covered = windows < 4 ? 4 : windows > 16 ? 16 : windows
    vocoder.setOverlap(covered)
  }

  /// Forgets the signal, and begins with the source's first frame anew.
  @_noLocks @_noAllocation
  package func reset() {
    let before = vocoder.size &+ vocoder.hop
    source.reset(to: 0, silence: before)
    stretched.reset(to: 0, silence: reader.reach(step: reader.maximumStep))
    sourceEnd = .max
    map.reset(media: 0, speed: speed)
    pitch.reset()
    classifier.reset()
    engine = .direct
    fadeLeft = 0
    isFresh = true
  }

  /// Says that no frame of the source follows those that were pushed.
  @_noLocks @_noAllocation
  package func finish() { if sourceEnd == .max { sourceEnd = source.end } }

  /// The source's frame that the next frame is, between two if it must be.
  package var mediaPosition: Double {
    @_noLocks @_noAllocation
    get { map.media(at: pitch.position) }
  }

  /// Frames of the source that pass with a frame of the result, now.
  package var mediaSpeed: Double {
    @_noLocks @_noAllocation
    get { map.speed(at: pitch.position) * pitch.ratio }
  }

  /// Frames of the source that were pushed.
  package var pushedFrames: Int64 {
    @_noLocks @_noAllocation
    get { sourceEnd < source.end ? sourceEnd : source.end }
  }

  /// Frames of the source that are read ahead of the one that comes out.
  package var lookAhead: Int {
    @_noLocks @_noAllocation
    get { Int(Double(source.end) - mediaPosition) }
  }

  /// How many frames of the source are wanted before the next `frames` can be pulled; asked again until it is 0.
  @_noLocks @_noAllocation
  package func wanted(for frames: Int) -> Int {
    let frames = frames < maximumFrames ? frames : maximumFrames
    let last = pitch.position(after: frames)
    let step = pitch.greatestRatio
    let needed = Int64(martlet_floor(last)) &+ 1 &+ Int64(isCopying ? 0 : reader.reach(step: step))
    while stretched.end < needed {
      choose()
      let missing = missingSource()
      if missing > 0 {
        guard sourceEnd != .max else { return missing < source.room ? missing : source.room }
        source.appendSilence(missing < source.room ? missing : source.room)
      }
      stretch()
    }
    return 0
  }

  /// Takes frames of the source, at most as many as were wanted.
  @_noLocks @_noAllocation
  package func push(_ planes: UnsafePointer<Float>, stride: Int, count: Int) {
    guard sourceEnd == .max else { return }
    if case .automatic = algorithm { classifier.listen(planes, stride: stride, count: count) }
    source.append(planes, stride: stride, count: count < source.room ? count : source.room)
  }

  /// Makes frames, for which nothing more may be wanted.
  /// - Parameter count: At most ``maximumFrames``.
  /// - Returns: How many; fewer when the sound has ended.
  @_noLocks @_noAllocation
  package func pull(into planes: UnsafeMutablePointer<Float>, stride: Int, count: Int) -> Int {
    var count = count < maximumFrames ? count : maximumFrames
    isFresh = false
    if sourceEnd != .max { count = framesLeft(count) }
    if isCopying {
      let first = Int64(pitch.position)
      var channel = 0
      while channel < channels {
        Kernels.copy(stretched.pointer(channel, first), to: planes + channel &* stride, count: count)
        channel &+= 1
      }
      pitch.advance(count)
    } else {
      if pitch.isStanding { reader.prepare(step: pitch.ratio) }
      var index = 0
      while index < count {
        reader.read(stretched, at: pitch.position, step: pitch.ratio, into: planes + index, stride: stride)
        pitch.advance(1)
        index &+= 1
      }
    }
    // A ratio that grows looks further back.
    stretched.drop(before: Int64(pitch.position) &- Int64(reader.reach(step: reader.maximumStep)))
    map.forget(before: Int64(pitch.position))
    return count
  }

  /// How many of `count` frames there still are: those whose middle lies before the source's end.
  @_noLocks @_noAllocation
  private func framesLeft(_ count: Int) -> Int {
    let end = Double(sourceEnd) + 1e-6
    var left = 0
    var walk = pitch
    while left < count {
      let here = map.media(at: walk.position)
      if here + map.speed(at: walk.position) * walk.ratio / 2 > end { break }
      walk.advance(1)
      left &+= 1
    }
    return left
  }

  /// Whether stretched frames come out as they are.
  private var isCopying: Bool {
    @_noLocks @_noAllocation
    get { pitch.isWhole }
  }

  /// Frames of the source for a frame of what is stretched.
  var speed: Double {
    @_noLocks @_noAllocation
    get {
      guard !isVarispeed, rate != pitch.target else { return 1 }
      return rate / pitch.target
    }
  }
}
