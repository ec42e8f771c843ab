package import Commands
package import Martlet

/// Who carries out commands that come over the control socket.
package protocol CommandHandler: AnyObject, Sendable {
  /// Carries out a command and answers when its effect shows. Called on the socket's thread; must not block for long.
  func reply(to command: Command) -> JSONValue
  /// Begins to tell events; `nil` is the last one. The handler may be called on any thread.
  func observe(_ handler: @escaping @Sendable (PlayerEvent?) -> Void) -> Int
  /// Ends an observation.
  func removeObserver(_ id: Int)
  /// The queue, for the event that says it changed.
  var queue: [QueueEntry] { get }
}
