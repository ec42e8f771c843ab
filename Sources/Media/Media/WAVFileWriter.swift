public import AudioModel
internal import DSP
internal import Glibc
internal import Platform

/// Writes a WAV file: 32-bit float bit by bit, or integers rounded to nearest and clipped at full scale.
///
/// A file is written under a name of its own in the same folder (`.NAME.PID.part`) and gets its final name when it is
/// complete: an older file of that name stays whole until then, and a failure leaves nothing behind. Pipes, devices and
/// standard output are written in order instead, with a header that leaves the length open.
public final class WAVFileWriter: MediaWriter {
  /// The format that it takes.
  public let format: PCMFormat
  /// Frames written so far.
  public private(set) var frames: Int64 = 0

  private static let blockFrames = 4_096

  private let header: WAVHeader
  private let name: String
  private let path: String?
  private let temporaryPath: String?
  private var descriptor: Int32
  private var encoder: SampleEncoder
  private var buffer: [UInt8]
  /// Samples of a block, interleaved.
  private var samples: [Float]

  /// Opens a file for writing.
  /// - Parameters:
  ///   - path: Where to; `-` is standard output.
  ///   - format: What will be written.
  ///   - sample: How samples are stored.
  ///   - hasDither: Adds triangular dither of one LSB, the same in every run, before rounding to integers.
  /// - Throws: 6001 where the system refuses.
  public init(
    path: String, format: PCMFormat, sample: WAVHeader.Sample = .f32, hasDither: Bool = false
  ) throws(AudioError) {
    self.format = format
    header = WAVHeader(format: format, sample: sample)
    encoder = SampleEncoder(sample, hasDither: hasDither)
    buffer = [UInt8](repeating: 0, count: Self.blockFrames * header.frameBytes)
    samples = [Float](repeating: 0, count: Self.blockFrames * format.channels)
    name = path == "-" ? "standard output" : path
    var status = stat()
    let exists = path != "-" && stat(path, &status) == 0
    if path == "-" {
      (self.path, temporaryPath, descriptor) = (nil, nil, STDOUT_FILENO)
    } else if exists && status.st_mode & S_IFMT != S_IFREG {
      (self.path, temporaryPath) = (nil, nil)
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
    } else {
      let slash = path.lastIndex(of: "/")
      let folder = slash.map { String(path[...$0]) } ?? ""
      let last = slash.map { String(path[path.index(after: $0)...]) } ?? path
      let temporary = "\(folder).\(last).\(getpid()).part"
      (self.path, temporaryPath) = (path, temporary)
      descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    }
    guard descriptor >= 0 else { throw Self.failure(name, errno) }
    do throws(AudioError) {
      try put(header.bytes(frames: nil))
    } catch {
      abandon()
      throw error
    }
  }

  deinit { abandon() }

  /// Writes frames. Throws 6001 where the system refuses.
  public func write(_ block: PCMBlock, from start: Int, count: Int) throws(AudioError) {
    precondition(block.channels == format.channels && start >= 0 && count >= 0 && start + count <= block.frameCount)
    var done = 0
    while done < count {
      let part = min(Self.blockFrames, count - done)
      samples.withUnsafeMutableBufferPointer {
        Interleaving.interleave(
          block.plane(0) + start + done, stride: block.capacity, channels: block.channels, frames: part,
          into: $0.baseAddress!)
      }
      try samples.withUnsafeBufferPointer { all throws(AudioError) in
        try write(interleaved: UnsafeBufferPointer(rebasing: all[..<(part * block.channels)]))
      }
      done += part
    }
  }

  /// Writes frames whose samples stand side by side, a whole number of frames. Throws 6001 where the system refuses.
  public func write(interleaved samples: UnsafeBufferPointer<Float>) throws(AudioError) {
    precondition(samples.count % format.channels == 0)
    if encoder.isIdentity {
      try put(UnsafeRawBufferPointer(samples))
      frames += Int64(samples.count / format.channels)
      return
    }
    let most = Self.blockFrames * format.channels
    var left = samples[...]
    while !left.isEmpty {
      let part = left.prefix(most)
      buffer.withUnsafeMutableBytes { encoder.encode(UnsafeBufferPointer(rebasing: part), to: $0) }
      let count = part.count * header.sample.bytes
      try buffer.withUnsafeBufferPointer { all throws(AudioError) in
        try put(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: all[..<count])))
      }
      left = left.dropFirst(part.count)
      frames += Int64(part.count / format.channels)
    }
  }

  /// Completes the header, and gives the file its name. Throws 6001; nothing is left then.
  public func finish() throws(AudioError) {
    guard descriptor >= 0 else { return }
    do throws(AudioError) {
      let bytes = frames * Int64(header.frameBytes)
      if bytes & 1 == 1 { try put([0]) }
      if let path, let temporaryPath {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Self.failure(name, errno) }
        try put(header.bytes(frames: frames))
        let status = close(descriptor)
        descriptor = -1
        guard status == 0, rename(temporaryPath, path) == 0 else {
          let number = errno
          unlink(temporaryPath)
          throw Self.failure(name, number)
        }
      } else if descriptor != STDOUT_FILENO {
        close(descriptor)
      }
      descriptor = -1
    } catch {
      abandon()
      throw error
    }
  }

  /// Gives up, and removes what was written.
  public func abandon() {
    guard descriptor >= 0 else { return }
    if descriptor != STDOUT_FILENO { close(descriptor) }
    descriptor = -1
    if let temporaryPath { unlink(temporaryPath) }
  }

  private func put(_ bytes: [UInt8]) throws(AudioError) {
    try bytes.withUnsafeBufferPointer { all throws(AudioError) in try put(UnsafeRawBufferPointer(all)) }
  }

  private func put(_ bytes: UnsafeRawBufferPointer) throws(AudioError) {
    guard descriptor >= 0 else { throw AudioError(.usage, "The file is closed") }
    var left = bytes
    while !left.isEmpty {
      let written = Glibc.write(descriptor, left.baseAddress, left.count)
      if written < 0 && errno == EINTR { continue }
      guard written > 0 else { throw Self.failure(name, written < 0 ? errno : ENOSPC) }
      left = UnsafeRawBufferPointer(rebasing: left[written...])
    }
  }

  private static func failure(_ name: String, _ number: Int32) -> AudioError {
    AudioError(.writeFailed, "\(name) can't be written: \(systemErrorText(number))", detail: Int(number))
  }
}
