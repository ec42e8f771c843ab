public import CoreAudioTypes
internal import Foundation

/// Linear PCM in memory.
///
/// A buffer belongs to one thread at a time: not to be changed while it is scheduled.
open class AVAudioPCMBuffer: AVAudioBuffer {
  /// Frames that fit.
  public let frameCapacity: AVAudioFrameCount

  /// The distance from a channel's sample to its next one, in samples: 1, or the number of channels if interleaved.
  public var stride: Int { format.isInterleaved ? Int(format.channelCount) : 1 }

  private let storage: UnsafeMutableRawPointer?
  private let release: (() -> Void)?
  // Where each channel's first sample is, as pointers: what `floatChannelData` and the others give out.
  private let channels: UnsafeMutablePointer<UnsafeMutableRawPointer>

  /// A buffer of silence.
  /// - Parameters:
  ///   - format: Linear PCM.
  ///   - frameCapacity: Frames that fit; ``frameLength`` is 0 at first.
  /// - Returns: nil where the format is compressed, or there is no memory for so many frames.
  public init?(pcmFormat format: AVAudioFormat, frameCapacity: AVAudioFrameCount) {
    let description = format.streamDescription.pointee
    let buffers = format.isInterleaved ? 1 : Int(format.channelCount)
    let bytes = Int(frameCapacity) * Int(description.mBytesPerFrame)
    guard format.isLinearPCM, bytes <= Int(UInt32.max) else { return nil }
    // Planes start on the lines of the processor's cache.
    let plane = (bytes + 63) / 64 * 64
    guard let memory = calloc(1, max(plane * buffers, 64)) else { return nil }
    self.frameCapacity = frameCapacity
    storage = memory
    release = nil
    channels = .allocate(capacity: Int(format.channelCount))
    super.init(format: format, buffers: buffers)
    for index in 0..<buffers {
      set(index, memory: memory + index * plane, channels: format.isInterleaved ? format.channelCount : 1)
    }
    findChannels()
  }

  /// A buffer around memory that is not copied, all of it filled.
  /// - Parameters:
  ///   - format: Linear PCM.
  ///   - bufferList: One buffer if interleaved, otherwise one for each channel, all of the same size. The list itself is
  ///     copied, but handed to `deallocator` again.
  ///   - deallocator: Called once, when the object is freed.
  /// - Returns: nil where the list does not fit the format; `deallocator` is not called then.
  public init?(
    pcmFormat format: AVAudioFormat, bufferListNoCopy bufferList: UnsafePointer<AudioBufferList>,
    deallocator: ((UnsafePointer<AudioBufferList>) -> Void)? = nil
  ) {
    let list = UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: bufferList))
    let buffers = format.isInterleaved ? 1 : Int(format.channelCount)
    guard format.isLinearPCM, list.count == buffers,
      list.allSatisfy({ $0.mData != nil && $0.mDataByteSize == list[0].mDataByteSize })
    else { return nil }
    frameCapacity = list[0].mDataByteSize / format.streamDescription.pointee.mBytesPerFrame
    storage = nil
    release = deallocator.map { deallocator in { deallocator(bufferList) } }
    channels = .allocate(capacity: Int(format.channelCount))
    super.init(format: format, buffers: buffers)
    for index in 0..<buffers {
      set(index, memory: list[index].mData, channels: format.isInterleaved ? format.channelCount : 1)
    }
    findChannels()
    frameLength = frameCapacity
  }

  deinit {
    channels.deallocate()
    free(storage)
    release?()
  }

  /// Frames that are filled, 0…``frameCapacity``. Setting it sets `mDataByteSize` of the buffers in `audioBufferList`.
  public var frameLength: AVAudioFrameCount = 0 {
    didSet {
      require(
        frameLength <= frameCapacity,
        "AVAudioPCMBuffer: a frameLength of \(frameLength) exceeds the frameCapacity of \(frameCapacity)")
      setFilled(frameLength * format.streamDescription.pointee.mBytesPerFrame)
    }
  }

  /// The channels as Float32, ``stride`` samples from frame to frame; nil if the samples are something else.
  public var floatChannelData: UnsafePointer<UnsafeMutablePointer<Float>>? {
    data(.pcmFormatFloat32, as: UnsafeMutablePointer<Float>.self)
  }

  /// The channels as 16-bit integers, ``stride`` samples from frame to frame; nil if the samples are something else.
  public var int16ChannelData: UnsafePointer<UnsafeMutablePointer<Int16>>? {
    data(.pcmFormatInt16, as: UnsafeMutablePointer<Int16>.self)
  }

  /// The channels as 32-bit integers, ``stride`` samples from frame to frame; nil if the samples are something else.
  public var int32ChannelData: UnsafePointer<UnsafeMutablePointer<Int32>>? {
    data(.pcmFormatInt32, as: UnsafeMutablePointer<Int32>.self)
  }

  /// Where the first sample of a channel is.
  /// - Parameter channel: 0 ..< the number of channels.
  package func start(of channel: Int) -> UnsafeMutableRawPointer {
    precondition(channel >= 0 && channel < Int(format.channelCount))
    return channels[channel]
  }

  override var bytesThatFit: UInt32 { frameCapacity * format.streamDescription.pointee.mBytesPerFrame }

  override func duplicate() -> AVAudioBuffer {
    guard let copy = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: frameCapacity) else {
      fatalError("AVAudioPCMBuffer: no memory for a copy of \(frameCapacity) frames")
    }
    copy.frameLength = frameLength
    for (target, source) in zip(copy.filledList, filledList) {
      if let from = source.mData { target.mData?.copyMemory(from: from, byteCount: Int(source.mDataByteSize)) }
    }
    return copy
  }

  private func findChannels() {
    let sample = Int(format.streamDescription.pointee.mBytesPerFrame) / stride
    for channel in 0..<Int(format.channelCount) {
      let start = format.isInterleaved ? filledList[0].mData! + channel * sample : filledList[channel].mData!
      (channels + channel).initialize(to: start)
    }
  }

  private func data<Pointer>(_ kind: AVAudioCommonFormat, as: Pointer.Type) -> UnsafePointer<Pointer>? {
    guard format.commonFormat == kind else { return nil }
    // Typed and untyped pointers look alike in memory.
    return UnsafeRawPointer(channels).assumingMemoryBound(to: Pointer.self)
  }
}
