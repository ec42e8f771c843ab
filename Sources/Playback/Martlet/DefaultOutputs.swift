public import AudioOutput

/// The outputs of this build: the one place that names the adapters.
public enum DefaultOutputs {
  /// All of them; `auto` tries the automatic ones in this order.
  public static var registrations: [OutputRegistration] {
    [.null, .wav, .stdout]
  }
}
