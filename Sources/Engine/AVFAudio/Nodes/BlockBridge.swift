internal import Foundation
internal import CoreAudioTypes
internal import RenderGraph

/// The engine's planes as the list that a block of Apple's interface takes. Runs in render calls; all memory is taken at
/// the start.
final class BlockBridge: @unchecked Sendable {
  private static let mostChannels = 64
  private static let stagingFrames: AVAudioFrameCount = 4096
  private let list = AudioBufferList.allocate(maximumBuffers: BlockBridge.mostChannels)
  /// Where the block writes, if its format is not the engine's.
  private let staging: AVAudioPCMBuffer?

  /// - Parameter format: What the block is asked for; `nil` for the engine's own form.
  init(format: AVAudioFormat?) {
    staging = format.flatMap {
      $0.isStandard ? nil : AVAudioPCMBuffer(pcmFormat: $0, frameCapacity: BlockBridge.stagingFrames)
    }
  }

  deinit { free(list.unsafeMutablePointer) }

  typealias Body = (
    UnsafePointer<AudioTimeStamp>, AVAudioFrameCount, UnsafeMutablePointer<AudioBufferList>
  ) -> Bool

  /// Calls the block for frames.
  /// - Returns: Whether there is sound.
  func render(_ call: BlockCall, _ body: Body) -> Bool {
    guard let staging else { return direct(call, body) }
    var done = 0
    var isSound = false
    while done < call.frames {
      let part = min(call.frames - done, Int(BlockBridge.stagingFrames))
      staging.frameLength = AVAudioFrameCount(part)
      var time = stamp(call, offset: done)
      let lists = staging.mutableAudioBufferList
      for index in UnsafeMutableAudioBufferListPointer(lists).indices {
        UnsafeMutableAudioBufferListPointer(lists)[index].mDataByteSize =
          UInt32(part) * staging.format.streamDescription.pointee.mBytesPerFrame
      }
      let isPartSound = body(&time, AVAudioFrameCount(part), lists)
      isSound = isSound || isPartSound
      if isPartSound {
        staging.load { call.planes + $0 * call.stride + done }
      } else {
        for channel in 0..<call.channels {
          (call.planes + channel * call.stride + done).update(repeating: 0, count: part)
        }
      }
      done += part
    }
    return isSound
  }

  private func direct(_ call: BlockCall, _ body: Body) -> Bool {
    var time = stamp(call, offset: 0)
    let buffers = list.unsafeMutablePointer
    buffers.pointee.mNumberBuffers = UInt32(min(call.channels, BlockBridge.mostChannels))
    let view = UnsafeMutableAudioBufferListPointer(buffers)
    for channel in 0..<view.count {
      view[channel] = AudioBuffer(
        mNumberChannels: 1, mDataByteSize: UInt32(call.frames * MemoryLayout<Float>.size),
        mData: UnsafeMutableRawPointer(call.planes + channel * call.stride))
    }
    return body(&time, AVAudioFrameCount(call.frames), buffers)
  }

  private func stamp(_ call: BlockCall, offset: Int) -> AudioTimeStamp {
    var stamp = AudioTimeStamp()
    stamp.mSampleTime = Double(call.sampleTime + Int64(offset))
    stamp.mHostTime = call.hostTime
    stamp.mFlags = call.hostTime == 0 ? .sampleTimeValid : .sampleHostTimeValid
    return stamp
  }
}
