public import AudioOutput
internal import GraphHost

/// The outputs of this build.
public enum DefaultOutputs {
  /// All of them; `auto` tries the automatic ones in this order.
  public static var registrations: [OutputRegistration] { SystemOutputs.registrations + [.null, .wav, .stdout] }
}
