internal import AudioModel
internal import DSP
internal import Realtime

/// A stream whose time passes at another speed, or whose pitch is another: stands between a buffer and the transport.
///
/// What comes out waits in a ring with a history, so that a device can take frames back as it can without: they come again
/// as they were. Which frame of the stream a frame is, is known for all of them.
final class StretchedStream: @unchecked Sendable {
  /// From a frame that comes out on, the stream moves by `speed` frames a frame.
  private struct Mark: BitwiseCopyable {
    var frame: Int64 = 0
    var media = 0.0
    var speed = 1.0
  }

  // Everything belongs to the device's thread.
  private let channels: Int
  private let stretcher: Unmanaged<TimeStretcher>
  private let ring: PCMRing
  private let input: UnsafeMutablePointer<Float>
  private let output: UnsafeMutablePointer<Float>
  private let marks: UnsafeMutablePointer<Mark>
  private let inputFrames = 2048
  private let outputFrames: Int
  private var markCount = 0
  /// The stream's frame that was read first.
  private var base: Int64 = 0
  /// Frames before this one are not the present stream's.
  private var floor: Int64 = 0
  private var hasEnded = false

  /// - Parameters:
  ///   - maximumFrames: Frames that are read at a time, at most.
  ///   - history: Frames that can be taken back.
  init(format: PCMFormat, maximumFrames: Int, history: Int) {
    channels = format.channels
    let stretcher = TimeStretcher(rate: format.sampleRate, channels: format.channels)
    outputFrames = stretcher.maximumFrames
    self.stretcher = .passRetained(stretcher)
    ring = PCMRing(channels: format.channels, capacity: maximumFrames + outputFrames, history: history)
    input = .allocate(capacity: channels * inputFrames)
    output = .allocate(capacity: channels * outputFrames)
    marks = .allocate(capacity: 4096)
  }

  deinit {
    stretcher.release()
    input.deallocate()
    output.deallocate()
    marks.deallocate()
  }

  // MARK: Real-time

  /// Begins with the frame that a buffer gives next.
  @_noLocks @_noAllocation
  func start(_ stream: Unmanaged<StreamBuffer>) {
    _ = ring.skip(ring.readableFrames)
    floor = ring.framesRead
    base = stream._withUnsafeGuaranteedRef { $0.framesRead }
    stretcher._withUnsafeGuaranteedRef { $0.reset() }
    markCount = 0
    hasEnded = false
    note()
  }

  /// Sets what is wanted, from the next frames on that are not made yet.
  @_noLocks @_noAllocation
  func set(_ time: TimeCommand) {
    stretcher._withUnsafeGuaranteedRef {
      $0.set(rate: time.rate, pitchRatio: time.pitchRatio, algorithm: time.algorithm)
    }
  }

  /// Frames that wait to be read: makes more of them, as far as the buffer has what they are made of.
  /// - Returns: How many, at most `frames`.
  @_noLocks @_noAllocation
  func prepare(_ frames: Int, from stream: Unmanaged<StreamBuffer>) -> Int {
    while ring.readableFrames < frames {
      guard !hasEnded else { break }
      guard feed(stream) else { break }
      make()
    }
    let ready = ring.readableFrames
    return ready < frames ? ready : frames
  }

  /// Whether no frame follows those that wait.
  var isEnding: Bool {
    @_noLocks @_noAllocation
    get { hasEnded }
  }

  /// Reads frames that wait.
  @_noLocks @_noAllocation
  func read(into planes: UnsafeMutablePointer<Float>, stride: Int, count: Int) -> Int {
    ring.read(into: planes, stride: stride, count: count)
  }

  /// Takes back up to `count` frames.
  @_noLocks @_noAllocation
  func rewind(_ count: Int) -> Int {
    let possible = Int(ring.framesRead &- floor)
    return ring.rewind(count < possible ? count : possible)
  }

  /// The stream's frame that is read next, and how many frames it moves by with each.
  var place: (media: Double, speed: Double) {
    @_noLocks @_noAllocation
    get {
      let frame = ring.framesRead
      var index = markCount &- 1
      let oldest = markCount > 4096 ? markCount &- 4096 : 0
      while index > oldest {
        if marks[index & 4095].frame <= frame { break }
        index &-= 1
      }
      let mark = marks[index & 4095]
      return (mark.media + Double(frame &- mark.frame) * mark.speed, mark.speed)
    }
  }

  /// Up to which frame the speed is the one of the next frame.
  var nextBend: Int64 {
    @_noLocks @_noAllocation
    get {
      let frame = ring.framesRead
      var next = Int64.max
      var index = markCount
      let oldest = markCount > 4096 ? markCount &- 4096 : 0
      while index > oldest {
        index &-= 1
        if marks[index & 4095].frame <= frame { break }
        next = marks[index & 4095].frame
      }
      return next == .max ? .max : next &- frame
    }
  }

  /// Brings what the next frames are made of.
  /// - Returns: Whether they can be made.
  @_noLocks @_noAllocation
  private func feed(_ stream: Unmanaged<StreamBuffer>) -> Bool {
    let (stretcher, input, stride, frames) = (stretcher, input, inputFrames, outputFrames)
    while true {
      let wanted = stretcher._withUnsafeGuaranteedRef { $0.wanted(for: frames) }
      guard wanted > 0 else { return true }
      // Asked for before reading: once it is true, what can be read is all there will be.
      let isEnding = stream._withUnsafeGuaranteedRef { $0.isFinished }
      let count = stream._withUnsafeGuaranteedRef {
        $0.ring.read(into: input, stride: stride, count: wanted < stride ? wanted : stride)
      }
      if count > 0 {
        stretcher._withUnsafeGuaranteedRef { $0.push(input, stride: stride, count: count) }
      } else if isEnding {
        stretcher._withUnsafeGuaranteedRef { $0.finish() }
      } else {
        return false
      }
    }
  }

  /// Makes a block, whose source is there.
  @_noLocks @_noAllocation
  private func make() {
    note()
    let (stretcher, output, frames) = (stretcher, output, outputFrames)
    let count = stretcher._withUnsafeGuaranteedRef { $0.pull(into: output, stride: frames, count: frames) }
    if count < frames { hasEnded = true }
    _ = ring.write(output, stride: frames, count: count)
  }

  /// Notes which frame of the stream the next frame is, unless the last mark says so.
  @_noLocks @_noAllocation
  private func note() {
    let media = Double(base) + stretcher._withUnsafeGuaranteedRef { $0.mediaPosition }
    let speed = stretcher._withUnsafeGuaranteedRef { $0.mediaSpeed }
    let frame = ring.framesWritten
    if markCount > 0 {
      let last = marks[(markCount &- 1) & 4095]
      let off = last.media + Double(frame &- last.frame) * last.speed - media
      if last.speed == speed, off < 1e-4, off > -1e-4 { return }
    }
    marks[markCount & 4095] = Mark(frame: frame, media: media, speed: speed)
    markCount &+= 1
  }
}

/// How fast a stream plays, and how high.
struct TimeCommand: BitwiseCopyable {
  var rate = 1.0
  var pitchRatio = 1.0
  var algorithm = StretchAlgorithm.automatic
  var isIdentity: Bool {
    @_noLocks @_noAllocation
    get {
      guard rate == 1 else { return false }
      return pitchRatio == 1
    }
  }
}
