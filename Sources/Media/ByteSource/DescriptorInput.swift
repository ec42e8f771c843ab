internal import AudioModel
internal import Glibc
internal import Platform
internal import Synchronization

/// Reads a file descriptor of any kind: regular files at any position, everything else in order.
final class DescriptorInput: @unchecked Sendable {
  // Only `cancel` comes from other threads, and it touches nothing but `isCancelled` and `wake`; the rest belongs to
  // the source's worker.
  private let isCancelled = Atomic(false)
  private let wake = WakeDescriptor()
  private var descriptor: Int32 = -1
  private var isOwned = false
  private var isRegular = false
  private var isAtEnd = false
  /// Where position 0 lies in a regular file: a descriptor that was handed to us need not stand at its start.
  private var base: Int64 = 0
  private var position: Int64 = 0

  deinit { close() }

  /// Takes a descriptor into use.
  /// - Parameters:
  ///   - name: For messages.
  ///   - isOwned: Whether it is closed at the end.
  func adopt(_ descriptor: Int32, name: String, isOwned: Bool) throws(AudioError) -> SourceFacts {
    self.descriptor = descriptor
    self.isOwned = isOwned
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(.unreadable, "\(name) can't be read", errno) }
    switch status.st_mode & S_IFMT {
    case S_IFDIR:
      throw AudioError(.unreadable, "\(name) is a directory", detail: Int(EISDIR))
    case S_IFREG:
      isRegular = true
      base = isOwned ? 0 : max(0, Int64(lseek(descriptor, 0, SEEK_CUR)))
      return SourceFacts(length: max(0, Int64(status.st_size) - base), seeking: .cheap)
    default:
      guard wake.descriptor >= 0 else { throw .system(.unreadable, "\(name) can't be read", EMFILE) }
      return SourceFacts(length: nil, seeking: .none)
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(AudioError) -> Int {
    guard !isAtEnd else {
      try throwIfCancelled()
      return 0
    }
    while true {
      if !isRegular && !isCancelled.load(ordering: .acquiring) { wake.waitUntilReadable(descriptor) }
      try throwIfCancelled()
      let count =
        isRegular
        ? pread(descriptor, buffer.baseAddress, buffer.count, Int(base + position))
        : Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 {
        // A pipe that another writer opens later would start anew: its first end is the end.
        if !isRegular && count == 0 { isAtEnd = true }
        position += Int64(count)
        return count
      }
      guard errno == EINTR || errno == EAGAIN else { throw .system(.readFailed, "reading failed", errno) }
    }
  }

  func seek(to target: Int64) throws(AudioError) {
    try throwIfCancelled()
    guard target >= 0 else { throw .negativePosition }
    guard target != position else { return }
    guard isRegular else { throw .notSeekable("this input can't jump to another position") }
    position = min(target, .max - base)
  }

  func cancel() {
    isCancelled.store(true, ordering: .releasing)
    wake.raise()
  }

  func throwIfCancelled() throws(AudioError) {
    if isCancelled.load(ordering: .acquiring) { throw .cancelled }
  }

  func close() {
    if isOwned && descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }
}
