#if Pulse
  import AudioModel
  import AudioOutput
  import MartletTestSupport
  import Platform
  import PulseOutput
  import Testing

  @Suite(.serialized, .enabled(if: PulseServer.isInstalled, "pulseaudio, parec or pactl is not installed"))
  struct PulseRouteWatchTests {
    /// What a watch told, in order.
    private final class Changes: Sendable {
      let all = Monitor<[AudioRoutes]>([])

      func wait(_ isRight: (AudioRoutes) -> Bool) -> Bool {
        let patience = MonotonicTime.now.advanced(bySeconds: 10)
        return all.wait(until: patience) { $0.last.map(isRight) == true ? true : nil } ?? false
      }
    }

    private func watch(_ server: PulseServer) -> (PulseRouteWatch, Changes) {
      let changes = Changes()
      let watch = PulseRouteWatch(server: server.address) { routes in changes.all.signal { $0.append(routes) } }
      return (watch, changes)
    }

    @Test func knowsDefaultsAndDevices() {
      let server = PulseServer(rate: 44_100)
      _ = server.addSink("second")
      let (watch, changes) = watch(server)
      let routes = watch.routes
      #expect(routes.outputs.map(\.route.target) == ["first", "second"])
      #expect(routes.inputs.map(\.route.target) == ["first.monitor", "second.monitor"])
      #expect(routes.output?.route.format == PCMFormat(sampleRate: .cd, layout: .stereo))
      #expect(routes.output?.volume == 1)
      #expect(routes.input?.route.kind == .virtual)
      watch.close()
      #expect(changes.all.withLock { $0.isEmpty })
    }

    @Test func tellsOfChanges() {
      let server = PulseServer()
      let (watch, changes) = watch(server)
      let module = server.addSink("second")
      #expect(changes.wait { $0.outputs.map(\.route.target) == ["first", "second"] })
      server.control(["set-default-sink", "second"])
      #expect(changes.wait { $0.output?.route.target == "second" })
      server.control(["set-sink-volume", "second", "50%"])
      #expect(changes.wait { $0.output?.volume == 0.5 })
      server.removeSink(module)
      #expect(changes.wait { $0.output?.route.target == "first" && $0.outputs.count == 1 })
      watch.close()
      let told = changes.all.withLock { $0.count }
      _ = server.addSink("third")
      #expect(changes.all.withLock { $0.count } == told)
    }

    @Test func outlivesTheServer() {
      let server = PulseServer()
      let (watch, changes) = watch(server)
      #expect(watch.routes.output?.route.target == "first")
      server.kill()
      #expect(changes.wait { $0 == AudioRoutes() })
      server.start()
      #expect(changes.wait { $0.output?.route.target == "first" })
      watch.close()
    }
  }
#endif
