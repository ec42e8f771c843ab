public import CoreAudioTypes
public import Foundation

/// Sound in memory: ``AVAudioPCMBuffer`` or ``AVAudioCompressedBuffer``.
///
/// A buffer belongs to one thread at a time.
open class AVAudioBuffer: NSObject {
  /// The format of the contents.
  public let format: AVAudioFormat

  // Two lists of the same memory: one says how much is filled, the other how much fits.
  let filledList: UnsafeMutableAudioBufferListPointer
  let wholeList: UnsafeMutableAudioBufferListPointer

  init(format: AVAudioFormat, buffers: Int) {
    self.format = format
    filledList = AudioBufferList.allocate(maximumBuffers: buffers)
    wholeList = AudioBufferList.allocate(maximumBuffers: buffers)
  }

  deinit {
    free(filledList.unsafeMutablePointer)
    free(wholeList.unsafeMutablePointer)
  }

  /// The buffers, whose `mDataByteSize` says how much is filled. Valid as long as the object; not to be changed, but
  /// what `mData` points to may be.
  public var audioBufferList: UnsafePointer<AudioBufferList> { filledList.unsafePointer }

  /// The buffers for a function that fills them: their `mDataByteSize`, set anew by every call, says how much fits.
  /// The caller then tells the object how much was filled. Valid as long as the object.
  public var mutableAudioBufferList: UnsafeMutablePointer<AudioBufferList> {
    for index in wholeList.indices { wholeList[index].mDataByteSize = bytesThatFit }
    return wholeList.unsafeMutablePointer
  }

  /// Bytes that fit into each of the buffers.
  var bytesThatFit: UInt32 { 0 }

  /// A buffer of its own with the same contents.
  func duplicate() -> AVAudioBuffer { fatalError("AVAudioBuffer: a buffer is PCM or compressed") }

  func set(_ index: Int, memory: UnsafeMutableRawPointer?, channels: UInt32) {
    let buffer = AudioBuffer(mNumberChannels: channels, mDataByteSize: 0, mData: memory)
    filledList[index] = buffer
    wholeList[index] = buffer
  }

  func setFilled(_ bytes: UInt32) {
    for index in filledList.indices { filledList[index].mDataByteSize = bytes }
  }
}

extension AVAudioBuffer: NSCopying, NSMutableCopying {
  /// A buffer of its own with the same contents.
  public func copy(with zone: NSZone? = nil) -> Any { duplicate() }
  /// A buffer of its own with the same contents.
  public func mutableCopy(with zone: NSZone? = nil) -> Any { duplicate() }
}
