public import CCoreAudio
internal import Glibc

extension AudioBufferList {
  /// Bytes of a list of `maximumBuffers` buffers.
  /// - Parameter maximumBuffers: At least 1.
  public static func sizeInBytes(maximumBuffers: Int) -> Int {
    precondition(maximumBuffers >= 1, "AudioBufferList: a list has at least 1 buffer, not \(maximumBuffers)")
    return MemoryLayout<AudioBufferList>.size + (maximumBuffers - 1) * MemoryLayout<AudioBuffer>.stride
  }

  /// Allocates a list whose buffers are all zero: `mNumberBuffers` is `maximumBuffers`, `mData` of each is nil.
  ///
  /// The caller frees it by `free(list.unsafeMutablePointer)` or `list.unsafeMutablePointer.deallocate()`.
  /// - Parameter maximumBuffers: At least 1.
  public static func allocate(maximumBuffers: Int) -> UnsafeMutableAudioBufferListPointer {
    let size = sizeInBytes(maximumBuffers: maximumBuffers)
    guard let memory = calloc(1, size) else { preconditionFailure("AudioBufferList: no memory for \(size) bytes") }
    let list = UnsafeMutableAudioBufferListPointer(
      memory.bindMemory(to: AudioBufferList.self, capacity: 1))
    list.count = maximumBuffers
    return list
  }
}

/// A pointer to an `AudioBufferList`, as a collection of its buffers.
///
/// The memory belongs to whoever allocated it.
public struct UnsafeMutableAudioBufferListPointer {
  /// The list.
  public var unsafeMutablePointer: UnsafeMutablePointer<AudioBufferList>

  /// A pointer to a list.
  public init(_ p: UnsafeMutablePointer<AudioBufferList>) { unsafeMutablePointer = p }

  /// A pointer to a list; nil where `p` is.
  public init?(_ p: UnsafeMutablePointer<AudioBufferList>?) {
    guard let p else { return nil }
    self.init(p)
  }

  /// The list.
  public var unsafePointer: UnsafePointer<AudioBufferList> { UnsafePointer(unsafeMutablePointer) }

  private var buffers: UnsafeMutablePointer<AudioBuffer> {
    let offset = MemoryLayout<AudioBufferList>.offset(of: \.mBuffers)!
    return (UnsafeMutableRawPointer(unsafeMutablePointer) + offset).assumingMemoryBound(to: AudioBuffer.self)
  }
}

extension UnsafeMutableAudioBufferListPointer: MutableCollection, RandomAccessCollection {
  /// Buffers of the list, `mNumberBuffers`.
  public var count: Int {
    get { Int(unsafeMutablePointer.pointee.mNumberBuffers) }
    nonmutating set { unsafeMutablePointer.pointee.mNumberBuffers = UInt32(newValue) }
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  /// A buffer.
  /// - Parameter index: 0 ..< `count`.
  public subscript(index: Int) -> AudioBuffer {
    get {
      precondition(index >= 0 && index < count, "AudioBufferList: buffer \(index) of \(count)")
      return buffers[index]
    }
    nonmutating set {
      precondition(index >= 0 && index < count, "AudioBufferList: buffer \(index) of \(count)")
      buffers[index] = newValue
    }
  }
}

extension AudioBuffer {
  /// A buffer around memory that stays the caller's.
  /// - Parameters:
  ///   - typedBuffer: The memory; its size becomes `mDataByteSize`.
  ///   - numberOfChannels: How many channels are interleaved in it.
  public init<Element>(_ typedBuffer: UnsafeMutableBufferPointer<Element>, numberOfChannels: Int) {
    self.init()
    mNumberChannels = UInt32(numberOfChannels)
    mDataByteSize = UInt32(typedBuffer.count * MemoryLayout<Element>.stride)
    mData = UnsafeMutableRawPointer(typedBuffer.baseAddress)
  }
}

extension UnsafeBufferPointer {
  /// The memory of a buffer: as many elements as fit into `mDataByteSize`.
  public init(_ audioBuffer: AudioBuffer) {
    let count = Int(audioBuffer.mDataByteSize) / MemoryLayout<Element>.stride
    self.init(
      start: audioBuffer.mData?.assumingMemoryBound(to: Element.self), count: audioBuffer.mData == nil ? 0 : count)
  }
}

extension UnsafeMutableBufferPointer {
  /// The memory of a buffer: as many elements as fit into `mDataByteSize`.
  public init(_ audioBuffer: AudioBuffer) {
    let count = Int(audioBuffer.mDataByteSize) / MemoryLayout<Element>.stride
    self.init(
      start: audioBuffer.mData?.assumingMemoryBound(to: Element.self), count: audioBuffer.mData == nil ? 0 : count)
  }
}
