/// An effect of one's own: what can be set of it, and how to make what works on sound.
///
/// The effect itself is what an application holds: its ``EffectParameter``s, which any thread may set. For each format of
/// sound that comes to it, it makes a processor, which has everything that it needs from the start; what renders asks that
/// one only.
///
/// ```swift
/// final class Gain: AudioEffect {
///   let gain = EffectParameter("gain", unit: .ratio, range: 0...4, default: 1)
///   var parameters: [EffectParameter] { [gain] }
///   func makeProcessor(for format: EffectFormat) -> any EffectProcessor { Processor(gain, format) }
///
///   private final class Processor: EffectProcessor {
///     var gain: ParameterRamp
///     init(_ gain: EffectParameter, _ format: EffectFormat) { self.gain = ParameterRamp(gain, for: format) }
///     func process(_ block: EffectBlock) {
///       gain.begin()
///       for frame in 0..<block.frames {
///         let factor = gain.next()
///         for channel in 0..<block.channels { block[channel][frame] *= factor }
///       }
///     }
///     func reset() {}
///   }
/// }
/// ```
///
/// `AudioEffectContract` of `MartletTestSupport` tells whether an effect keeps its promises.
public protocol AudioEffect: AnyObject, Sendable {
  /// All that can be set, in the order in which it should be shown.
  var parameters: [EffectParameter] { get }

  /// Makes what works on sound of a format. Any thread but the one that renders, and while an earlier processor may still
  /// be at work; the two have nothing in common but the parameters.
  func makeProcessor(for format: EffectFormat) -> any EffectProcessor
}

/// What sound an effect is going to get.
public struct EffectFormat: Hashable, Sendable, BitwiseCopyable {
  /// Frames a second.
  public let rate: Int
  /// Number of channels, 1 or more.
  public let channels: Int

  /// Makes a format.
  public init(rate: Int, channels: Int) {
    precondition(rate > 0 && channels > 0, "a format has a rate and channels")
    self.rate = rate
    self.channels = channels
  }

  /// A time in frames, rounded.
  public func frames(_ seconds: Double) -> Int { Int((seconds * Double(rate)).rounded()) }
}

/// What an effect does to sound of one format.
///
/// Made on the control side, and let go there. ``process(_:)`` and ``reset()`` run on the thread that renders, one call at a
/// time. They take no lock, allocate and free nothing, wait for nothing, and call nothing that might: no arrays that grow,
/// no strings, no classes made, no `print`, no clock, no tasks. `@_noLocks @_noAllocation` in front of them lets the compiler
/// look (best in debug builds). The result must not depend on how sound is cut into blocks.
public protocol EffectProcessor: AnyObject {
  /// Changes a block of sound in place. Blocks have any number of frames, and follow each other without a gap.
  func process(_ block: EffectBlock)

  /// Forgets the sound so far: after it comes what would come of a processor made anew.
  func reset()

  /// Frames by which sound comes out later than it went in. Always the same. Default: 0.
  var latency: Int { get }

  /// Frames for which sound comes out behind the last that went in, `latency` not counted. Default: 0.
  var tail: Int { get }
}

extension EffectProcessor {
  public var latency: Int { 0 }
  public var tail: Int { 0 }
}

/// Frames for an effect to change in place: a plane of 32-bit floats for each channel, at full scale ±1.
public struct EffectBlock: BitwiseCopyable {
  private let planes: UnsafeMutablePointer<Float>
  private let stride: Int
  /// Number of channels.
  public let channels: Int
  /// Number of frames.
  public let frames: Int

  // MARK: Real-time

  /// Makes a block.
  /// - Parameters:
  ///   - planes: The plane of channel c begins at `planes + c × stride`; they outlive the block.
  ///   - stride: Samples from one plane to the next.
  @_noLocks @_noAllocation
  public init(planes: UnsafeMutablePointer<Float>, stride: Int, channels: Int, frames: Int) {
    self.planes = planes
    self.stride = stride
    self.channels = channels
    self.frames = frames
  }

  /// The samples of a channel; valid during the call.
  public subscript(channel: Int) -> UnsafeMutableBufferPointer<Float> {
    @_noLocks @_noAllocation
    get {
      precondition(channel >= 0 && channel < channels, "no such channel")
      return UnsafeMutableBufferPointer(start: planes + channel &* stride, count: frames)
    }
  }
}
