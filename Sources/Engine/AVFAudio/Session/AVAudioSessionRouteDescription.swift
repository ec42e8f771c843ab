internal import AudioModel
internal import AudioOutput
public import Foundation

/// Which devices an application plays to and records from.
public final class AVAudioSessionRouteDescription: NSObject, Sendable {
  /// Where sound comes from: the default input, or the one preferred, when the category records.
  public let inputs: [AVAudioSessionPortDescription]
  /// Where sound goes to: the default output, when the category plays.
  public let outputs: [AVAudioSessionPortDescription]

  init(inputs: [AVAudioSessionPortDescription], outputs: [AVAudioSessionPortDescription]) {
    self.inputs = inputs
    self.outputs = outputs
  }

  /// Routes through the same devices are equal.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? AVAudioSessionRouteDescription else { return false }
    return inputs == other.inputs && outputs == other.outputs
  }

  /// Goes with ``isEqual(_:)``.
  public override var hash: Int {
    var hasher = Hasher()
    for port in inputs + outputs { hasher.combine(port.uid) }
    return hasher.finalize()
  }

  /// The ports, for people.
  public override var description: String {
    "inputs: \(inputs.map(\.description)), outputs: \(outputs.map(\.description))"
  }
}

/// A device at the end of a route.
public final class AVAudioSessionPortDescription: NSObject, Sendable {
  /// What it is.
  public let portType: AVAudioSession.Port
  /// Its name, for people.
  public let portName: String
  /// What tells it apart: the name of a PulseAudio sink or source.
  public let uid: String
  /// Its channels; `nil` where it does not say.
  public let channels: [AVAudioSessionChannelDescription]?
  /// Whether it processes calls itself. No device on Linux says so.
  public let hasHardwareVoiceCallProcessing = false

  init(_ route: AudioRoute, isInput: Bool) {
    portType = AVAudioSession.Port(route.kind, isInput: isInput)
    portName = route.summary
    uid = route.target
    channels = route.format.map { format in
      (0..<format.channels).map { AVAudioSessionChannelDescription(format.layout, index: $0, port: route) }
    }
  }

  /// The same device is equal, whatever it says of itself now.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? AVAudioSessionPortDescription else { return false }
    return uid == other.uid && portType == other.portType
  }

  /// Goes with ``isEqual(_:)``.
  public override var hash: Int { uid.hashValue }

  /// Kind and name, for people.
  public override var description: String { "\(portType.rawValue) “\(portName)” (\(uid))" }

  /// Parts of a port to choose from. Devices on Linux have none: each microphone is a port of its own.
  @available(*, unavailable, message: "use AVAudioSession.availableInputs: each microphone is a port of its own")
  public var dataSources: [Never]? { fatalError("unavailable") }
}

/// A channel of a device.
public final class AVAudioSessionChannelDescription: NSObject, Sendable {
  /// Its name, for people: `front left`.
  public let channelName: String
  /// Its number, from 1.
  public let channelNumber: Int
  /// The port that it belongs to.
  public let owningPortUID: String
  /// Which it is: a constant such as `kAudioChannelLabel_Left`; 0xFFFFFFFF where nobody knows.
  public let channelLabel: UInt32

  init(_ layout: ChannelLayout, index: Int, port: AudioRoute) {
    channelNumber = index + 1
    owningPortUID = port.target
    let bits = (0..<UInt32(32)).filter { layout.mask >> $0 & 1 == 1 }
    let bit = layout.count > 1 && index < bits.count ? bits[index] : nil
    channelName = layout.count == 1 ? "mono" : bit.flatMap { Self.names[Int($0)] } ?? "channel \(index + 1)"
    channelLabel = layout.count == 1 ? 42 : bit.map { $0 + 1 } ?? .max
  }

  /// Names of the bits of a layout's mask.
  private static let names: [Int: String] = [
    0: "front left", 1: "front right", 2: "front centre", 3: "low frequency", 4: "rear left", 5: "rear right",
    6: "front left of centre", 7: "front right of centre", 8: "rear centre", 9: "side left", 10: "side right",
    11: "top centre", 12: "top front left", 13: "top front centre", 14: "top front right", 15: "top rear left",
    16: "top rear centre", 17: "top rear right",
  ]
}

extension AVAudioSession.Port {
  init(_ kind: AudioRoute.Kind, isInput: Bool) {
    self =
      switch kind {
      case .speaker: .builtInSpeaker
      case .headphones: isInput ? .headsetMic : .headphones
      case .line: isInput ? .lineIn : .lineOut
      case .digital: .HDMI
      case .bluetooth: isInput ? .bluetoothHFP : .bluetoothA2DP
      case .usb: .usbAudio
      case .microphone: .builtInMic
      case .virtual: .virtual
      case .other: isInput ? .builtInMic : .builtInSpeaker
      }
  }
}
