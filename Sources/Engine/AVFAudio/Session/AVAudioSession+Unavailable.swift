public import Foundation

// What Linux has no counterpart for. Each says what to use instead.
extension AVAudioSession {
  /// Which loudspeaker is taken in spite of the category.
  public enum PortOverride: UInt, Sendable {
    /// As the category says.
    case none = 0
    /// The loudspeaker.
    case speaker = 0x7370_6B72
  }

  /// Chooses the loudspeaker for an application.
  @available(*, unavailable, message: "use the sound server's mixer, or give the engine an output of its own")
  public func overrideOutputAudioPort(_ portOverride: PortOverride) throws {}

  /// Whether another program plays.
  @available(*, unavailable, message: "ask the sound server: it mixes all programs, and none has to give way")
  public var isOtherAudioPlaying: Bool { false }

  /// Whether another program wants the application's music to be silent.
  @available(*, unavailable, message: "observe interruptionNotification: the server silences music by itself")
  public var secondaryAudioShouldBeSilencedHint: Bool { false }

  /// Told when other programs' sound wants ours to be silent.
  @available(*, unavailable, message: "observe interruptionNotification: the server silences music by itself")
  public class var silenceSecondaryAudioHintNotification: NSNotification.Name { .init("") }

  /// Whether ``setInputGain(_:)`` works.
  @available(*, unavailable, message: "use the sound server's mixer for the gain of microphones")
  public var isInputGainSettable: Bool { false }

  /// A microphone's gain.
  @available(*, unavailable, message: "use the sound server's mixer for the gain of microphones")
  public var inputGain: Float { 0 }

  /// Sets a microphone's gain.
  @available(*, unavailable, message: "use the sound server's mixer for the gain of microphones")
  public func setInputGain(_ gain: Float) throws {}

  /// Asks for a number of channels.
  @available(
    *, unavailable, message: "use the format of the connection to outputNode: the server mixes to the device"
  )
  public func setPreferredOutputNumberOfChannels(_ count: Int) throws {}

  /// Asks for a number of channels.
  @available(*, unavailable, message: "use the format of the tap or connection of inputNode: the server converts")
  public func setPreferredInputNumberOfChannels(_ count: Int) throws {}

  /// Parts of an input to choose from.
  @available(*, unavailable, message: "use availableInputs: each microphone is a port of its own")
  public var inputDataSources: [Never]? { nil }

  /// Parts of an output to choose from.
  @available(*, unavailable, message: "use the sound server's mixer to choose an output")
  public var outputDataSources: [Never]? { nil }

  /// Whether playing and recording share a clock.
  @available(
    *, unavailable, message: "remove it: inputs and outputs are streams of their own, which the engine joins"
  )
  public func setAggregatedIOPreference(_ inIOType: UInt) throws {}

  /// Keeps alerts of the system from interrupting.
  @available(*, unavailable, message: "remove it: alerts are mixed, and interrupt nothing")
  public func setPrefersNoInterruptionsFromSystemAlerts(_ inValue: Bool) throws {}

  /// Lets haptics and sounds of the system play while recording.
  @available(*, unavailable, message: "remove it: sounds of the system are always allowed")
  public func setAllowHapticsAndSystemSoundsDuringRecording(_ inValue: Bool) throws {}
}
