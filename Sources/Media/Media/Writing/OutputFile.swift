internal import AudioModel
internal import Containers
internal import Glibc
internal import Platform

/// A file that is complete or not there.
///
/// It is written under a name of its own in the same folder (`.NAME.PID.part`) and gets its final name at the end: an older
/// file of that name stays whole until then, and a failure leaves nothing behind. Pipes, devices and standard output are
/// written in order instead, and what they got can't be replaced.
final class OutputFile: ContainerOutput {
  private(set) var position: Int64 = 0
  var isReplaceable: Bool { path != nil }

  private static let bufferBytes = 64 << 10

  private let name: String
  private let path: String?
  private let temporaryPath: String?
  private var descriptor: Int32
  /// The last bytes, not given to the system yet.
  private var buffer: [UInt8] = []

  /// Opens a file.
  /// - Parameter path: Where to; `-` is standard output.
  /// - Throws: 6001 where the system refuses.
  init(path: String) throws(AudioError) {
    name = path == "-" ? "standard output" : path
    var status = stat()
    let exists = path != "-" && stat(path, &status) == 0
    if path == "-" {
      (self.path, temporaryPath, descriptor) = (nil, nil, STDOUT_FILENO)
    } else if exists && status.st_mode & S_IFMT != S_IFREG {
      (self.path, temporaryPath) = (nil, nil)
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
    } else {
      (temporaryPath, descriptor) = Self.openTemporary(path)
      self.path = path
    }
    guard descriptor >= 0 else { throw Self.failure(name, errno) }
    buffer.reserveCapacity(Self.bufferBytes)
  }

  deinit { abandon() }

  /// A new file beside the one that it is to become; several at once are told apart by a number.
  private static func openTemporary(_ path: String) -> (path: String?, descriptor: Int32) {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[...$0]) } ?? ""
    let last = slash.map { String(path[path.index(after: $0)...]) } ?? path
    for number in 0..<100 {
      let temporary = "\(folder).\(last).\(getpid())\(number == 0 ? "" : "-\(number)").part"
      let descriptor = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      if descriptor >= 0 { return (temporary, descriptor) }
      guard errno == EEXIST else { break }
    }
    return (nil, -1)
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(AudioError) {
    guard descriptor >= 0 else { throw AudioError(.usage, "The file is closed") }
    if buffer.count + bytes.count > Self.bufferBytes { try flush() }
    if bytes.count >= Self.bufferBytes {
      try put(bytes, at: nil)
    } else {
      buffer.append(contentsOf: bytes)
    }
    position += Int64(bytes.count)
  }

  func replace(at position: Int64, with bytes: [UInt8]) throws(AudioError) {
    precondition(isReplaceable && position >= 0 && position + Int64(bytes.count) <= self.position)
    try flush()
    try bytes.withUnsafeBufferPointer { all throws(AudioError) in
      try put(UnsafeRawBufferPointer(all), at: position)
    }
  }

  /// Gives the file its name. Throws 6001; nothing is left then.
  func finish() throws(AudioError) {
    guard descriptor >= 0 else { return }
    do throws(AudioError) {
      try flush()
      let isKept = descriptor != STDOUT_FILENO
      let status = isKept ? close(descriptor) : 0
      descriptor = -1
      guard status == 0 else { throw Self.failure(name, errno) }
      if let path, let temporaryPath, rename(temporaryPath, path) != 0 { throw Self.failure(name, errno) }
    } catch {
      abandon()
      if let temporaryPath { unlink(temporaryPath) }
      throw error
    }
  }

  /// Gives up, and removes what was written; does nothing once the file has its name.
  func abandon() {
    guard descriptor >= 0 else { return }
    if descriptor != STDOUT_FILENO { close(descriptor) }
    descriptor = -1
    if let temporaryPath { unlink(temporaryPath) }
  }

  /// Gives the last bytes to the system.
  func flush() throws(AudioError) {
    guard !buffer.isEmpty else { return }
    try buffer.withUnsafeBufferPointer { all throws(AudioError) in try put(UnsafeRawBufferPointer(all), at: nil) }
    buffer.removeAll(keepingCapacity: true)
  }

  private func put(_ bytes: UnsafeRawBufferPointer, at position: Int64?) throws(AudioError) {
    guard descriptor >= 0 else { throw AudioError(.usage, "The file is closed") }
    var left = bytes
    var place = position
    while !left.isEmpty {
      let written =
        place.map { pwrite(descriptor, left.baseAddress, left.count, off_t($0)) }
        ?? Glibc.write(descriptor, left.baseAddress, left.count)
      if written < 0 && errno == EINTR { continue }
      guard written > 0 else { throw Self.failure(name, written < 0 ? errno : ENOSPC) }
      left = UnsafeRawBufferPointer(rebasing: left[written...])
      place = place.map { $0 + Int64(written) }
    }
  }

  private static func failure(_ name: String, _ number: Int32) -> AudioError {
    AudioError(.writeFailed, "\(name) can't be written: \(systemErrorText(number))", detail: Int(number))
  }
}
