internal import Glibc
internal import Platform

/// A PulseAudio daemon of the test's own, with a null sink named `first` whose monitor can be captured.
///
/// Needs `pulseaudio`, `parec` and `pactl`; see ``isInstalled``. Its clock is real.
package final class PulseServer: Sendable {
  /// Whether the programs are there.
  package static var isInstalled: Bool { ["pulseaudio", "parec", "pactl"].allSatisfy(ToolBox.has) }

  private let folder = ToolBox.temporaryFolder()
  private let rate: Int
  private let channels: Int

  /// Starts a daemon.
  /// - Parameters:
  ///   - rate: The sink's, in hertz.
  ///   - channels: The sink's.
  package init(rate: Int = 48_000, channels: Int = 2) {
    self.rate = rate
    self.channels = channels
    for name in ["home", "run"] { mkdir("\(folder)/\(name)", 0o700) }
    start()
  }

  deinit {
    kill()
    ToolBox.remove(folder)
  }

  /// Where it is, as `PULSE_SERVER` says it.
  package var address: String { "unix:\(folder)/socket" }

  private var environment: [String: String] {
    [
      "HOME": "\(folder)/home", "XDG_RUNTIME_DIR": "\(folder)/run", "PULSE_SERVER": address,
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/none",
    ]
  }

  /// Starts the daemon again after ``kill()``; returns when it is ready.
  package func start() {
    // The program returns when the daemon that it leaves behind listens.
    let outcome = ToolBox.run(
      "pulseaudio",
      [
        "-n", "--daemonize=yes", "--exit-idle-time=-1", "--use-pid-file=yes", "--disable-shm=yes",
        "--realtime=no", "--high-priority=no",
        "--load=module-native-protocol-unix auth-anonymous=1 socket=\(folder)/socket",
        "--load=module-null-sink \(sink("first"))",
      ], environment: environment)
    precondition(outcome.status == 0, "pulseaudio does not start")
  }

  /// Kills the daemon, as a crash would; returns when nobody listens any more.
  package func kill() {
    let file = "\(folder)/run/pulse/pid"
    guard let identifier = Int32(String(decoding: ToolBox.contents(file), as: UTF8.self).trimmed) else { return }
    _ = Glibc.kill(identifier, SIGKILL)
    unlink(file)
    while isListening { sched_yield() }
  }

  private var isListening: Bool {
    let connection = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(connection) }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: Array("\(folder)/socket".utf8)) }
    return withUnsafeBytes(of: &name) {
      connect(
        connection, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count)) == 0
    }
  }

  /// Adds a null sink.
  /// - Returns: The module's number, for ``removeSink(_:)``.
  package func addSink(_ name: String) -> String {
    control(["load-module", "module-null-sink"] + sink(name).split(separator: " ").map(String.init)).text.trimmed
  }

  /// Removes a sink, as unplugging does.
  package func removeSink(_ module: String) { control(["unload-module", module]) }

  /// Runs `pactl`.
  @discardableResult
  package func control(_ arguments: [String]) -> ToolBox.Outcome {
    ToolBox.run("pactl", arguments, environment: environment)
  }

  /// Moves all that is played to another sink, as a user does with the mixer.
  package func movePlayback(to sink: String) { move("sink-input", to: sink) }

  /// Moves all that is recorded to another source.
  package func moveRecording(to source: String) { move("source-output", to: source) }

  private func move(_ kind: String, to device: String) {
    for line in control(["list", "short", "\(kind)s"]).text.split(separator: "\n") {
      guard let number = line.split(separator: "\t").first else { continue }
      control(["move-\(kind)", String(number), device])
    }
  }

  /// Plays endless silence for a purpose that PulseAudio knows, such as `phone`.
  package func play(role: String) -> ChildProcess {
    ChildProcess(
      "pacat", ["--playback", "--property=media.role=\(role)", "/dev/zero"], environment: environment)
  }

  /// Records what a sink plays, from now on; returns when the recording runs.
  package func capture(_ name: String = "first") -> Capture {
    let capture = Capture(
      program: "parec",
      [
        "-d", "\(name).monitor", "--format=float32le", "--rate=\(rate)", "--channels=\(channels)",
        "--latency-msec=20",
      ], environment: environment, fifo: "\(folder)/\(name)-\(MonotonicTime.now.nanoseconds)", channels: channels)
    precondition(capture.wait { $0.byteCount > 0 }, "nothing can be captured")
    return capture
  }

  private func sink(_ name: String) -> String {
    // A sink that rewinds renders seconds ahead, so that its monitor does not tell what was heard when.
    "sink_name=\(name) norewinds=1 format=float32le rate=\(rate) channels=\(channels)"
  }

  /// What a sink played.
  package final class Capture: Sendable {
    /// What came so far.
    package struct Recording: Sendable {
      var bytes: [UInt8] = []
      /// Bytes in all.
      package var byteCount: Int { bytes.count }
      /// Frames that are not silent, in all.
      package internal(set) var soundFrames = 0
      /// Frames of silence behind the last one of sound.
      package internal(set) var silentFrames = 0
      /// Samples, interleaved.
      package var samples: [Float] {
        bytes.withUnsafeBytes { buffer in
          (0..<buffer.count / 4).map { buffer.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
        }
      }
    }

    private let recording = Monitor(Recording())
    private let process: ChildProcess

    fileprivate init(
      program: String, _ arguments: [String], environment: [String: String], fifo: String, channels: Int
    ) {
      mkfifo(fifo, 0o600)
      let recording = recording
      _ = NamedThread("capture") {
        let descriptor = open(fifo, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var block = [UInt8](repeating: 0, count: 65536)
        while case let count = read(descriptor, &block, block.count), count > 0 {
          recording.signal { recording in
            let frame = channels * 4
            let known = recording.bytes.count / frame
            recording.bytes += block.prefix(count)
            for start in stride(from: known * frame, to: recording.bytes.count / frame * frame, by: frame) {
              let isSound = recording.bytes[start..<start + frame].contains { $0 != 0 }
              recording.soundFrames += isSound ? 1 : 0
              recording.silentFrames = isSound ? 0 : recording.silentFrames + 1
            }
          }
        }
      }
      process = ChildProcess(program, arguments, environment: environment, output: fifo)
    }

    deinit { process.signal(SIGKILL) }

    /// What came so far.
    package var now: Recording { recording.withLock { $0 } }

    /// Waits until `isDone` says so, or the time is over.
    package func wait(seconds: Double = 10, _ isDone: (Recording) -> Bool) -> Bool {
      recording.wait(until: MonotonicTime.now.advanced(bySeconds: seconds)) { isDone($0) ? true : nil } ?? false
    }
  }
}

extension String {
  fileprivate var trimmed: String { String(filter { !$0.isWhitespace }) }
}
