internal import AudioModel
internal import CoreAudioTypes
internal import Foundation
internal import Platform
internal import RenderGraph

/// The taps of a node, one for each output at most.
final class NodeTaps: Sendable {
  private final class Entry: @unchecked Sendable {
    let bus: AVAudioNodeBus
    let format: AVAudioFormat
    let frames: Int
    let block: AVAudioNodeTapBlock
    let tap: Tap
    let queue: DispatchQueue
    let state = Monitor((isRemoved: false, waiting: 0))

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

  /// Makes taps anew whose output has another format now.
  func adopt(_ format: (AVAudioNodeBus) -> AVAudioFormat) {
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
  var all: [Tap] { entries.withLock { $0.map(\.tap) } }

  /// Hands out what was heard.
  /// - Returns: Whether there is a tap.
  func pump() -> Bool {
    let present = entries.withLock { $0 }
    for entry in present {
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
    return !present.isEmpty
  }

  /// Waits until all blocks that were given a buffer have returned.
  func drain() { for entry in entries.withLock({ $0 }) { entry.queue.sync {} } }

  /// A buffer on its way to the one who gets it for good.
  private struct Parcel: @unchecked Sendable { let buffer: AVAudioPCMBuffer }
}
