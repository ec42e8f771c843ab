internal import CPlatform
internal import Glibc

/// A thread of our own with a name: for work that blocks, which must stay off Swift's cooperative pool.
package final class NamedThread: @unchecked Sendable {
  // The handle is written once in `init` and read by `join`, which one owner calls.
  private var handle = pthread_t()
  private var isJoined = false

  /// Starts a thread.
  /// - Parameters:
  ///   - name: What `ps -L` shows; 15 bytes at most.
  ///   - body: What it does. The thread ends when it returns.
  package init(_ name: String, _ body: @escaping @Sendable () -> Void) {
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    let status = pthread_create(
      &handle, nil,
      { @Sendable context in
        let start = Unmanaged<Start>.fromOpaque(context!).takeRetainedValue()
        martlet_thread_set_name(start.name)
        start.body()
        return nil
      }, start.toOpaque())
    precondition(status == 0, "the system refuses another thread (\(status))")
  }

  /// Waits for the thread's end. To be called at most once, by the owner, and not from the thread itself.
  package func join() {
    guard !isJoined else { return }
    isJoined = true
    pthread_join(handle, nil)
  }

  /// Whether the caller runs on this thread.
  package var isCurrent: Bool { pthread_equal(handle, pthread_self()) != 0 }

  deinit { if !isJoined { pthread_detach(handle) } }

  private final class Start {
    let name: String
    let body: @Sendable () -> Void
    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }
}

/// What a thread may ask for itself.
package enum CurrentThread {
  /// Asks for real-time scheduling; most systems refuse it to ordinary users, which is no error.
  package static func requestRealtimePriority() { _ = martlet_thread_set_realtime(10) }
  /// Makes denormal numbers count as zero on this thread.
  package static func flushDenormals() { martlet_thread_flush_denormals() }
  /// Sleeps. Not for tests, nor for anything that a ``Monitor`` can wait for.
  package static func sleep(seconds: Double) {
    var wanted = timespec(tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
    var left = timespec()
    while nanosleep(&wanted, &left) == -1 && errno == EINTR { wanted = left }
  }
}
