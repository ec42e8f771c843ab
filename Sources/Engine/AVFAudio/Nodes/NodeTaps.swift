internal import AudioModel
internal import CoreAudioTypes
internal import Foundation
internal import Platform
internal import RenderGraph

/// The taps of a node, one for each output at most, and its meters.
final class NodeTaps: Sendable {
  private final class Entry: @unchecked Sendable {
    let bus: AVAudioNodeBus
    let format: AVAudioFormat
    let frames: Int
    let block: AVAudioNodeTapBlock
    let tap: Tap
    let queue: DispatchQueue
    let state = Monitor((isRemoved: false, waiting: 0))
    /// Held by whoever takes blocks: the control thread, or one that commands while nothing renders.
    let taking = NSLock()

    init(_ bus: AVAudioNodeBus, _ format: AVAudioFormat, _ frames: Int, _ block: @escaping AVAudioNodeTapBlock) {
      self.bus = bus
      self.format = format
      self.frames = frames
      self.block = block
      // A second at least: more than any look at it is late.
      let capacity = max(4 * frames, Int(format.sampleRate))
      tap = Tap(format: format.pcmFormat, blockFrames: frames, capacity: capacity)
      queue = DispatchQueue(label: "martlet.tap")
    }
  }

  /// Buffers that wait for a block that is slow; more are dropped.
  private static let limit = 32
  private let entries = Monitor<[Entry]>([])
  private let meters = Monitor<[MeterEntry]>([])

  /// A meter's tap. What it hears is measured where taps are looked at, in the order of the sound.
  private final class MeterEntry: @unchecked Sendable {
    let bus: AVAudioNodeBus
    let format: AVAudioFormat
    let gauge: LevelGauge
    let tap: Tap
    let taking = NSLock()

    init(_ bus: AVAudioNodeBus, _ format: AVAudioFormat, _ gauge: LevelGauge) {
      self.bus = bus
      self.format = format
      self.gauge = gauge
      gauge.adopt(format.pcmFormat)
      let frames = max(1, Int(format.sampleRate) / 100)
      tap = Tap(format: format.pcmFormat, blockFrames: frames, capacity: max(4096, Int(format.sampleRate)))
    }
  }

  /// Adds a tap.
  /// - Returns: Whether there was none.
  func install(_ bus: AVAudioNodeBus, format: AVAudioFormat, frames: Int, block: @escaping AVAudioNodeTapBlock)
    -> Bool
  {
    entries.withLock { entries in
      guard !entries.contains(where: { $0.bus == bus }) else { return false }
      entries.append(Entry(bus, format, frames, block))
      return true
    }
  }

  /// Ends a tap.
  /// - Returns: Whether there was one.
  func remove(_ bus: AVAudioNodeBus) -> Bool {
    let entry = entries.withLock { entries -> Entry? in
      guard let index = entries.firstIndex(where: { $0.bus == bus }) else { return nil }
      return entries.remove(at: index)
    }
    entry?.state.withLock { $0.isRemoved = true }
    return entry != nil
  }

  /// Adds a meter.
  func install(_ gauge: LevelGauge, bus: AVAudioNodeBus, format: AVAudioFormat) {
    let entry = MeterEntry(bus, format, gauge)
    meters.withLock { $0.append(entry) }
  }

  /// Takes a meter away.
  /// - Returns: Whether it was there.
  func remove(_ gauge: LevelGauge) -> Bool {
    meters.withLock { meters in
      let count = meters.count
      meters.removeAll { $0.gauge === gauge }
      return meters.count < count
    }
  }

  /// Makes taps anew whose output has another format now.
  func adopt(_ format: (AVAudioNodeBus) -> AVAudioFormat) {
    meters.withLock { meters in
      for (index, meter) in meters.enumerated() {
        let fresh = format(meter.bus)
        if fresh != meter.format { meters[index] = MeterEntry(meter.bus, fresh, meter.gauge) }
      }
    }
    let buses = entries.withLock { $0.map { ($0.bus, $0.format) } }
    for (bus, old) in buses {
      let fresh = format(bus)
      guard fresh != old else { continue }
      entries.withLock { entries in
        guard let index = entries.firstIndex(where: { $0.bus == bus }) else { return }
        let entry = entries[index]
        entry.state.withLock { $0.isRemoved = true }
        entries[index] = Entry(bus, fresh, entry.frames, entry.block)
      }
    }
  }

  /// What the graph is to know of them.
  var all: [Tap] { entries.withLock { $0.map(\.tap) } + meters.withLock { $0.map(\.tap) } }

  /// Hands out what was heard.
  /// - Returns: Whether there is a tap.
  func pump() -> Bool {
    let present = entries.withLock { $0 }
    for entry in present { entry.taking.withLock { hand(out: entry) } }
    let measured = meters.withLock { $0 }
    for meter in measured {
      meter.taking.withLock { meter.tap.take { block, _, _ in meter.gauge.measure(block) } }
    }
    return !present.isEmpty || !measured.isEmpty
  }

  private func hand(out entry: Entry) {
    entry.tap.take { block, sampleTime, hostTime in
      let isAccepted = entry.state.withLock { state -> Bool in
        guard !state.isRemoved, state.waiting < Self.limit else { return false }
        state.waiting += 1
        return true
      }
      guard isAccepted, let buffer = AVAudioPCMBuffer(copying: block, format: entry.format) else { return }
      let rate = entry.format.sampleRate
      let time =
        hostTime == 0
        ? AVAudioTime(sampleTime: sampleTime, atRate: rate)
        : AVAudioTime(hostTime: hostTime, sampleTime: sampleTime, atRate: rate)
      let parcel = Parcel(buffer: buffer)
      entry.queue.async {
        if !entry.state.withLock({ $0.isRemoved }) { entry.block(parcel.buffer, time) }
        entry.state.withLock { $0.waiting -= 1 }
      }
    }
  }

  /// Waits until all blocks that were given a buffer have returned.
  func drain() { for entry in entries.withLock({ $0 }) { entry.queue.sync {} } }

  /// A buffer on its way to the one who gets it for good.
  private struct Parcel: @unchecked Sendable { let buffer: AVAudioPCMBuffer }
}
