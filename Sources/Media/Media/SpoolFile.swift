internal import AudioModel
internal import ByteSource
internal import Glibc
internal import Platform

/// Bytes of a source that can't jump, kept on disk so that a parser can go back to them: from one position on, in order,
/// up to a limit. The file has no name, and is gone with the object or the process. Belongs to the reader's thread.
final class SpoolFile {
  /// Most bytes that are kept: 1 GiB.
  static let limit: Int64 = 1 << 30

  /// Position of the first byte kept.
  let start: Int64
  /// Position behind the last byte kept.
  private(set) var end: Int64
  private let descriptor: Int32

  /// Makes an empty file in the folder for temporary files (`TMPDIR`, else `/tmp`).
  /// - Throws: 6001 where that is not possible.
  init(start: Int64) throws(AudioError) {
    self.start = start
    end = start
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var path = Array("\(folder)/martlet-spool-XXXXXX".utf8CString)
    descriptor = makeTemporaryFile(&path)
    guard descriptor >= 0 else { throw Self.failure("A temporary file in \(folder) can't be made", errno) }
    unlink(path)
  }

  deinit { close(descriptor) }

  /// Adds bytes behind those that are kept.
  /// - Throws: 3005 over the limit, 6001 where the disk is full.
  func append(_ bytes: UnsafeRawBufferPointer) throws(AudioError) {
    guard end - start + Int64(bytes.count) <= Self.limit else {
      throw AudioError(
        .limitReached, "The server can't jump to a place, and more than 1 GB would have to be stored to go back")
    }
    var done = 0
    while done < bytes.count {
      let count = pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, Int(end - start) + done)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw Self.failure("A temporary file can't be written", count < 0 ? errno : ENOSPC) }
      done += count
    }
    end += Int64(bytes.count)
  }

  /// Reads some of the bytes from `position` on, which is kept.
  /// - Returns: How many, at least 1.
  func read(at position: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(AudioError) -> Int {
    precondition(position >= start && position < end)
    while true {
      let wanted = Int(min(Int64(buffer.count), end - position))
      let count = pread(descriptor, buffer.baseAddress, wanted, Int(position - start))
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .system(.readFailed, "A temporary file can't be read", count < 0 ? errno : EIO) }
      return count
    }
  }

  private static func failure(_ what: String, _ number: Int32) -> AudioError { .system(.writeFailed, what, number) }
}
