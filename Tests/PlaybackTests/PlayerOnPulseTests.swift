#if Pulse
  import AudioModel
  import Martlet
  import MartletTestSupport
  import Platform
  import PulseOutput
  import Testing

  /// The whole way of a frame on real parts: a FLAC file, libFLAC, a sound server, and what its monitor hears.
  @Suite(
    .serialized, .enabled(if: PulseServer.isInstalled, "pulseaudio, parec or pactl is not installed"),
    .enabled(if: ToolBox.has("flac"), "flac is not installed"))
  struct PlayerOnPulseTests {
    private let frames = 96_000
    private let ramp = 240

    /// A FLAC file of 2 s whose samples count, the right channel downwards.
    private func makeFLAC(in folder: String) -> String {
      var bytes = WAVHeader(format: PCMFormat(sampleRate: .studio, layout: .stereo), sample: .s24)
        .bytes(frames: Int64(frames))
      for frame in 1...frames {
        for value in [frame, -frame] { bytes += [0, 8, 16].map { UInt8(truncatingIfNeeded: value >> $0) } }
      }
      ToolBox.write(bytes, to: folder + "/counting.wav")
      let outcome = ToolBox.run("flac", ["-s", "-f", "-o", folder + "/counting.flac", folder + "/counting.wav"])
      #expect(outcome.status == 0)
      return folder + "/counting.flac"
    }

    /// The numbers that the monitor heard, from the first sound on; both channels must agree.
    private func numbers(_ samples: [Float]) -> [Int] {
      let pairs = stride(from: 0, to: samples.count - 1, by: 2).map { (samples[$0], samples[$0 + 1]) }
      #expect(pairs.allSatisfy { $0.0 == -$0.1 })
      return pairs.map { Int(($0.0 * 8_388_608).rounded()) }.drop { $0 == 0 }.map { $0 }
    }

    private func play(
      _ script: (AudioPlayer, Monitor<[PlayerEvent.Kind]>, PulseServer.Capture) throws -> Void
    ) throws -> [Int] {
      let folder = ToolBox.temporaryFolder()
      defer { ToolBox.remove(folder) }
      let file = makeFLAC(in: folder)
      let server = PulseServer()
      let capture = server.capture()
      // On a busy machine a thread may come late by more than the usual tenth of a second.
      var configuration = PlayerConfiguration()
      configuration.outputLatency = 1
      let player = AudioPlayer(output: PulseOutput(server: server.address), configuration: configuration)
      defer { player.close() }
      let events = Monitor<[PlayerEvent.Kind]>([])
      player.observe { event in if let event { events.signal { $0.append(event.kind) } } }
      player.append(PlayerItem(file))
      player.play()
      try script(player, events, capture)
      let ended = events.wait(until: .now.advanced(bySeconds: 20)) { kinds in
        kinds.contains { if case .state(.ended, _) = $0 { true } else { false } } ? true : nil
      }
      #expect(ended == true, "told: \(events.withLock { $0 })")
      // The monitor trails behind: a quarter of a second more shows the end.
      let end = capture.now.byteCount + 12_000 * 8
      #expect(capture.wait { $0.byteCount >= end })
      return numbers(capture.now.samples)
    }

    private func waitForPosition(_ seconds: Double, _ events: Monitor<[PlayerEvent.Kind]>) {
      let reached = events.wait(until: .now.advanced(bySeconds: 20)) { kinds in
        kinds.contains { if case .position(let report) = $0 { report.position >= seconds } else { false } }
          ? true : nil
      }
      #expect(reached == true)
    }

    @Test func everyFrameIsHeardOnceAndBitForBit() throws {
      let heard = try play { _, _, _ in }
      #expect(difference(heard.prefix(frames), 1...frames) == nil)
      #expect(heard.dropFirst(frames).allSatisfy { $0 == 0 })
    }

    @Test func aPauseInTheMiddleLosesNothing() throws {
      let heard = try play { player, events, capture in
        waitForPosition(0.5, events)
        try player.performAndWait(.pause)
        // Going on before the pause is heard would take it back.
        #expect(capture.wait { $0.silentFrames >= 14_400 })
        try player.performAndWait(.play)
      }
      // Outside the ramps every frame is itself; inside them it is scaled, the outermost perhaps to nothing.
      let parts = stretches(heard)
      #expect(parts.count >= 2)
      var next = 1
      for part in parts {
        let isFirst = next == 1
        let isLast = next + part.count >= frames - 4
        let exact = part.dropFirst(isFirst ? 0 : ramp).dropLast(isLast ? 0 : ramp)
        guard let first = exact.first else {
          // All of it is ramp: a hold that came late, after sound that had run dry was back.
          next += part.count
          continue
        }
        #expect(difference(exact, first..<first + exact.count) == nil)
        let begin = first - (isFirst ? 0 : ramp)
        #expect((next...next + 2).contains(begin), "a stretch begins with \(begin), \(next) was due")
        next = begin + part.count
      }
      #expect(heard.last { $0 != 0 } == frames)
    }

    /// What is heard between silences of more than 2 ms.
    private func stretches(_ heard: [Int]) -> [[Int]] {
      var parts: [[Int]] = []
      var part: [Int] = []
      var zeros = 0
      for number in heard {
        if number == 0 {
          zeros += 1
        } else {
          if zeros > 96 {
            parts.append(part)
            part = []
          } else {
            part += Array(repeating: 0, count: part.isEmpty ? 0 : zeros)
          }
          zeros = 0
          part.append(number)
        }
      }
      return parts + [part]
    }

    @Test func aSeekLandsOnTheFrame() throws {
      let heard = try play { player, events, _ in
        waitForPosition(0.3, events)
        try player.performAndWait(.seek(.absolute(1.75)))
      }
      // Behind all that the device may have held when the seek came, which it plays if it can't give it back in time.
      let target = 84_000
      let tail = heard.filter { $0 > target + ramp }
      #expect(difference(tail, (target + ramp + 1)...frames) == nil)
    }
  }
#endif
