internal import CPlatform

// Descriptors that no child inherits, not even one that another thread starts in the moment in which they are made.

/// A new pipe.
/// - Returns: `nil` and errno when the system refuses.
package func makePipe() -> (reader: Int32, writer: Int32)? {
  var ends: [Int32] = [-1, -1]
  return martlet_pipe(&ends) == 0 ? (ends[0], ends[1]) : nil
}

/// The next connection of a listening socket; its reads and writes return at once.
/// - Returns: −1 and errno when there is none.
package func acceptConnection(_ listener: Int32) -> Int32 { martlet_accept(listener) }

/// A new file, for reading and writing.
/// - Parameter pattern: Its path, ended by `XXXXXX`, which becomes unique, and a zero.
/// - Returns: −1 and errno when the system refuses.
package func makeTemporaryFile(_ pattern: inout [CChar]) -> Int32 { martlet_temporary_file(&pattern) }

/// Has a child inherit nothing that it is not given: no descriptor from `first` on, no signal held back or ignored.
/// - Parameters:
///   - actions: A `posix_spawn_file_actions_t` that holds all other actions already.
///   - attributes: An initialised `posix_spawnattr_t`.
///   - first: The lowest descriptor that it doesn't get.
///   - leadsSession: Makes it the leader of a new session, whose terminal is the first one that it opens.
/// - Returns: 0, or an error number.
package func spawnApart(
  _ actions: UnsafeMutableRawPointer, _ attributes: UnsafeMutableRawPointer, closingFrom first: Int32 = 3,
  leadsSession: Bool = false
) -> Int32 {
  martlet_spawn_apart(actions, attributes, first, leadsSession ? 1 : 0)
}
