internal import CCurl
internal import Glibc
internal import Platform

/// The one thread of the process that speaks HTTP: it owns libcurl's multi handle, and with it all connections, which
/// are kept for later requests to the same server.
final class NetworkThread: Sendable {
  static let shared = NetworkThread()

  private typealias Job = @Sendable () -> Void
  private let multi: Multi
  // Not a Mutex of Synchronization, which the thread sanitizer does not understand.
  private let jobs = Monitor<[Job]>([])

  private init() {
    guard let handle = CurlLibrary.table.curl_multi_init() else { preconditionFailure("libcurl gives no handle") }
    multi = Multi(handle: handle)
    _ = NamedThread("martlet-net") { [self] in run() }
  }

  /// Has `job` done on the thread, soon and in order.
  func post(_ job: @escaping @Sendable () -> Void) {
    jobs.withLock { $0.append(job) }
    _ = CurlLibrary.table.curl_multi_wakeup(multi.handle)
  }

  // MARK: On the thread

  /// Puts a handle to work for `transfer`.
  func add(_ easy: EasyHandle, for transfer: HTTPTransfer) {
    multi.transfers[easy.pointer] = transfer
    _ = CurlLibrary.table.curl_multi_add_handle(multi.handle, easy.pointer)
  }

  /// Takes a handle out; what it was doing is cut.
  func remove(_ easy: EasyHandle) {
    _ = CurlLibrary.table.curl_multi_remove_handle(multi.handle, easy.pointer)
    multi.transfers[easy.pointer] = nil
  }

  /// Calls `transfer` at `deadline`, or never. A later call replaces an earlier one.
  func setDeadline(_ deadline: MonotonicTime?, for transfer: HTTPTransfer) {
    multi.deadlines[ObjectIdentifier(transfer)] = deadline.map { ($0, transfer) }
  }

  private func run() {
    // OpenSSL writes to sockets that may be closed at the other end.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    while true {
      for job in takeJobs() { job() }
      var running: Int32 = 0
      _ = CurlLibrary.table.curl_multi_perform(multi.handle, &running)
      finishTransfers()
      meetDeadlines()
      ccurl_poll(multi.handle, pollTimeout())
    }
  }

  private func takeJobs() -> [Job] {
    jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
  }

  private func finishTransfers() {
    var left: Int32 = 0
    while let message = CurlLibrary.table.curl_multi_info_read(multi.handle, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
      multi.transfers[easy]?.finished(ccurl_message_result(message))
    }
  }

  private func meetDeadlines() {
    let now = MonotonicTime.now
    for (key, (deadline, transfer)) in multi.deadlines where deadline <= now {
      multi.deadlines[key] = nil
      transfer.deadlinePassed(now)
    }
  }

  /// Milliseconds; libcurl shortens them to its own needs.
  private func pollTimeout() -> Int32 {
    guard jobs.withLock({ $0.isEmpty }) else { return 0 }
    guard let next = multi.deadlines.values.map(\.0).min() else { return 3_600_000 }
    return Int32(min(3_600_000, max(0, (next.seconds(since: .now) * 1000).rounded(.up))))
  }

  /// What belongs to the thread alone.
  private final class Multi: @unchecked Sendable {
    // Touched by the network thread only, but for `curl_multi_wakeup`, which any thread may call.
    let handle: UnsafeMutableRawPointer
    var transfers: [UnsafeMutableRawPointer: HTTPTransfer] = [:]
    var deadlines: [ObjectIdentifier: (MonotonicTime, HTTPTransfer)] = [:]
    init(handle: UnsafeMutableRawPointer) { self.handle = handle }
  }
}
