/// What a player is doing.
public enum PlayerState: String, Hashable, Sendable {
  /// Nothing was asked of it yet, or it was stopped.
  case idle
  /// The first item is being opened.
  case opening
  /// Wants to play and waits for sound: at the start, or because the network is slower than the music.
  case buffering
  /// Sound is heard.
  case playing
  /// Stands still at the listener's wish.
  case paused
  /// The last item ended. `play` starts again at the first.
  case ended
  /// Nothing could be played.
  case failed
}

/// Why an item is over.
public enum FinishReason: String, Hashable, Sendable {
  /// Heard to its end.
  case ended
  /// The listener went on to another one.
  case skipped
  /// The player was stopped.
  case stopped
  /// It could not be opened or read on.
  case failed
}

/// What the player does after an error.
public enum ErrorAction: String, Hashable, Sendable {
  /// It tries again.
  case retry
  /// It goes on with the next item.
  case skip
  /// It stops.
  case stop
}
