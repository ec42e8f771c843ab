import AudioModel
import AudioOutput
import ByteSource
import Martlet
import MartletTestSupport
import Platform
import Testing

/// A player on a loudspeaker and a clock that stand still unless the test moves them.
final class PlayerRig: Sendable {
  let output: ManualOutput
  let player: AudioPlayer
  private let log = Monitor<[PlayerEvent.Kind]>([])
  private let queue: Int
  private let time = Monitor(MonotonicTime(nanoseconds: 1_000_000_000))

  init(
    queue: Int = 0, format: PCMFormat? = nil, _ adjust: (inout PlayerConfiguration) -> Void = { _ in }
  ) {
    self.queue = queue
    output = ManualOutput(format: format, queue: queue)
    var configuration = PlayerConfiguration()
    adjust(&configuration)
    let time = self.time
    player = AudioPlayer(
      output: output, configuration: configuration,
      clock: PlayerClock(isRunning: false) { time.withLock { $0 } })
    let log = self.log
    player.observe { event in if let event { log.signal { $0.append(event.kind) } } }
  }

  deinit { player.close() }

  /// Everything told so far.
  var events: [PlayerEvent.Kind] { log.withLock { $0 } }

  /// Waits until the player has told something.
  func wait(
    _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    until condition: @escaping @Sendable (PlayerEvent.Kind) -> Bool
  ) {
    let found = log.wait(until: .now.advanced(bySeconds: 10)) { $0.contains(where: condition) ? true : nil }
    let told = found == true ? "" : "; told: \(events)"
    #expect(found == true, "\(comment ?? "the event did not come")\(told)", sourceLocation: sourceLocation)
  }

  /// Waits for a state.
  func wait(for state: PlayerState, sourceLocation: SourceLocation = #_sourceLocation) {
    wait("no state \(state)", sourceLocation: sourceLocation) {
      if case .state(state, _) = $0 { true } else { false }
    }
  }

  /// Waits until `seconds` are decoded ahead, or nothing more is to come.
  func fill(_ seconds: Double) {
    let patience = MonotonicTime.now.advanced(bySeconds: 20)
    while MonotonicTime.now < patience {
      player.settle()
      let snapshot = player.snapshot
      if snapshot.bufferedAhead >= seconds || snapshot.isDecoded { return }
      if snapshot.state == .ended || snapshot.state == .failed { return }
    }
    Issue.record("the buffer did not fill")
  }

  /// Lets the loudspeaker take `frames`, in callbacks of `size`, with the clock moving along.
  func hear(_ frames: Int, by size: Int = 480) {
    guard let rate = output.format?.sampleRate else { return }
    var left = frames
    while left > 0 {
      let count = min(left, size)
      let pace = player.snapshot.effects.time
      // What changes time reads ahead of what is heard.
      let ahead = pace.isIdentity ? 0 : 0.1 + 0.06 * pace.rate
      fill(Double(count + queue + 1) / Double(rate.hertz) * pace.rate + ahead)
      time.withLock { $0 = $0.advanced(bySeconds: rate.seconds(Int64(count))) }
      output.pull(frames: count)
      player.settle()
      left -= count
    }
  }

  /// Plays until the last item is over.
  func hearAll(by size: Int = 480, atMost frames: Int = 10_000_000) {
    var heard = 0
    while heard < frames, player.snapshot.state != .ended, player.snapshot.state != .failed {
      hear(size, by: size)
      heard += size
    }
    #expect(player.snapshot.state == .ended || player.snapshot.state == .failed, "it does not end")
  }

  /// The samples heard of one channel.
  func heard(channel: Int = 0) -> [Float] {
    let channels = output.format?.channels ?? 1
    let all = output.heard
    return stride(from: channel, to: all.count, by: channels).map { all[$0] }
  }

  /// Events as short lines, those named only.
  func lines(_ names: Set<String>) -> [String] {
    events.compactMap { event in
      let (name, line): (String, String) =
        switch event {
        case .state(let state, let previous): ("state", "\(previous) -> \(state)")
        case .itemStarted(let start):
          ("started", "started \(start.index) gapless \(start.isGapless.map { "\($0)" } ?? "-")")
        case .itemFinished(let end): ("finished", "finished \(end.index) \(end.reason) \(end.framesPlayed)")
        case .seeked(let seek): ("seeked", "seeked \(seek.from) -> \(seek.position)")
        case .error(let error, _, let action): ("error", "error \(error.code.rawValue) \(action)")
        case .warning: ("warning", "warning")
        case .underrun(let count, _): ("underrun", "underrun \(count)")
        case .metadata(_, let title, _): ("metadata", "metadata \(title ?? "-")")
        default: ("", "")
        }
      return names.contains(name) ? line : nil
    }
  }
}

/// A mono or stereo f32 WAV file whose every sample says which frame it is.
func countingWAV(
  frames: Int, rate: SampleRate = .studio, from first: Int = 1, layout: ChannelLayout = .mono
) -> [UInt8] {
  var bytes = WAVHeader(format: PCMFormat(sampleRate: rate, layout: layout), sample: .f32).bytes(
    frames: Int64(frames))
  bytes.reserveCapacity(bytes.count + frames * 4 * layout.count)
  for frame in 0..<frames {
    for channel in 0..<layout.count {
      // Exact in binary32, different in each channel, never 0.
      let value = Float(first + frame) / 16_777_216 * (channel == 0 ? 1 : -1)
      let bits = value.bitPattern
      bytes += [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: bits >> $0) }
    }
  }
  return bytes
}

/// The frame that a sample of ``countingWAV(frames:rate:from:layout:)`` says it is, 0 for silence.
func frameNumber(_ sample: Float) -> Int { Int((sample * 16_777_216).rounded()) }

extension PlayerItem {
  /// An item of bytes in memory.
  init(_ name: String, bytes: [UInt8]) {
    self.init(name: name) { (_) throws(AudioError) -> any ByteSource in MemorySource(bytes) }
  }
}

/// Where two long runs of frames differ first, in words; `nil` when they are equal. (`#expect` on long arrays would
/// compute their whole difference.)
func difference(_ found: some Collection<Int>, _ expected: some Collection<Int>) -> String? {
  for (index, pair) in zip(found, expected).enumerated() where pair.0 != pair.1 {
    return "at \(index): \(pair.0), expected \(pair.1); \(found.count) frames, expected \(expected.count)"
  }
  return found.count == expected.count ? nil : "\(found.count) frames, expected \(expected.count)"
}
