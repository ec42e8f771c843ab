internal import Glibc
internal import Platform

/// Wakes a thread that sleeps in `poll`.
package final class WakePipe: Sendable {
  /// What `poll` waits on, for reading.
  package let reader: Int32
  private let writer: Int32

  /// Makes a pipe that children do not inherit.
  package init() {
    guard let ends = makePipe() else { preconditionFailure("the system refuses a pipe") }
    (reader, writer) = ends
    UnixSocket.setNonblocking(reader)
    UnixSocket.setNonblocking(writer)
  }

  deinit {
    close(reader)
    close(writer)
  }

  /// Wakes, now or at the next `poll`. Any thread; never blocks.
  package func wake() {
    var byte: UInt8 = 0
    _ = write(writer, &byte, 1)  // full: a wake is pending already
  }

  /// Forgets all wakes so far.
  package func drain() {
    var bytes = (UInt64(0), UInt64(0))
    while read(reader, &bytes, 16) == 16 {}
  }
}
