/// What a stream is for. Sound servers choose devices and silence streams by it.
public enum StreamRole: String, Hashable, Sendable {
  /// Music and other things to listen to.
  case music
  /// Sound of moving pictures.
  case video
  /// A conversation.
  case phone
  /// Sound of a game.
  case game
  /// Making sound rather than listening to it: recording, instruments.
  case production
  /// Speech that helps to use the machine.
  case accessibility = "a11y"
  /// A short sound that tells of something.
  case event
}
