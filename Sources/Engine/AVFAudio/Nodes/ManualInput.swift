internal import CoreAudioTypes
internal import RenderGraph
internal import Synchronization

/// What an application's input block gives, for the render call.
final class ManualInput: @unchecked Sendable {
  let format: AVAudioFormat
  private let block: AVAudioIONodeInputBlock
  private let wasEmpty = Atomic<Bool>(false)
  private let order: [Int]
  private let kind: AVAudioCommonFormat
  private let isInterleaved: Bool

  init(format: AVAudioFormat, block: @escaping AVAudioIONodeInputBlock) {
    self.format = format
    self.block = block
    order = format.channelOrder
    kind = format.commonFormat
    isInterleaved = format.isInterleaved
  }

  /// Whether a block had nothing since this was asked last.
  func takeEmptiness() -> Bool { wasEmpty.exchange(false, ordering: .relaxed) }

  /// Runs in render calls: it copies at once, since the list may be the output's own memory.
  func fill(_ call: BlockCall) -> Bool {
    guard let list = block(AVAudioFrameCount(call.frames)) else {
      wasEmpty.store(true, ordering: .relaxed)
      return false
    }
    let buffers = UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: list))
    let channels = order.count
    for channel in 0..<min(channels, call.channels) {
      let place = order[channel]
      let buffer = isInterleaved ? buffers[0] : buffers[min(place, buffers.count - 1)]
      let step = isInterleaved ? channels : 1
      let target = call.planes + channel * call.stride
      guard let data = buffer.mData else { return false }
      let bytes = Int(buffer.mDataByteSize) / step
      let offset = isInterleaved ? place : 0
      switch kind {
      case .pcmFormatFloat32:
        copy(data.assumingMemoryBound(to: Float.self) + offset, step, bytes / 4, to: target, call.frames) { $0 }
      case .pcmFormatFloat64:
        copy(data.assumingMemoryBound(to: Double.self) + offset, step, bytes / 8, to: target, call.frames) {
          Float($0)
        }
      case .pcmFormatInt16:
        copy(data.assumingMemoryBound(to: Int16.self) + offset, step, bytes / 2, to: target, call.frames) {
          Float($0) / 0x1p15
        }
      case .pcmFormatInt32:
        copy(data.assumingMemoryBound(to: Int32.self) + offset, step, bytes / 4, to: target, call.frames) {
          Float(Double($0) / 0x1p31)
        }
      case .otherFormat: return false
      }
    }
    return true
  }

  /// Copies as many frames as there are, and silence for the rest.
  private func copy<Sample>(
    _ source: UnsafePointer<Sample>, _ step: Int, _ available: Int, to target: UnsafeMutablePointer<Float>,
    _ frames: Int, _ convert: (Sample) -> Float
  ) {
    let count = min(available, frames)
    for frame in 0..<count { target[frame] = convert(source[frame * step]) }
    for frame in count..<frames { target[frame] = 0 }
  }
}
