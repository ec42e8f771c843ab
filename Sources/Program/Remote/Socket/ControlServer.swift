package import AudioModel
internal import Commands
internal import Glibc
internal import Platform

/// The control socket of a running player: one command a line, one reply a line.
///
/// One thread serves all clients and never waits for any of them, so that a slow or vanished client delays nobody: its
/// replies are kept up to a limit, then it is dropped.
package final class ControlServer: Sendable {
  /// What bounds each client.
  package enum Limit {
    /// Bytes of one line.
    package static let line = 64 * 1024
    /// Bytes that wait for a client to read them.
    package static let backlog = 1024 * 1024
    /// Clients at a time.
    package static let clients = 32
    /// Events that wait for the thread.
    package static let events = 4096
    /// Milliseconds that clients have to fetch their last lines when the player ends.
    package static let farewell = 200
  }

  /// Where it is.
  package let path: String
  private let inbox: ControlInbox
  private let thread: NamedThread

  /// Opens a socket and begins to serve.
  /// - Parameters:
  ///   - path: Where; a socket there that nobody answers on is replaced, anything else is left alone.
  ///   - handler: Who carries out commands.
  ///   - started: Called once on the socket's thread, before it serves.
  /// - Throws: ``AudioError/Code/writeFailed``, or ``AudioError/Code/usage`` for an impossible path.
  package init(
    path: String, handler: any CommandHandler, started: @escaping @Sendable () -> Void = {}
  ) throws(AudioError) {
    let listener = try Self.listen(path)
    let inbox = ControlInbox()
    self.path = path
    self.inbox = inbox
    thread = NamedThread("control-socket") {
      started()
      ControlLoop(listener: listener, inbox: inbox, handler: handler).run()
    }
  }

  /// Ends: clients get their last lines, the socket is removed.
  package func stop() {
    unlink(path)
    inbox.stop()
    thread.join()
  }

  private static func listen(_ path: String) throws(AudioError) -> Int32 {
    var facts = stat()
    if lstat(path, &facts) == 0 {
      guard facts.st_mode & S_IFMT == S_IFSOCK else {
        throw AudioError(.writeFailed, "\(path) is there and is not a socket")
      }
      guard !UnixSocket.isAnswered(path) else {
        throw AudioError(.writeFailed, "another player answers on \(path)")
      }
      unlink(path)
    }
    let listener = try UnixSocket.make()
    do throws(AudioError) {
      let bound = try UnixSocket.withAddress(path) { bind(listener, $0, $1) }
      // Nobody can connect between bind and listen, so the mode is right before the first client.
      guard bound == 0, chmod(path, 0o600) == 0, Glibc.listen(listener, 16) == 0 else {
        let reason = errno
        if bound == 0 { unlink(path) }
        throw AudioError(.writeFailed, "\(path) can't be made: \(systemErrorText(reason))", detail: Int(reason))
      }
    } catch {
      close(listener)
      throw error
    }
    UnixSocket.setNonblocking(listener)
    return listener
  }
}

/// What other threads tell the socket's thread.
final class ControlInbox: Sendable {
  private struct Content {
    var events: [JSONValue] = []
    var isStopping = false
  }

  private let content = Monitor(Content())
  let pipe = WakePipe()

  func add(_ event: JSONValue) {
    content.withLock {
      // The thread drains this at once unless the whole machine is stuck; then what is new counts more.
      if $0.events.count >= ControlServer.Limit.events { $0.events.removeFirst(ControlServer.Limit.events / 2) }
      $0.events.append(event)
    }
    pipe.wake()
  }

  func stop() {
    content.withLock { $0.isStopping = true }
    pipe.wake()
  }

  func take() -> (events: [JSONValue], isStopping: Bool) {
    content.withLock { content in
      defer { content.events.removeAll() }
      return (content.events, content.isStopping)
    }
  }
}
