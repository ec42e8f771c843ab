internal import CoreAudioTypes
public import Foundation
internal import GraphHost
internal import Platform
internal import Realtime
internal import RenderGraph

/// A block that listens at a node's output.
///
/// - Parameters:
///   - buffer: A copy of its own of what the node made, in the engine's form; exactly as many frames as were asked for.
///   - when: The node's sample time of the buffer's first frame, and where there is a clock, its host time.
public typealias AVAudioNodeTapBlock = @Sendable (_ buffer: AVAudioPCMBuffer, _ when: AVAudioTime) -> Void

/// A node of an engine's graph: what makes, changes or takes sound.
///
/// Nodes do something once they are attached to an engine and connected. Everything may be called from any thread.
open class AVAudioNode: NSObject, @unchecked Sendable {
  // What an engine knows of the node, guarded by the engine's lock; without an engine, by the node's owner.
  weak var owner: AVAudioEngine?
  let taps = NodeTaps()
  private let formats = Monitor<[AVAudioNodeBus: AVAudioFormat]>([:])
  let mixing = Monitor(GraphConnection.Mix())

  /// What the node is in the graph; `nil` for one that is nothing yet.
  var core: GraphNode? { nil }

  /// Format of a node that was told none: 44.1 kHz, stereo.
  static let usualFormat: AVAudioFormat = {
    guard let format = AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2) else {
      fatalError("AVAudioFormat: 44.1 kHz stereo is a format")
    }
    return format
  }()

  override init() { super.init() }

  /// The engine that the node is attached to.
  public var engine: AVAudioEngine? { owner }

  /// Number of inputs. A mixer has as many as are connected, and one more.
  open var numberOfInputs: Int { 0 }

  /// Number of outputs.
  open var numberOfOutputs: Int { 1 }

  /// Format of an output: the one it was connected with, else the usual one.
  open func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
    formats.withLock { $0[bus] } ?? Self.usualFormat
  }

  /// Format of an input: that of the output which is connected to it, else the usual one.
  open func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
    owner?.source(of: self, bus: bus).map { $0.node.outputFormat(forBus: $0.bus) } ?? Self.usualFormat
  }

  /// The name of an input; `nil` unless the node gives one.
  open func name(forInputBus bus: AVAudioNodeBus) -> String? { nil }

  /// The name of an output; `nil` unless the node gives one.
  open func name(forOutputBus bus: AVAudioNodeBus) -> String? { nil }

  /// The format that an output was connected with; `nil` where it was told none.
  final func connectedFormat(_ bus: AVAudioNodeBus) -> AVAudioFormat? { formats.withLock { $0[bus] } }

  func setOutputFormat(_ format: AVAudioFormat, bus: AVAudioNodeBus) { formats.withLock { $0[bus] = format } }

  /// Forgets the sound so far: delay lines, tails; a player drops what is scheduled.
  open func reset() {}

  // MARK: Time

  /// The time that the node has been rendered to: how many frames it has made, and when the next one is rendered.
  ///
  /// `nil` while the engine does not run, and for a node that is not connected. Where the application renders by itself
  /// there is no host time.
  public var lastRenderTime: AVAudioTime? {
    guard let owner, owner.isRunning, owner.isRendered(self), let core else { return nil }
    let times = core.times
    let rate = outputFormat(forBus: 0).sampleRate
    if times.hostTime == 0 { return AVAudioTime(sampleTime: times.frame, atRate: rate) }
    return AVAudioTime(hostTime: times.hostTime, sampleTime: times.frame, atRate: rate)
  }

  /// Seconds that the node's own processing delays the sound; 0 for most.
  open var latency: TimeInterval { 0 }

  /// Seconds from this node's output to the loudspeaker, as far as the nodes behind it and the device say.
  public var outputPresentationLatency: TimeInterval { owner?.presentationLatency ?? 0 }

  // MARK: Taps

  /// Listens at an output. One tap for each output.
  ///
  /// Differs: buffers have exactly the size that is asked for, within 256…65 536 frames, and come on a queue of the
  /// tap's own. Where the block is slow, buffers are dropped, never the sound. Nothing comes while the engine stands.
  /// - Parameters:
  ///   - bus: The output.
  ///   - bufferSize: Frames of a buffer.
  ///   - format: `nil`, or the output's format in the engine's form.
  ///   - tapBlock: Called for each buffer, in order, on a queue of the tap's own.
  public func installTap(
    onBus bus: AVAudioNodeBus, bufferSize: AVAudioFrameCount, format: AVAudioFormat?,
    block tapBlock: @escaping AVAudioNodeTapBlock
  ) {
    let own = tapFormat(bus)
    if let format {
      require(
        format.sampleRate == own.sampleRate && format.channelCount == own.channelCount && format.isStandard,
        "installTap: the tap's format \(format) is not that of the output, \(own)")
    }
    require(
      taps.install(bus, format: own, frames: Int(min(max(bufferSize, 256), 65_536)), block: tapBlock),
      "installTap: there is a tap on output \(bus) of \(self) already")
    owner?.graphChanged()
  }

  /// Ends a tap. No call of its block begins after this returns; one that is under way is not waited for. Without a tap
  /// nothing happens.
  public func removeTap(onBus bus: AVAudioNodeBus) {
    if taps.remove(bus) { owner?.graphChanged() }
  }

  func tapFormat(_ bus: AVAudioNodeBus) -> AVAudioFormat { outputFormat(forBus: bus) }

  // MARK: The engine's side

  /// The format of an output changed: its tap, if there is one, listens in the new one.
  func refreshTaps() { taps.adopt { self.tapFormat($0) } }

  /// Hears what became of clips, and hands out what taps have heard. Called at intervals while the engine runs.
  /// - Parameter heard: Frames of the engine's output that were heard.
  /// - Returns: Whether something waits that should be looked at soon.
  func pump(heard: Int64) -> Bool { taps.pump() }

  /// The engine stopped.
  func engineStopped() {}

  /// The engine has let go of the node.
  func leave(_ engine: AVAudioEngine) {}

  /// The engine renders by calls that must not depend on threads, or does no longer.
  func setSynchronous(_ isSynchronous: Bool) {}

  /// Provides for the next `frames` of the engine's output, on the caller's thread.
  func provide(seconds: Double) {}

  /// The node may make sound without being asked again.
  var keepsRunning: Bool { false }

  @available(*, unavailable, message: "nodes are no audio units here; use the node's own properties")
  public var auAudioUnit: AUAudioUnit { fatalError("unavailable") }
}
