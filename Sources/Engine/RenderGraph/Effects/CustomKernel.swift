package import Realtime
internal import Synchronization

/// An application's effect in a graph.
package final class CustomKernel: EffectKernel, @unchecked Sendable {
  /// The effect.
  package let effect: any AudioEffect
  private let states = FormatState()
  private let times = Atomic<WordPair>(WordPair(first: 0, second: 0))

  /// Makes a kernel of an effect.
  package init(_ effect: any AudioEffect) { self.effect = effect }

  /// The latency of the latest processor; 0 before the first.
  package var latency: Int { Int(times.load(ordering: .relaxed).first) }

  /// The tail of the latest processor; 0 before the first.
  package var tail: Int { Int(times.load(ordering: .relaxed).second) }

  package func prepare(rate: Int, channels: Int) {
    states.prepare(rate: rate, channels: channels) {
      let processor = effect.makeProcessor(for: EffectFormat(rate: rate, channels: channels))
      let pair = WordPair(first: UInt(max(0, processor.latency)), second: UInt(max(0, processor.tail)))
      times.store(pair, ordering: .relaxed)
      return CustomState(processor, rate: rate, channels: channels)
    }
  }

  // MARK: Real-time

  @_noLocks @_noAllocation
  package func process(_ call: BlockCall) {
    guard let state = states.state(for: call) else { return }
    Unmanaged<CustomState>.fromOpaque(state.toOpaque())._withUnsafeGuaranteedRef { $0.process(call) }
  }

  @_noLocks @_noAllocation
  package func reset() {
    guard let state = states.inUse else { return }
    Unmanaged<CustomState>.fromOpaque(state.toOpaque())._withUnsafeGuaranteedRef { $0.reset() }
  }
}

/// A processor of an application's.
private final class CustomState: KernelState, @unchecked Sendable {
  private let processor: any EffectProcessor

  init(_ processor: any EffectProcessor, rate: Int, channels: Int) {
    self.processor = processor
    super.init(rate: rate, channels: channels)
  }

  // MARK: Real-time

  // Doors: what the application does in there is checked where it is written.
  @_semantics("no_performance_analysis")
  func process(_ call: BlockCall) {
    processor.process(
      EffectBlock(planes: call.planes, stride: call.stride, channels: call.channels, frames: call.frames))
  }

  @_semantics("no_performance_analysis")
  func reset() { processor.reset() }
}
