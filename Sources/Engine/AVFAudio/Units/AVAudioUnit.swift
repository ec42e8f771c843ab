public import CoreAudioTypes
public import Foundation
internal import RenderGraph

/// How units of other makers are made. There are none here.
public struct AudioComponentInstantiationOptions: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// In another process.
  public static let loadOutOfProcess = AudioComponentInstantiationOptions(rawValue: 1)
}

/// A node that processes sound.
///
/// By itself it passes everything on as it is.
open class AVAudioUnit: AVAudioNode, @unchecked Sendable {
  let stage: EffectStage
  override var core: GraphNode? { stage }

  /// Makes a unit that passes everything on.
  public override init() {
    stage = EffectStage(PassThrough())
    super.init()
  }

  /// Makes a unit of a kernel.
  init(kernel: any EffectKernel) {
    stage = EffectStage(kernel)
    super.init()
  }

  open override var numberOfInputs: Int { 1 }

  /// A unit makes of its input what has the same format.
  open override func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
    owner?.source(of: self, bus: 0).map { $0.node.outputFormat(forBus: $0.bus) } ?? super.outputFormat(forBus: bus)
  }

  /// The format that the unit was connected to give.
  var connectedFormat: AVAudioFormat? { connectedFormat(0) }

  /// Frames by which the sound comes out later than it went in, as seconds.
  open override var latency: TimeInterval {
    Double(stage.kernel.latency) / outputFormat(forBus: 0).sampleRate
  }

  /// Forgets the sound so far.
  open override func reset() { stage.reset() }

  /// The unit's name.
  open var name: String { String(describing: type(of: self)) }

  @available(*, unavailable, message: "presets of files are not read; set the unit's own properties")
  public func loadPreset(at url: URL) throws { fatalError("unavailable") }

  @available(*, unavailable, message: "make the unit by its own initializer")
  public class func instantiate(
    with audioComponentDescription: AudioComponentDescription, options: AudioComponentInstantiationOptions = [],
    completionHandler: @escaping @Sendable (AVAudioUnit?, (any Error)?) -> Void
  ) { fatalError("unavailable") }
}

/// A unit that changes sound as it comes.
open class AVAudioUnitEffect: AVAudioUnit, @unchecked Sendable {
  /// Lets the sound pass as it is. Coming and going is a cross-fade of 10 ms.
  public var bypass: Bool {
    get { stage.isBypassed }
    set { stage.isBypassed = newValue }
  }
}

/// A unit that makes sound.
open class AVAudioUnitGenerator: AVAudioUnit, AVAudioMixing, @unchecked Sendable {
  /// Makes nothing: silence follows.
  public var bypass: Bool {
    get { stage.isBypassed }
    set { stage.isBypassed = newValue }
  }
  open override var numberOfInputs: Int { 0 }
}

/// Changes nothing.
private final class PassThrough: EffectKernel {
  func process(_ call: BlockCall) {}
  func reset() {}
  var latency: Int { 0 }
  var tail: Int { 0 }
}

@available(*, unavailable, message: "there are no audio units here; nodes have their own properties")
public final class AUAudioUnit: NSObject {}
