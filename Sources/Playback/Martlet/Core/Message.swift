internal import AudioModel
internal import AudioOutput

/// What reaches the control thread: everything that may change a player's state comes through this one door, in order.
enum Message: Sendable {
  /// An item is added to the queue.
  case append(id: Int, PlayerItem)
  /// A command, and who waits for its effect.
  case command(PlayerCommand, completion: (@Sendable (Result<Void, AudioError>) -> Void)?)
  /// A decode worker reports.
  case worker(item: Int, serial: Int, WorkerReport)
  /// The output reports.
  case output(OutputEvent)
  /// Time may have passed: look at the device, and say when everything posted before is done.
  case poke(completion: @Sendable () -> Void)
}
