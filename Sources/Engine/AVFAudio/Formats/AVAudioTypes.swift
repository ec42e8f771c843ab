public import CoreAudioTypes
public import Foundation

/// A position on a timeline of frames; may be negative.
public typealias AVAudioFramePosition = Int64
/// A number of frames.
public typealias AVAudioFrameCount = UInt32
/// A number of packets.
public typealias AVAudioPacketCount = UInt32
/// A number of channels.
public typealias AVAudioChannelCount = UInt32
/// The number of an input or an output of a node.
public typealias AVAudioNodeBus = Int
/// Frames that a render call asks for.
public typealias AUAudioFrameCount = UInt32
/// The result of a render call: 0 (`noErr`), or a code.
public typealias AUAudioUnitStatus = OSStatus
/// The address of a variable for an error, `&error` in a call.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// The kinds of linear PCM that have a name.
public enum AVAudioCommonFormat: UInt, Sendable {
  /// Anything else: other widths, the other byte order, compressed formats.
  case otherFormat = 0
  /// Float32 in the machine's byte order, full scale ±1. The format of the engine.
  case pcmFormatFloat32 = 1
  /// Float64 in the machine's byte order, full scale ±1.
  case pcmFormatFloat64 = 2
  /// Signed 16-bit integers in the machine's byte order.
  case pcmFormatInt16 = 3
  /// Signed 32-bit integers in the machine's byte order.
  case pcmFormatInt32 = 4
}

/// How much is spent on quality.
public enum AVAudioQuality: Int, Sendable {
  case min = 0
  case low = 0x20
  case medium = 0x40
  case high = 0x60
  case max = 0x7F
}
