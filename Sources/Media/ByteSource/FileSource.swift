public import AudioModel
internal import Glibc

/// A file by its path. Regular files are sought at no cost; pipes and devices are read in order.
public final class FileSource: ByteSource {
  /// Where it is.
  public let path: String
  private let input = DescriptorInput()

  /// Makes a source; the file is first touched by ``open()``.
  public init(path: String) { self.path = path }

  /// - Throws: ``AudioError/Code/notFound`` where nothing has that name, ``AudioError/Code/unreadable`` for directories
  ///   and files that may not be read.
  public func open() throws(AudioError) -> SourceFacts {
    try input.throwIfCancelled()
    guard !path.isEmpty && !path.utf8.contains(0) else { throw AudioError(.notFound, "no file has that name") }
    // Without O_NONBLOCK, opening a pipe would wait for its writer beyond the reach of `cancel`.
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      let isMissing = errno == ENOENT || errno == ENOTDIR
      throw isMissing
        ? AudioError(.notFound, "\(path) does not exist", detail: Int(errno))
        : .system(.unreadable, "\(path) can't be read", errno)
    }
    var facts = try input.adopt(descriptor, name: path, isOwned: true)
    facts.pathExtension = MediaLocation.pathExtension(of: path)
    return facts
  }

  /// Reads; waits where a pipe is empty.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(AudioError) -> Int {
    try input.read(into: buffer)
  }

  /// Moves at no cost in a regular file; throws for pipes and devices.
  public func seek(to position: Int64) throws(AudioError) { try input.seek(to: position) }
  /// Makes blocked and later calls throw.
  public func cancel() { input.cancel() }
  /// Closes the file.
  public func close() { input.close() }
}
