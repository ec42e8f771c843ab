public import AudioModel

/// The process's standard input: sought like a file where it is one, read in order where it is a pipe or a terminal.
///
/// Position 0 is where the input stands when the source is opened. The descriptor is left open at the end.
public final class StandardInputSource: ByteSource {
  private let input = DescriptorInput()
  private let descriptor: Int32

  /// Makes a source.
  public init() { descriptor = 0 }

  /// Makes a source of another descriptor that is lent by the caller: an inherited pipe, a socket.
  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Says what the input is; a directory is ``AudioError/Code/unreadable``.
  public func open() throws(AudioError) -> SourceFacts {
    try input.throwIfCancelled()
    return try input.adopt(descriptor, name: "standard input", isOwned: false)
  }

  /// Reads; waits where a pipe is empty.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(AudioError) -> Int {
    try input.read(into: buffer)
  }

  /// Moves at no cost in a regular file; throws for pipes and terminals.
  public func seek(to position: Int64) throws(AudioError) { try input.seek(to: position) }
  /// Makes blocked and later calls throw, also one that waits for a silent pipe.
  public func cancel() { input.cancel() }
  /// Lets go of the input, which stays open.
  public func close() { input.close() }
}
