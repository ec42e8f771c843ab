import AudioModel
import AudioOutput
import GraphHost
import MartletTestSupport
import Platform
import Realtime
import Testing

#if Pulse
  import PulseOutput
#endif

@Suite struct CaptureHostTests {
  private let format = PCMFormat(sampleRate: .studio, layout: .stereo)

  /// Keeps what a host tells.
  private final class Keeper: Sendable {
    struct Kept: Sendable {
      var planes: [[Float]] = [[], []]
      var times: [(frame: Int, host: Int64)] = []
      var errors: [AudioError] = []
    }
    let kept = Monitor(Kept())

    var client: CaptureHost.Client {
      CaptureHost.Client(
        take: { [kept] block, time in
          kept.signal { kept in
            kept.times.append((kept.planes[0].count, time))
            for channel in 0..<2 {
              kept.planes[channel] += UnsafeBufferPointer(start: block.plane(channel), count: block.frameCount)
            }
          }
        },
        fail: { [kept] error in kept.signal { $0.errors.append(error) } })
    }

    func wait(frames: Int) -> Bool {
      kept.wait(until: MonotonicTime.now.advanced(bySeconds: 10)) { $0.planes[0].count >= frames ? true : nil }
        ?? false
    }
  }

  private func interleaved(_ frames: Range<Int>) -> [Float] {
    frames.flatMap { [LosslessRuler.sample(Int64($0)), LosslessRuler.sample(Int64($0), channel: 1)] }
  }

  @Test func everyFrameArrivesWithItsTime() throws {
    let input = ManualInput(latency: 480)
    let keeper = Keeper()
    let host = try CaptureHost(
      input, request: InputRequest(format: format, maximumFrames: 700), session: StreamSession(),
      client: keeper.client)
    #expect(host.format == format)
    input.push(interleaved(0..<100))
    try host.start()
    input.push(interleaved(100..<20_100))
    #expect(keeper.wait(frames: 20_000))
    host.pause()
    input.push(interleaved(20_100..<68_100))
    try host.start()
    // What comes just before the end arrives too.
    input.push(interleaved(68_100..<70_000))
    host.stop()
    host.stop()
    input.push(interleaved(70_000..<70_100))
    let kept = keeper.kept.withLock { $0 }
    for channel in 0..<2 {
      let expected =
        LosslessRuler.plane(from: 100, frames: 20_000, channel: channel)
        + LosslessRuler.plane(from: 68_100, frames: 1_900, channel: channel)
      #expect(difference(kept.planes[channel], expected) == nil)
    }
    // The clock of this microphone counts all frames, and the latency stands before each.
    for (frame, host) in kept.times {
      let spoken = frame < 20_000 ? frame + 100 : frame - 20_000 + 68_100
      let expected = Double(spoken - 480) / 48_000 * 1e9
      #expect(abs(Double(host) - expected) < 2, "frame \(frame) at \(host) instead of \(expected)")
    }
    #expect(kept.errors.isEmpty)
    #expect(input.state == .closed)
  }

  @Test func tellsOfLossesAndTheEnd() throws {
    let input = ManualInput()
    let keeper = Keeper()
    let session = StreamSession()
    let host = try CaptureHost(
      input, request: InputRequest(format: format), session: session, client: keeper.client)
    try host.start()
    input.deliver(.interrupted(true))
    #expect(session.isInterrupted)
    input.deliver(.failed(AudioError(.outputLost, "gone")))
    #expect(
      keeper.kept.wait(until: MonotonicTime.now.advanced(bySeconds: 10)) { $0.errors.isEmpty ? nil : true } == true)
    #expect(keeper.kept.withLock { $0.errors.map(\.message) } == ["gone"])
    host.stop()
    #expect(!session.isInterrupted)
  }

  @Test func countsWhatFindsNoRoom() throws {
    let ring = CaptureRing(format: format, seconds: 0.01)
    let samples = interleaved(0..<600)
    samples.withUnsafeBufferPointer {
      ring.receive($0.baseAddress!, frames: 600, at: .init(frame: 0, hostNanoseconds: 5))
    }
    #expect(ring.takeDropped() == 120)
    #expect(ring.takeDropped() == 0)
    let block = PCMBlock(channels: 2, capacity: 1000)
    #expect(ring.take(into: block) == 5)
    #expect(block.frameCount == 480)
    #expect(ring.take(into: block) == nil)
  }

  #if Pulse
    @Test(.enabled(if: PulseServer.isInstalled, "pulseaudio, parec or pactl is not installed"))
    func hearsALoudspeakerToTheFrame() throws {
      let server = PulseServer()
      let keeper = Keeper()
      let host = try CaptureHost(
        PulseInput(source: "first.monitor", server: server.address), request: InputRequest(format: format),
        session: StreamSession(), client: keeper.client)
      let began = MonotonicTime.now.nanoseconds
      try host.start()
      #expect(keeper.wait(frames: 1))
      let source = CountingSource(channels: 2, maximumFrames: 1024)
      source.end(after: 24_000)
      let loudspeaker = PulseOutput(server: server.address)
      _ = try loudspeaker.open(OutputRequest(format: format, maximumFrames: 1024), source: source) { source.note($0) }
      try loudspeaker.start()
      #expect(source.wait { $0.events.last == .drained ? true : nil } == true)
      let frames = keeper.kept.withLock { $0.planes[0].count }
      #expect(keeper.wait(frames: frames + 12_000))
      loudspeaker.close()
      host.stop()
      let kept = keeper.kept.withLock { $0 }
      let expected = (0..<24_000).map { source.sample(of: $0, channel: 0) }
      #expect(difference(kept.planes[0].filter { $0 != 0 }, expected) == nil)
      #expect(kept.errors.isEmpty)
      let ended = MonotonicTime.now.nanoseconds
      #expect(kept.times.allSatisfy { (began - 2_000_000_000...ended).contains($0.host) })
    }
  #endif
}
