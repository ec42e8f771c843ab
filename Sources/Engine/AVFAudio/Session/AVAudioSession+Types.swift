internal import Foundation

extension AVAudioSession {
  /// What an application's sound is for, in general.
  public struct Category: RawRepresentable, Hashable, Sendable {
    /// The name that is stored and compared.
    public var rawValue: String
    /// Makes a category of a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Sound that goes along with others'; streams have the role `game`.
    public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
    /// The default; streams have the role `music`.
    public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
    /// What one listens to; streams have the role `music`.
    public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
    /// Recording only; streams have the role `production`.
    public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
    /// Both at once; streams have the role `production`.
    public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
    /// Several devices at once; streams have the role `production`.
    public static let multiRoute = Category(rawValue: "AVAudioSessionCategoryMultiRoute")
  }

  /// What it is for, in particular. It decides about the role of streams where it says more than the category.
  public struct Mode: RawRepresentable, Hashable, Sendable {
    /// The name that is stored and compared.
    public var rawValue: String
    /// Makes a mode of a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Nothing in particular.
    public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
    /// A conversation; role `phone`.
    public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
    /// A conversation in a game; role `phone`.
    public static let gameChat = Mode(rawValue: "AVAudioSessionModeGameChat")
    /// The sound of a film that is being made; role `production`.
    public static let videoRecording = Mode(rawValue: "AVAudioSessionModeVideoRecording")
    /// Measuring; role `production`.
    public static let measurement = Mode(rawValue: "AVAudioSessionModeMeasurement")
    /// Films; role `video`.
    public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
    /// A conversation with pictures; role `phone`.
    public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
    /// Podcasts and books; the category's role.
    public static let spokenAudio = Mode(rawValue: "AVAudioSessionModeSpokenAudio")
    /// A voice that gives directions; role `a11y`.
    public static let voicePrompt = Mode(rawValue: "AVAudioSessionModeVoicePrompt")
  }

  /// What is at the end of a route.
  public struct Port: RawRepresentable, Hashable, Sendable {
    /// The name that is stored and compared.
    public var rawValue: String
    /// Makes a kind of port of a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A plug to record from.
    public static let lineIn = Port(rawValue: "LineIn")
    /// A microphone.
    public static let builtInMic = Port(rawValue: "MicrophoneBuiltIn")
    /// A headset's microphone.
    public static let headsetMic = Port(rawValue: "MicrophoneWired")
    /// A plug to play to.
    public static let lineOut = Port(rawValue: "LineOut")
    /// Headphones.
    public static let headphones = Port(rawValue: "Headphones")
    /// Loudspeakers and headphones without a wire.
    public static let bluetoothA2DP = Port(rawValue: "BluetoothA2DPOutput")
    /// A telephone's loudspeaker for the ear. No device on Linux says that it is one.
    public static let builtInReceiver = Port(rawValue: "Receiver")
    /// A loudspeaker.
    public static let builtInSpeaker = Port(rawValue: "Speaker")
    /// A display or a receiver.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let HDMI = Port(rawValue: "HDMIOutput")
    /// AirPlay. No device on Linux says that it is one.
    public static let airPlay = Port(rawValue: "AirPlay")
    /// Bluetooth with little energy. No device on Linux says that it is one.
    public static let bluetoothLE = Port(rawValue: "BluetoothLE")
    /// A headset without a wire.
    public static let bluetoothHFP = Port(rawValue: "BluetoothHFP")
    /// A device at the universal bus.
    public static let usbAudio = Port(rawValue: "USBAudio")
    /// A car. No device on Linux says that it is one.
    public static let carAudio = Port(rawValue: "CarAudio")
    /// A device without hardware, such as what another one plays.
    public static let virtual = Port(rawValue: "Virtual")
    /// A card. No device on Linux says that it is one.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let PCI = Port(rawValue: "PCI")
    /// FireWire. No device on Linux says that it is one.
    public static let fireWire = Port(rawValue: "FireWire")
    /// A display. Counts as ``HDMI`` on Linux.
    public static let displayPort = Port(rawValue: "DisplayPort")
    /// A network. No device on Linux says that it is one.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let AVB = Port(rawValue: "AVB")
    /// Thunderbolt. No device on Linux says that it is one.
    public static let thunderbolt = Port(rawValue: "Thunderbolt")
  }

  /// How an application's sound goes along with others'. Kept and answered; on Linux the sound server mixes all streams,
  /// and silences some by their role.
  public struct CategoryOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public var rawValue: UInt
    /// Makes options of bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Others are not silenced. They never are on Linux, but by their server's rules.
    public static let mixWithOthers = CategoryOptions(rawValue: 0x1)
    /// Others become quieter. PulseAudio does so by `module-role-ducking`.
    public static let duckOthers = CategoryOptions(rawValue: 0x2)
    /// Headsets without a wire may be used.
    public static let allowBluetooth = CategoryOptions(rawValue: 0x4)
    /// The same by its newer name.
    public static let allowBluetoothHFP = CategoryOptions(rawValue: 0x4)
    /// The loudspeaker instead of the receiver; only with ``Category/playAndRecord``.
    public static let defaultToSpeaker = CategoryOptions(rawValue: 0x8)
    /// Others' speech is interrupted, their music is not.
    public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
    /// Loudspeakers without a wire may be used.
    public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
    /// AirPlay may be used.
    public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
    /// A microphone that is muted is no interruption.
    public static let overrideMutedMicrophoneInterruption = CategoryOptions(rawValue: 0x80)
  }

  /// Which device long sounds go to. Kept and answered; the sound server decides on Linux.
  public enum RouteSharingPolicy: UInt, Sendable {
    /// As the system decides.
    case `default` = 0
    /// With other long sounds; only with ``Category/playback`` and without options.
    case longFormAudio = 1
    /// By an application that chooses devices itself.
    case independent = 2
    /// With other films; only with ``Category/playback`` and without options.
    case longFormVideo = 3
  }

  /// What ``AVAudioSession/setActive(_:options:)`` does besides.
  public struct SetActiveOptions: OptionSet, Sendable {
    /// The bits.
    public var rawValue: UInt
    /// Makes options of bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Others hear that they may go on. On Linux the server tells them, when a stream ends.
    public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
  }

  /// Whether an application may record. On Linux it may whatever its user may.
  public enum RecordPermission: UInt, Sendable {
    /// Nobody was asked.
    case undetermined = 0x756E_6474
    /// It may not.
    case denied = 0x6465_6E79
    /// It may.
    case granted = 0x6772_6E74
  }

  /// Which half of an interruption a notification tells of.
  public enum InterruptionType: UInt, Sendable {
    /// The server silenced a stream.
    case began = 1
    /// The server gave it back.
    case ended = 0
  }

  /// What to do after an interruption.
  public struct InterruptionOptions: OptionSet, Sendable {
    /// The bits.
    public var rawValue: UInt
    /// Makes options of bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// To play on is what the listener expects.
    public static let shouldResume = InterruptionOptions(rawValue: 1)
  }

  /// Why an interruption began.
  public enum InterruptionReason: UInt, Sendable {
    /// Another program took over.
    case `default` = 0
    /// The application slept. Not on Linux.
    case appWasSuspended = 1
    /// The microphone is muted. Not on Linux.
    case builtInMicMuted = 2
    /// The device went away. Not on Linux, where streams go on at another one.
    case routeDisconnected = 4
  }

  /// Why the route changed.
  public enum RouteChangeReason: UInt, Sendable {
    /// Nobody knows.
    case unknown = 0
    /// A device came, and was chosen.
    case newDeviceAvailable = 1
    /// The device went away, and another one was chosen.
    case oldDeviceUnavailable = 2
    /// The application chose another category.
    case categoryChange = 3
    /// The listener chose another device.
    case override = 4
    /// The machine woke. Not on Linux.
    case wakeFromSleep = 6
    /// There is no device for the category any more.
    case noSuitableRouteForCategory = 7
    /// The device works at another rate or with other channels now.
    case routeConfigurationChange = 8
  }

  /// What errors say, in the domain `NSOSStatusErrorDomain`.
  public enum ErrorCode: Int, Sendable {
    /// No error.
    case none = 0
    /// The sound server went away.
    case mediaServicesFailed = 0x6D73_7276
    /// Sound is playing or being recorded.
    case isBusy = 0x2161_6374
    /// The category can't do that.
    case incompatibleCategory = 0x2163_6174
    /// Others are not to be interrupted.
    case cannotInterruptOthers = 0x2169_6E74
    /// A right is missing.
    case missingEntitlement = 0x656E_743F
    /// Siri records.
    case siriIsRecording = 0x7369_7269
    /// Playing can't begin.
    case cannotStartPlaying = 0x2170_6C61
    /// Recording can't begin.
    case cannotStartRecording = 0x2172_6563
    /// A value is out of range, or does not go with another.
    case badParam = -50
    /// Something else is more important.
    case insufficientPriority = 0x2170_7269
    /// The device is not there.
    case resourceNotAvailable = 0x2172_6573
    /// Anything else.
    case unspecified = 0x7768_6174
    /// The session is too old.
    case expiredSession = 0x2173_6573
    /// The session is not active.
    case sessionNotActive = 0x696E_6163
  }

  func failure(_ code: ErrorCode, _ words: String) -> NSError {
    NSError(domain: "NSOSStatusErrorDomain", code: code.rawValue, userInfo: [NSLocalizedDescriptionKey: words])
  }
}
