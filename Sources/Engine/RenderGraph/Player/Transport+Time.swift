internal import Realtime

/// The way of a stream whose time or pitch is changed.
extension Transport {
  // MARK: Real-time

  /// Sets the time that is wanted now.
  @_noLocks @_noAllocation
  func keepTime() {
    guard let wanted = timeCommands.take() else { return }
    time = wanted
    if stretched == nil { stretched = stretchers.take() }
    if isStretching {
      stretched?._withUnsafeGuaranteedRef { $0.set(wanted) }
    } else {
      stretch()
    }
  }

  /// Lets the stream go through what stretches it, if that is wanted.
  @_noLocks @_noAllocation
  func stretch() {
    guard !time.isIdentity, let stretched, let stream else { return }
    let time = time
    stretched._withUnsafeGuaranteedRef {
      $0.start(stream)
      $0.set(time)
    }
    isStretching = true
    // What was read one for one can't be taken back any more.
    stretchStart = outputFrame
  }

  /// How many of `frames` can be read now.
  /// - Parameter isEnding: Whether nothing follows what can be read: of the buffer when called, of what comes of it then.
  @_noLocks @_noAllocation
  func readable(_ frames: Int, of stream: Unmanaged<StreamBuffer>, isEnding: inout Bool) -> Int {
    guard isStretching, let stretched else { return stream._withUnsafeGuaranteedRef { $0.ring.readableFrames } }
    let ready = stretched._withUnsafeGuaranteedRef { $0.prepare(frames, from: stream) }
    isEnding = stretched._withUnsafeGuaranteedRef { $0.isEnding }
    return ready
  }

  /// Where the stream is: the frame that comes next, and how many it moves by with each.
  @_noLocks @_noAllocation
  func place() -> (media: Double, speed: Double) {
    if isStretching, let stretched { return stretched._withUnsafeGuaranteedRef { $0.place } }
    guard let stream else { return (0, 1) }
    return (Double(stream._withUnsafeGuaranteedRef { $0.framesRead }), 1)
  }

  /// Tells the control side where the stream is, if it moves otherwise than was told.
  @_noLocks @_noAllocation
  func tellBend(_ stretched: Unmanaged<StretchedStream>) {
    let place = place()
    let off = toldMedia + Double(outputFrame &- toldFrame) * toldSpeed - place.media
    if place.speed == toldSpeed, off < 1e-3, off > -1e-3 { return }
    isAnnounced = false
    announce()
  }
}
