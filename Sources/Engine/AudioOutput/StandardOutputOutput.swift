internal import AudioModel
internal import Glibc
internal import Platform

/// Raw interleaved 32-bit floats, little-endian, on standard output: as fast as the reader takes them.
///
/// A reader that goes away ends the output with `OutputEvent.failed` and code 5002; no SIGPIPE reaches the process.
public final class StandardOutputOutput: ClockedDevice, @unchecked Sendable {
  /// Makes an output.
  /// - Parameter fileDescriptor: Where to write, default standard output. It stays open.
  public init(fileDescriptor: Int32 = 1) { super.init(sink: PipeSink(fileDescriptor)) }
}

private final class PipeSink: FrameSink, @unchecked Sendable {
  // The bytes of a frame are set before the device's thread starts; descriptors never change until `finish`.
  let isClocked = false
  private let target: Int32
  private var frameBytes = 0
  /// Readable once `interrupt` was called.
  private var wake: (read: Int32, write: Int32) = (-1, -1)
  private var isPrepared = false

  init(_ target: Int32) { self.target = target }

  func open(_ format: PCMFormat) throws(AudioError) {
    frameBytes = format.channels * MemoryLayout<Float>.size
    guard fcntl(target, F_GETFD) >= 0, let ends = makePipe() else {
      throw AudioError(
        .noOutput, "Standard output can't be written: \(systemErrorText(errno))", detail: Int(errno))
    }
    wake = (ends.reader, ends.writer)
  }

  func write(_ samples: UnsafePointer<Float>, frames: Int) throws(AudioError) {
    if !isPrepared { ignoreBrokenPipes() }
    let bytes = UnsafeRawPointer(samples)
    let count = frames * frameBytes
    var done = 0
    while done < count {
      guard try waitUntilWritable() else { return }
      // A pipe that polls writable takes a page without blocking, hence `interrupt` is never kept waiting.
      let written = Glibc.write(target, bytes + done, min(count - done, 4096))
      if written < 0, errno == EINTR || errno == EAGAIN { continue }
      guard written > 0 else { throw failure(errno) }
      done += written
    }
  }

  func interrupt() {
    var byte: UInt8 = 0
    _ = Glibc.write(wake.write, &byte, 1)
  }

  func finish() {
    close(wake.read)
    close(wake.write)
  }

  private func waitUntilWritable() throws(AudioError) -> Bool {
    var watched = [
      pollfd(fd: target, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&watched, 2, -1) < 0 { if errno != EINTR { throw failure(errno) } }
    return watched[1].revents == 0
  }

  /// SIGPIPE goes to the thread that writes: blocked there, the write fails with EPIPE instead.
  private func ignoreBrokenPipes() {
    isPrepared = true
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  private func failure(_ number: Int32) -> AudioError {
    let text = number == EPIPE ? "the reader went away" : systemErrorText(number)
    return AudioError(.outputLost, "Standard output can't be written: \(text)", detail: Int(number))
  }
}

extension OutputRegistration {
  /// `stdout`.
  public static let stdout = OutputRegistration(
    name: "stdout", summary: "raw f32le, interleaved, as fast as the reader takes it"
  ) { target throws(AudioError) in
    if target != nil { throw AudioError(.usage, "The output stdout takes nothing after its name") }
    return StandardOutputOutput()
  }
}
