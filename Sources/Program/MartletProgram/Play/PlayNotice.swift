internal import Martlet
internal import Platform
internal import Remote

/// What other threads tell the main one while something plays.
enum PlayNotice: Sendable {
  case event(PlayerEvent)
  case signal(Int32)
  /// The output that was chosen.
  case output(name: String)
  case quit
}

/// Notices in order, and a descriptor that wakes for them.
final class PlayMailbox: Sendable {
  private let notices = Monitor<[PlayNotice]>([])
  let pipe = WakePipe()

  func post(_ notice: PlayNotice) {
    notices.withLock { $0.append(notice) }
    pipe.wake()
  }

  func take() -> [PlayNotice] {
    pipe.drain()
    return notices.withLock { notices in
      defer { notices.removeAll(keepingCapacity: true) }
      return notices
    }
  }
}
