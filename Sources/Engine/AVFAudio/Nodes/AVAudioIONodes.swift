internal import AudioModel
public import CoreAudioTypes
public import Foundation
internal import Platform
internal import RenderGraph

/// Where a graph meets a device.
open class AVAudioIONode: AVAudioNode, @unchecked Sendable {
  /// Seconds from the node to the loudspeaker, or from the microphone to the node, as far as the device says.
  public var presentationLatency: TimeInterval { owner?.presentationLatency ?? 0 }

  @available(*, unavailable, message: "there are no audio units here; the engine opens PulseAudio or ALSA by itself")
  public var audioUnit: OpaquePointer? { fatalError("unavailable") }

  @available(*, unavailable, message: "voice processing is the sound server's: PulseAudio's module-echo-cancel")
  public func setVoiceProcessingEnabled(_ enabled: Bool) throws { fatalError("unavailable") }

  /// Whether voice processing is on: never, it is the sound server's.
  public var isVoiceProcessingEnabled: Bool { false }
}

/// The end of a graph: the loudspeaker, or what manual rendering gives to the application.
///
/// There is one in each engine: ``AVAudioEngine/outputNode``. It converts what is connected to it.
public final class AVAudioOutputNode: AVAudioIONode, @unchecked Sendable {
  private let end = OutputNode()
  override var core: GraphNode? { end }

  public override var numberOfInputs: Int { 1 }

  /// Format of the device, or that of manual rendering.
  public override func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
    owner?.hardwareFormat ?? Self.usualFormat
  }
}

/// A block that gives an engine its input in manual rendering.
///
/// - Parameter inNumberOfFrames: How many are wanted.
/// - Returns: A list with so many frames, valid until the next call; `nil` where there is no input now.
public typealias AVAudioIONodeInputBlock =
  @Sendable (_ inNumberOfFrames: AVAudioFrameCount) -> UnsafePointer<
    AudioBufferList
  >?

/// The beginning of a graph: the microphone, or what the application gives in manual rendering.
///
/// There is one in each engine: ``AVAudioEngine/inputNode``. The microphone is opened when the engine starts and the node
/// is connected or has a tap.
public final class AVAudioInputNode: AVAudioIONode, AVAudioMixing, @unchecked Sendable {
  private struct State {
    var source: GraphNode?
    var manual: ManualInput?
    var format: AVAudioFormat?
  }
  private let state = Monitor(State())

  override var core: GraphNode? { state.withLock { $0.source } }

  /// Format of the microphone, or what ``setManualRenderingInputPCMFormat(_:inputBlock:)`` was given.
  public override func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
    if let format = state.withLock({ $0.manual?.format ?? $0.format }) { return format }
    return owner?.microphoneFormat ?? Self.usualFormat
  }

  /// Format of the microphone.
  public override func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat { outputFormat(forBus: bus) }

  /// Gives the engine its input in manual rendering. Only while the engine stands.
  /// - Parameters:
  ///   - format: Linear PCM that the block's lists have.
  ///   - block: Called in render calls, at most once in each.
  /// - Returns: Whether that was possible: not while the engine runs.
  public func setManualRenderingInputPCMFormat(
    _ format: AVAudioFormat, inputBlock block: @escaping AVAudioIONodeInputBlock
  ) -> Bool {
    guard owner?.isRunning != true, format.isLinearPCM, format.commonFormat != .otherFormat else { return false }
    let input = ManualInput(format: format, block: block)
    state.withLock { state in
      state.manual = input
      state.source = BlockSource { input.fill($0) }
    }
    owner?.graphChanged()
    return true
  }

  /// Takes sound from a device.
  func capture(_ source: CaptureSource?, format: AVAudioFormat?) {
    state.withLock { state in
      state.source = source
      state.format = format
      state.manual = nil
    }
  }

  var manualInput: ManualInput? { state.withLock { $0.manual } }

  override var keepsRunning: Bool { true }
}
