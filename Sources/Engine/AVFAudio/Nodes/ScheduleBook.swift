internal import Foundation
internal import Platform
internal import RenderGraph

/// Which handlers a player still has to call, in the order of scheduling.
final class ScheduleBook: Sendable {
  private struct Entry {
    var ticket: Int64
    var type: AVAudioPlayerNodeCompletionCallbackType
    var handler: AVAudioPlayerNodeCompletionHandler?
    /// Set when the clip is over: the frame of the output that has to be heard first.
    var due: Int64?
  }
  private struct Book {
    var next: Int64 = 1
    var entries: [Entry] = []
  }

  private let book = Monitor(Book())
  private let queue = DispatchQueue(label: "martlet.player")

  /// Books a clip.
  /// - Returns: Its ticket.
  func add(
    _ type: AVAudioPlayerNodeCompletionCallbackType, _ handler: AVAudioPlayerNodeCompletionHandler?
  ) -> Int64 {
    book.withLock { book in
      defer { book.next += 1 }
      book.entries.append(Entry(ticket: book.next, type: type, handler: handler, due: nil))
      return book.next
    }
  }

  /// Notes what became of a clip.
  func note(_ event: ClipEvent) {
    book.withLock { book in
      guard let index = book.entries.firstIndex(where: { $0.ticket == event.ticket }) else { return }
      let isHeardLater = event.kind == .played && book.entries[index].type == .dataPlayedBack
      book.entries[index].due = isHeardLater ? event.outputFrame : .min
    }
  }

  /// Calls handlers whose time has come, each before the next. Asynchronously: nobody waits for them.
  /// - Returns: Whether some wait to be heard, or to be played.
  func call(heard: Int64) -> Bool {
    book.withLock { book in
      // Put on the queue under the lock: two that call at once must not change the order.
      while let first = book.entries.first, let due = first.due, due <= heard {
        book.entries.removeFirst()
        if let handler = first.handler {
          let type = first.type
          queue.async { handler(type) }
        }
      }
      return !book.entries.isEmpty
    }
  }

  /// Waits for handlers that were called.
  func drain() { queue.sync {} }
}
