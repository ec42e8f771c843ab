internal import AudioModel
internal import CKernels

/// The tempo stage: what makes the next block, and how one goes over to another.
extension TimeStretcher {
  // MARK: Real-time

  /// Chooses what makes the next block, and begins to go over to it where it is another.
  @_noLocks @_noAllocation
  func choose() {
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
    let frame = stretched.end
    // Only speed 1 is copied: what is already laid at another is stretched first.
    if case .direct = wanted, !map.isSteady(from: frame, speed: 1) { return }
    guard isOther(wanted) else { return }
    switch wanted {
    case .direct: break
    case .timeDomain: timeDomain.start(at: map.media(at: Double(frame)))
    case .spectral: vocoder.start(at: frame, media: self.frame(of: map.media(at: Double(frame))))
    }
    // What is copied goes over by itself: both begin with the source's own frames.
    if case .direct = engine {
      engine = wanted
      return
    }
    fading = engine
    engine = wanted
    fadeLeft = fadeLength
    likeness = -2
  }

  @_noLocks @_noAllocation
  private func isOther(_ wanted: Engine) -> Bool {
    switch (wanted, engine) {
    case (.direct, .direct), (.timeDomain, .timeDomain), (.spectral, .spectral): false
    default: true
    }
  }

  /// Frames of the source that the next block still needs.
  @_noLocks @_noAllocation
  func missingSource() -> Int {
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
      return laid > nextSpeed ? laid : nextSpeed
    }
  }

  /// The speed at which the map is laid next: while sound is copied it is 1, whatever is wanted meanwhile.
  private var nextSpeed: Double {
    @_noLocks @_noAllocation
    get {
      if case .direct = engine { return 1 }
      return speed
    }
  }

  /// The source's frame at a stretched frame, as the map is or will be laid.
  @_noLocks @_noAllocation
  private func media(at frame: Int64) -> Double {
    if frame <= map.end { return map.media(at: Double(frame)) }
    return map.media(at: Double(map.end)) + Double(frame &- map.end) * nextSpeed
  }

  /// The nearest frame. What is half but for rounding goes up, so that a copy between two frames never slips.
  @_noLocks @_noAllocation
  func frame(of media: Double) -> Int64 { Int64(martlet_floor(media + 0.500001)) }

  /// Makes a block.
  @_noLocks @_noAllocation
  func stretch() {
    let start = stretched.end
    let end = start &+ Int64(block)
    var horizon = 0
    if case .spectral = engine { horizon = vocoder.horizon }
    if fadeLeft > 0, case .spectral = fading { horizon = vocoder.horizon }
    map.extend(to: end &+ Int64(horizon), speed: nextSpeed)
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
    case .direct: copy(from: frame(of: map.media(at: Double(start))), into: planes)
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
    // Eight at a time, and no more than there are.
    let count = channels &* block & ~7
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
    if case .timeDomain = engine { oldest = timeDomain.oldestFrame < oldest ? timeDomain.oldestFrame : oldest }
    if fadeLeft > 0, case .timeDomain = fading, timeDomain.oldestFrame < oldest { oldest = timeDomain.oldestFrame }
    source.drop(before: oldest)
  }
}
