@_exported public import protocol Realtime.AudioEffect
@_exported public import struct Realtime.EffectBlock
@_exported public import struct Realtime.EffectFormat
@_exported public import class Realtime.EffectParameter
@_exported public import protocol Realtime.EffectProcessor
@_exported public import struct Realtime.ParameterRamp
internal import RenderGraph

// An addition: Apple's systems take effects of one's own as audio units, which there are none of here.
extension AVAudioUnitEffect {
  /// Makes a unit of an effect of one's own.
  ///
  /// Differs: an addition. Keep the effect to set its parameters, from any thread:
  ///
  /// ```swift
  /// let ring = RingModulator()
  /// let unit = AVAudioUnitEffect(ring)
  /// engine.attach(unit)
  /// ring.frequency.value = 220
  /// ```
  ///
  /// The unit asks it for a processor for each format that it is connected with. Its `latency` is that of the processor, and
  /// `bypass` fades as with all units.
  public convenience init(_ effect: any AudioEffect) { self.init(kernel: CustomKernel(effect)) }
}
