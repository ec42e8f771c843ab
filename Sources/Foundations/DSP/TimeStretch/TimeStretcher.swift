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
  /// The rates that can be had.
  package static let rates = 1.0 / 32...32.0
  /// The pitch ratios that can be had by a pitch, ±2400 cents; a varispeed's are the rates.
  package static let pitchRatios = 0.25...4.0

  /// What makes the tempo.
  private enum Engine: BitwiseCopyable { case direct, timeDomain, spectral }

  package let channels: Int
  /// Frames that are pulled at a time, at most.
  package let maximumFrames = 256
  private let sampleRate: Int
  private let block: Int

  // The source, and what the tempo stage has made of it.
  private var source: SignalQueue
  private var stretched: SignalQueue
  private var sourceEnd: Int64 = .max
  /// Which frame of the source a stretched frame is.
  private var map = MediaMap()
  private var timeDomain: TimeDomainStretcher
  private var vocoder: PhaseVocoder
  private var engine = Engine.direct
  private var fading = Engine.direct
  private var fadeLeft = 0
  private let fadeLength: Int
  private var likeness: Float = -2
  private let other: UnsafeMutablePointer<Float>
  private let made: UnsafeMutablePointer<Float>

  private var pitch: PitchWalk
  private var reader = PitchReader()
  private var classifier: ContentClassifier

  private var rate = 1.0
  private var algorithm = StretchAlgorithm.automatic
  private var isFresh = true

  private var isVarispeed: Bool {
    @_noLocks @_noAllocation
    get {
      if case .varispeed = algorithm { return true }
      return false
    }
  }

  /// Seconds by which the source is read ahead of what comes out, at most, at rates up to 2.
  package static func latency(of algorithm: StretchAlgorithm) -> Double {
    switch algorithm {
    case .varispeed: 0.001
    case .speech: 0.045
    case .music, .automatic: 0.11
    }
  }

  /// Makes a stretcher at rate 1 and pitch ratio 1.
  /// - Parameters:
  ///   - rate: Of source and result.
  ///   - channels: 1 or more.
  package init(rate: SampleRate, channels: Int) {
    precondition(channels > 0)
    self.channels = channels
    sampleRate = rate.hertz
    timeDomain = TimeDomainStretcher(channels: channels, rate: rate.hertz)
    vocoder = PhaseVocoder(channels: channels, rate: rate.hertz)
    block = vocoder.size / 16
    fadeLength = 4 * block
    // At 32 times the rate a window is due every 8 windows, and what is due is known half a window before.
    source = SignalQueue(
      channels: channels, capacity: 30 * vocoder.size)
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
    classifier.listen(planes, stride: stride, count: count)
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
    let oldest = Int64(pitch.position) &- Int64(reader.reach(step: pitch.greatestRatio))
    stretched.drop(before: oldest)
    map.forget(before: oldest)
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
  private var speed: Double {
    @_noLocks @_noAllocation
    get {
      guard !isVarispeed, rate != pitch.target else { return 1 }
      return rate / pitch.target
    }
  }

  // MARK: Tempo

  /// Chooses what makes the next block, and begins to go over to it where it is another.
  @_noLocks @_noAllocation
  private func choose() {
    guard fadeLeft == 0 else { return }
    var wanted = Engine.direct
    if speed != 1 {
      switch algorithm {
      case .varispeed: wanted = .direct
      case .speech: wanted = .timeDomain
      case .music: wanted = .spectral
      case .automatic: wanted = classifier.isSpeech ? .timeDomain : .spectral
      }
    }
    guard wanted != engine else { return }
    let frame = stretched.end
    switch wanted {
    case .direct: break
    case .timeDomain: timeDomain.start(at: map.media(at: Double(frame)))
    case .spectral: vocoder.start(at: frame, media: self.frame(of: map.media(at: Double(frame))))
    }
    // What is copied goes over by itself: both begin with the source's own frames.
    if engine == .direct {
      engine = wanted
      return
    }
    fading = engine
    engine = wanted
    fadeLeft = fadeLength
    likeness = -2
  }

  /// Frames of the source that the next block still needs.
  @_noLocks @_noAllocation
  private func missingSource() -> Int {
    let end = stretched.end &+ Int64(block)
    var needed = reach(engine, end)
    if fadeLeft > 0 {
      let other = reach(fading, end)
      if other > needed { needed = other }
    }
    let missing = needed &- source.end
    return missing > 0 ? Int(missing) : 0
  }

  /// The source's frame up to which an engine reads to make frames up to `end`.
  @_noLocks @_noAllocation
  private func reach(_ engine: Engine, _ end: Int64) -> Int64 {
    switch engine {
    case .direct: return frame(of: media(at: end)) &+ 1
    case .timeDomain: return frame(of: media(at: end)) &+ Int64(timeDomain.lookAhead(speed: largestSpeed))
    case .spectral:
      return frame(of: media(at: end &+ Int64(vocoder.horizon))) &+ Int64(vocoder.lookAhead)
    }
  }

  private var largestSpeed: Double {
    @_noLocks @_noAllocation
    get {
      let laid = map.speed(at: Double(stretched.end))
      return laid > speed ? laid : speed
    }
  }

  /// The source's frame at a stretched frame, as the map is or will be laid.
  @_noLocks @_noAllocation
  private func media(at frame: Int64) -> Double {
    if frame <= map.end { return map.media(at: Double(frame)) }
    return map.media(at: Double(map.end)) + Double(frame &- map.end) * speed
  }

  @_noLocks @_noAllocation
  private func frame(of media: Double) -> Int64 { Int64(martlet_floor(media + 0.5)) }

  /// Makes a block.
  @_noLocks @_noAllocation
  private func stretch() {
    let start = stretched.end
    let end = start &+ Int64(block)
    var horizon = 0
    if engine == .spectral { horizon = vocoder.horizon }
    if fadeLeft > 0, fading == .spectral { horizon = vocoder.horizon }
    map.extend(to: end &+ Int64(horizon), speed: speed)
    run(engine, start, into: made)
    if fadeLeft > 0 {
      run(fading, start, into: other)
      fade()
    }
    stretched.append(made, stride: block, count: block)
    dropSource(end)
  }

  @_noLocks @_noAllocation
  private func run(_ engine: Engine, _ start: Int64, into planes: UnsafeMutablePointer<Float>) {
    switch engine {
    case .direct:
      let first = map.media(at: Double(start))
      if map.speed(at: Double(start)) == 1, map.media(at: Double(start &+ Int64(block))) == first + Double(block) {
        copy(from: frame(of: first), into: planes)
        return
      }
      var done = 0
      while done < block {
        // Where the map bends, what is copied bends with it.
        let frame = frame(of: map.media(at: Double(start &+ Int64(done))))
        var channel = 0
        while channel < channels {
          planes[channel &* block &+ done] = source.pointer(channel, frame)[0]
          channel &+= 1
        }
        done &+= 1
      }
    case .timeDomain: timeDomain.render(source, map, from: start, count: block, into: planes, stride: block)
    case .spectral: vocoder.render(source, map, from: start, count: block, into: planes, stride: block)
    }
  }

  @_noLocks @_noAllocation
  private func copy(from frame: Int64, into planes: UnsafeMutablePointer<Float>) {
    var channel = 0
    while channel < channels {
      Kernels.copy(source.pointer(channel, frame), to: planes + channel &* block, count: block)
      channel &+= 1
    }
  }

  /// Goes over from the one engine's frames to the other's, with the power that sounds of this likeness have together.
  @_noLocks @_noAllocation
  private func fade() {
    if likeness < -1 { likeness = measureLikeness() }
    let first = fadeLength &- fadeLeft
    let scale = 1 / Float(Int32(truncatingIfNeeded: fadeLength))
    var index = 0
    while index < block {
      let rising = CrossFade.rising((Float(Int32(truncatingIfNeeded: first &+ index)) + 0.5) * scale)
      let falling = 1 - rising
      let power = rising * rising + falling * falling + 2 * likeness * rising * falling
      let factor = 1 / martlet_square_root(power)
      var channel = 0
      while channel < channels {
        let place = channel &* block &+ index
        made[place] = (made[place] * rising + other[place] * falling) * factor
        channel &+= 1
      }
      index &+= 1
    }
    fadeLeft &-= block
  }

  /// The correlation of both engines' blocks, 0…1.
  @_noLocks @_noAllocation
  private func measureLikeness() -> Float {
    let count = channels &* block
    let both = Kernels.dot(made, other, count: count)
    let product = Kernels.dot(made, made, count: count) * Kernels.dot(other, other, count: count)
    guard product > 1e-20 else { return 1 }
    let likeness = both / martlet_square_root(product)
    return likeness > 0 ? likeness : 0
  }

  /// Forgets the frames of the source that nothing needs any more.
  @_noLocks @_noAllocation
  private func dropSource(_ end: Int64) {
    var oldest = frame(of: map.media(at: Double(end))) &- Int64(vocoder.size &+ vocoder.hop)
    if engine == .timeDomain { oldest = timeDomain.oldestFrame < oldest ? timeDomain.oldestFrame : oldest }
    if fadeLeft > 0, fading == .timeDomain, timeDomain.oldestFrame < oldest { oldest = timeDomain.oldestFrame }
    source.drop(before: oldest)
  }
}
