internal import AudioModel
internal import DSP
internal import Realtime
internal import Synchronization

/// What a meter measures. Nothing costs nothing.
package struct LevelMeasures: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The greatest magnitude of samples.
  package static let peak = LevelMeasures(rawValue: 1)
  /// The mean of squares.
  package static let meanSquare = LevelMeasures(rawValue: 2)
  /// The greatest magnitude between samples, too.
  package static let truePeak = LevelMeasures(rawValue: 4)
}

/// Measures what passes.
final class MeterNode: GraphNode, @unchecked Sendable {
  /// Peaks since they were taken last.
  let peaks = AtomicPeaks()
  /// Mean squares since they were taken last.
  let squares = AtomicSquares()
  /// True peaks since they were taken last.
  let truePeaks = AtomicPeaks()

  private let wanted = Atomic<UInt8>(LevelMeasures.peak.rawValue)
  private let measuredFrames = Atomic<Int64>(0)
  private let meters = LatestObject<TruePeakMeter>()
  // Belongs to the control side.
  private var hasMeter = false
  // Belongs to the thread that renders; released with the node.
  private let meter = UnsafeMutablePointer<Unmanaged<TruePeakMeter>?>.allocate(capacity: 1)

  override init() { meter.initialize(to: nil) }

  deinit {
    meter.pointee?.release()
    meter.deallocate()
  }

  /// What is measured; at first, peaks. One thread of the control side at a time.
  var measures: LevelMeasures {
    get { LevelMeasures(rawValue: wanted.load(ordering: .relaxed)) }
    set {
      if newValue.contains(.truePeak), !hasMeter {
        hasMeter = true
        meters.put(TruePeakMeter(channels: ChannelLayout.accepted.upperBound))
      }
      wanted.store(newValue.rawValue, ordering: .relaxed)
    }
  }

  /// Frames that any measuring was done for.
  var workDone: Int64 { measuredFrames.load(ordering: .relaxed) }

  // MARK: Real-time

  @_noLocks @_noAllocation
  func measure(_ block: RenderedBlock, channels: Int) {
    let measures = wanted.load(ordering: .relaxed)
    guard measures != 0, block.count > 0 else { return }
    measuredFrames.add(Int64(block.count), ordering: .relaxed)
    if measures & 3 == 1 { measurePeaks(block, channels) }
    if measures & 2 != 0 { measureAll(block, channels) }
    if measures & 4 != 0 { measureTruePeaks(block, channels) }
  }

  @_noLocks @_noAllocation
  private func measurePeaks(_ block: RenderedBlock, _ channels: Int) {
    var channel = 0
    while channel < channels {
      peaks.raise(channel, to: Meter.peak(block.planes + channel &* block.stride, count: block.count))
      channel &+= 1
    }
  }

  @_noLocks @_noAllocation
  private func measureAll(_ block: RenderedBlock, _ channels: Int) {
    var channel = 0
    while channel < channels {
      let level = Meter(block.planes + channel &* block.stride, count: block.count)
      peaks.raise(channel, to: level.peak)
      squares.add(channel, meanSquare: level.meanSquare, frames: block.count)
      channel &+= 1
    }
  }

  @_noLocks @_noAllocation
  private func measureTruePeaks(_ block: RenderedBlock, _ channels: Int) {
    if let fresh = meters.take() { meter.pointee = fresh }
    guard let meter = meter.pointee else { return }
    meter._withUnsafeGuaranteedRef {
      $0.measure(block.planes, stride: block.stride, channels: channels, frames: block.count)
    }
    var channel = 0
    while channel < channels {
      truePeaks.raise(channel, to: meter._withUnsafeGuaranteedRef { $0.take(channel) })
      channel &+= 1
    }
  }
}
