public import AudioOutput
internal import Platform
public import Realtime
internal import Synchronization

/// A source whose frames say their own number, and which keeps account of what a device has to make heard.
///
/// It stands in for a player: it can be taken back, ends where it is told, jumps when a device withdraws, and notes
/// every call that breaks the rules. Unlike a real source it locks, so that tests can wait for it.
public final class CountingSource: RenderSource, @unchecked Sendable {
  /// Where the source stands.
  public struct Account: Sendable {
    /// Frames rendered in all, and those taken back of these.
    public internal(set) var rendered: Int64 = 0
    public internal(set) var rewound: Int64 = 0
    /// Render calls so far.
    public internal(set) var calls = 0
    /// The numbers of the frames that are to be heard, in order.
    public internal(set) var expected: [Range<Int64>] = []
    /// What the device told.
    public internal(set) var events: [OutputEvent] = []
    /// Rules that were broken.
    public internal(set) var violations: [String] = []
    var next: Int64 = 0
    var end = Int64.max
    var jump: Int64?
    var endAfterRewind: Int64?
    var isForbidden: String?

    mutating func append(_ frames: Int) {
      if let last = expected.last, last.upperBound == next {
        expected[expected.count - 1] = last.lowerBound..<next + Int64(frames)
      } else if frames > 0 {
        expected.append(next..<next + Int64(frames))
      }
      next += Int64(frames)
      rendered += Int64(frames)
    }

    mutating func removeLast(_ frames: Int64) {
      var left = frames
      while left > 0, let last = expected.popLast() {
        let taken = min(left, Int64(last.count))
        if taken < Int64(last.count) { expected.append(last.lowerBound..<last.upperBound - taken) }
        next = last.upperBound - taken
        left -= taken
      }
      rewound += frames
    }
  }

  private let account = Monitor(Account())
  private let isBusy = Atomic(false)
  private let channels: Int
  private let maximumFrames: Int
  private let period: Int64

  /// Makes a source.
  /// - Parameters:
  ///   - channels: Samples of a frame.
  ///   - maximumFrames: What the device may ask at most in one call.
  ///   - period: After so many frames numbers repeat; at most 32 767, which 16-bit devices keep apart too.
  public init(channels: Int, maximumFrames: Int = 4096, period: Int64 = 32_000) {
    self.channels = channels
    self.maximumFrames = maximumFrames
    self.period = period
  }

  /// The account at this moment.
  public var now: Account { account.withLock { $0 } }

  /// The samples that are to be heard, interleaved.
  public var expectedSamples: [Float] {
    now.expected.flatMap { range in
      range.flatMap { frame in (0..<channels).map { sample(of: frame, channel: $0) } }
    }
  }

  /// A frame's sample: a whole number of 2⁻¹⁵, never zero; odd channels are negative.
  public func sample(of frame: Int64, channel: Int) -> Float {
    Float(frame % period + 1) / 32768 * (channel % 2 == 0 ? 1 : -1)
  }

  /// The number that a frame's first sample says; `nil` for silence and what is no number.
  public static func number(_ sample: Float) -> Int64? {
    let value = sample * 32768
    return value >= 1 && value == value.rounded() ? Int64(value) - 1 : nil
  }

  /// Waits until `body` answers something; `nil` after ten seconds.
  public func wait<Result: Sendable>(seconds: Double = 10, _ body: (Account) -> Result?) -> Result? {
    account.wait(until: MonotonicTime.now.advanced(bySeconds: seconds)) { body($0) }
  }

  /// Ends so many frames from here; `nil` never.
  public func end(after frames: Int64?) {
    account.signal { $0.end = frames.map { [next = $0.next] in next + $0 } ?? .max }
  }

  /// Goes on at another frame when the device next takes something back, as a player does that seeks.
  public func jumpWhenRewound(to frame: Int64) { account.signal { $0.jump = frame } }

  /// Ends so many frames after the place where the device next takes something back to (or where it jumps then).
  public func endWhenRewound(after frames: Int64) { account.signal { $0.endAfterRewind = frames } }

  /// Forbids render calls, with the reason, or allows them again.
  public func forbid(_ reason: String?) { account.signal { $0.isForbidden = reason } }

  /// Notes an event: to be called by the handler given to the device.
  public func note(_ event: OutputEvent) { account.signal { $0.events.append(event) } }

  /// Draws the next numbers.
  public func render(_ samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let isAlone = !isBusy.exchange(true, ordering: .acquiring)
    defer { isBusy.store(false, ordering: .releasing) }
    return account.signal { account -> Int in
      account.calls += 1
      if !isAlone { account.violations.append("render calls overlap") }
      if frames < 1 || frames > maximumFrames { account.violations.append("render call for \(frames) frames") }
      if let reason = account.isForbidden { account.violations.append("render call \(reason)") }
      let count = Int(max(0, min(Int64(frames), account.end - account.next)))
      for index in 0..<count {
        for channel in 0..<channels {
          samples[index * channels + channel] = sample(of: account.next + Int64(index), channel: channel)
        }
      }
      account.append(count)
      return count
    }
  }

  /// Takes frames back.
  public func rewind(frames: Int) -> Int {
    let isAlone = !isBusy.exchange(true, ordering: .acquiring)
    defer { isBusy.store(false, ordering: .releasing) }
    return account.signal { account -> Int in
      if !isAlone { account.violations.append("rewind overlaps with a render call") }
      let known = account.rendered - account.rewound
      if frames < 0 || frames > known { account.violations.append("\(frames) of \(known) frames taken back") }
      account.removeLast(max(0, min(Int64(frames), known)))
      if let jump = account.jump {
        account.next = jump
        account.jump = nil
      }
      if let frames = account.endAfterRewind {
        account.end = account.next + frames
        account.endAfterRewind = nil
      }
      return Int(max(0, min(Int64(frames), known)))
    }
  }
}
