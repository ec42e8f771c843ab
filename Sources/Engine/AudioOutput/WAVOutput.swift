internal import AudioModel
internal import Glibc
internal import Platform

/// A device that writes what would be heard to a WAV file of 32-bit floats, at a real device's pace.
///
/// What is in the file after `close` is what was heard by then. When writing fails, `OutputEvent.failed` tells so and
/// no half file stays behind.
public final class WAVOutput: ClockedDevice, @unchecked Sendable {
  /// Makes an output.
  /// - Parameter path: The file; created at `open`, and emptied if it is there.
  public init(path: String) { super.init(sink: WAVSink(path: path)) }
}

/// The file behind a ``WAVOutput``. `open` and `finish` run while there is no device thread.
private final class WAVSink: FrameSink, @unchecked Sendable {
  let isClocked = true
  private let path: String
  private var descriptor: Int32 = -1
  private var header: WAVHeader?
  private var frames: Int64 = 0
  private var hasFailed = false
  /// Pipes and devices can't go back to their header, and are not ours to remove.
  private var isRegular = false

  init(path: String) { self.path = path }

  func open(_ format: PCMFormat) throws(AudioError) {
    descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw AudioError(.noOutput, "\(path) can't be written: \(systemErrorText(errno))", detail: Int(errno))
    }
    var status = stat()
    isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    let header = WAVHeader(format: format, sample: .f32)
    self.header = header
    do {
      let bytes = header.bytes(frames: nil)
      try write(bytes, count: bytes.count)
    } catch {
      try? finish()
      throw AudioError(.noOutput, error.message, detail: error.detail)
    }
  }

  func write(_ samples: UnsafePointer<Float>, frames: Int) throws(AudioError) {
    guard let header else { return }
    // Little-endian machines only, like the rest of the platforms this runs on.
    try write(samples, count: frames * header.frameBytes)
    self.frames += Int64(frames)
  }

  func finish() throws(AudioError) {
    guard descriptor >= 0 else { return }
    defer {
      close(descriptor)
      descriptor = -1
      if hasFailed, isRegular { unlink(path) }
    }
    guard let header, isRegular, !hasFailed else { return }
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw failure(errno) }
    let bytes = header.bytes(frames: frames)
    try write(bytes, count: bytes.count)
  }

  private func write(_ bytes: UnsafeRawPointer, count: Int) throws(AudioError) {
    var done = 0
    while done < count {
      let written = Glibc.write(descriptor, bytes + done, count - done)
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw failure(errno) }
      done += written
    }
  }

  private func failure(_ number: Int32) -> AudioError {
    hasFailed = true
    return AudioError(.writeFailed, "\(path) can't be written: \(systemErrorText(number))", detail: Int(number))
  }
}

extension OutputRegistration {
  /// `wav:FILE`.
  public static let wav = OutputRegistration(
    name: "wav", summary: "a WAV file of 32-bit floats, at the pace of a real device: wav:FILE"
  ) { target throws(AudioError) in
    guard let target, !target.isEmpty else { throw AudioError(.usage, "The output wav needs a file: wav:FILE") }
    return WAVOutput(path: target)
  }
}
