public import CoreAudioTypes
public import Foundation
internal import RenderGraph

/// A block that makes sound.
///
/// It runs on the thread that renders: no lock, no allocation, no waiting.
/// - Parameters:
///   - isSilence: To be set to `true` where all is silence.
///   - timestamp: The node's sample time of the first frame, and where there is a clock its host time.
///   - frameCount: Frames wanted.
///   - outputData: Where they go, in the format that the node was made with; each `mDataByteSize` says how much fits.
/// - Returns: `noErr`, or anything else: the call is silence then.
public typealias AVAudioSourceNodeRenderBlock = (
  _ isSilence: UnsafeMutablePointer<ObjCBool>, _ timestamp: UnsafePointer<AudioTimeStamp>,
  _ frameCount: AVAudioFrameCount, _ outputData: UnsafeMutablePointer<AudioBufferList>
) -> OSStatus

/// Sound made by a block.
public final class AVAudioSourceNode: AVAudioNode, AVAudioMixing, @unchecked Sendable {
  private let source: BlockSource
  override var core: GraphNode? { source }

  /// Makes a node whose block is asked for the format that the node is connected with.
  public convenience init(renderBlock block: @escaping AVAudioSourceNodeRenderBlock) {
    self.init(nil, block)
  }

  /// Makes a node whose block is asked for a format of its own.
  /// - Parameters:
  ///   - format: Linear PCM with a name; its rate and channels become those of the node's output.
  ///   - block: Called in render calls, whose rules it has to obey.
  public convenience init(format: AVAudioFormat, renderBlock block: @escaping AVAudioSourceNodeRenderBlock) {
    require(
      format.isLinearPCM && format.commonFormat != .otherFormat,
      "AVAudioSourceNode: a block can't be asked for \(format)")
    self.init(format, block)
  }

  private init(_ format: AVAudioFormat?, _ block: @escaping AVAudioSourceNodeRenderBlock) {
    let bridge = BlockBridge(format: format)
    let call = SendableBlock(block)
    source = BlockSource { frames in
      bridge.render(frames) { time, count, list in
        var isSilence = ObjCBool(false)
        return call.block(&isSilence, time, count, list) == noErr && !isSilence.boolValue
      }
    }
    super.init()
    if let format { setOutputFormat(format, bus: 0) }
  }

  override var keepsRunning: Bool { true }
}

/// A block that takes sound.
///
/// It runs on the thread that renders: no lock, no allocation, no waiting.
/// - Parameters:
///   - timestamp: The node's sample time of the first frame, and where there is a clock its host time.
///   - frameCount: How many frames there are.
///   - inputData: The frames, in the engine's form, valid for the call.
/// - Returns: Passed over.
public typealias AVAudioSinkNodeReceiverBlock = (
  _ timestamp: UnsafePointer<AudioTimeStamp>, _ frameCount: AVAudioFrameCount,
  _ inputData: UnsafePointer<AudioBufferList>
) -> OSStatus

/// Sound given to a block. It is rendered after the engine's output, at the same pace.
public final class AVAudioSinkNode: AVAudioNode, @unchecked Sendable {
  private let sink: BlockSink
  override var core: GraphNode? { sink }

  /// Makes a node.
  public init(receiverBlock block: @escaping AVAudioSinkNodeReceiverBlock) {
    let bridge = BlockBridge(format: nil)
    let call = SendableReceiver(block)
    sink = BlockSink { frames in
      _ = bridge.render(frames) { time, count, list in call.block(time, count, list) == noErr }
    }
    super.init()
  }

  public override var numberOfInputs: Int { 1 }
  public override var numberOfOutputs: Int { 0 }
  override var keepsRunning: Bool { true }
}

// Blocks written for Apple's interface are not marked sendable. They run on one thread at a time.
private struct SendableBlock: @unchecked Sendable {
  let block: AVAudioSourceNodeRenderBlock
  init(_ block: @escaping AVAudioSourceNodeRenderBlock) { self.block = block }
}
private struct SendableReceiver: @unchecked Sendable {
  let block: AVAudioSinkNodeReceiverBlock
  init(_ block: @escaping AVAudioSinkNodeReceiverBlock) { self.block = block }
}
