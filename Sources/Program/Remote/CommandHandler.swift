package import Commands

/// Who carries out commands that come over the control socket.
package protocol CommandHandler: AnyObject, Sendable {
  /// Carries out a command and answers when its effect shows. Called on the socket's thread; must not block for long.
  func reply(to command: Command) -> JSONValue
  /// Begins to tell events. `handler` may be called on any thread and must be quick.
  /// - Returns: What ``removeObserver(_:)`` takes.
  func observe(_ handler: @escaping @Sendable (JSONValue) -> Void) -> Int
  /// Ends an observation.
  func removeObserver(_ id: Int)
}
