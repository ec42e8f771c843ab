internal import Glibc

/// A value behind a mutex, with a condition to wait for its change.
package final class Monitor<Value>: @unchecked Sendable {
  // `value` is touched only while `mutex` is held; both C objects keep their address for the monitor's life.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value

  /// Makes a monitor of a first value.
  package init(_ value: sending Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Reads or changes the value, without waking those who wait.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Changes the value and wakes all who wait.
  package func signal<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return try body(&value)
  }

  /// Waits until `body` answers something, or `deadline` passes.
  /// - Parameters:
  ///   - deadline: Time on the ``MonotonicTime`` scale; `nil` waits for ever.
  ///   - body: Called with the lock held, at once and after every ``signal(_:)``; answers `nil` to go on waiting.
  /// - Returns: The answer, or `nil` after the deadline.
  package func wait<Result>(
    until deadline: MonotonicTime? = nil, _ body: (inout Value) -> sending Result?
  ) -> sending Result? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value) { return result }
      if let deadline {
        var time = timespec(
          tv_sec: Int(deadline.nanoseconds / 1_000_000_000), tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
        if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { return body(&value) }
      } else {
        pthread_cond_wait(condition, mutex)
      }
    }
  }
}
