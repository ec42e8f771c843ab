internal import CPlatform
internal import Glibc

/// A descriptor that becomes readable for good once it is raised: it ends another thread's `poll`.
package final class WakeDescriptor: Sendable {
  /// For `poll`; −1 where the process has no descriptor left.
  package let descriptor: Int32

  /// Makes one that is not raised.
  package init() { descriptor = martlet_eventfd() }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

  /// Raises it. Any thread, any number of times.
  package func raise() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Waits until `other` can be read (or has ended), or this one is raised.
  package func waitUntilReadable(_ other: Int32) {
    var both = [
      pollfd(fd: other, events: Int16(POLLIN), revents: 0), pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&both, 2, -1) == -1 && errno == EINTR {}
  }
}
