/// How a buffer treats what is scheduled, and itself.
public struct AVAudioPlayerNodeBufferOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  /// Plays the buffer again and again, until it is stopped or interrupted.
  public static let loops = AVAudioPlayerNodeBufferOptions(rawValue: 1)
  /// Drops everything scheduled before, what plays included.
  public static let interrupts = AVAudioPlayerNodeBufferOptions(rawValue: 2)
  /// Lets a loop come to its end first, then drops everything scheduled before.
  public static let interruptsAtLoop = AVAudioPlayerNodeBufferOptions(rawValue: 4)
}

/// When a completion handler is called. Every handler is called exactly once, in the order of scheduling, also where its
/// buffer or file was dropped.
public enum AVAudioPlayerNodeCompletionCallbackType: Int, Sendable {
  /// The player has read all of it.
  case dataConsumed = 0
  /// Its last frame left the player.
  case dataRendered = 1
  /// Its last frame was heard. In manual rendering: left the player.
  case dataPlayedBack = 2
}

/// Called once for what was scheduled, on a queue of the player's own. Free to call the player.
public typealias AVAudioNodeCompletionHandler = @Sendable () -> Void

/// Called once for what was scheduled, on a queue of the player's own, with the type that was asked for. Free to call the
/// player.
public typealias AVAudioPlayerNodeCompletionHandler = @Sendable (AVAudioPlayerNodeCompletionCallbackType) -> Void
