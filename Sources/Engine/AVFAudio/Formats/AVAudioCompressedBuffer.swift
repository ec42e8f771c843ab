public import CoreAudioTypes
internal import Foundation

/// Packets of a compressed format in memory.
///
/// A buffer belongs to one thread at a time.
open class AVAudioCompressedBuffer: AVAudioBuffer {
  /// Packets that fit.
  public let packetCapacity: AVAudioPacketCount
  /// Bytes of the greatest packet.
  public let maximumPacketSize: Int
  /// Where the packets are, ``byteCapacity`` bytes. Valid as long as the object.
  public let data: UnsafeMutableRawPointer
  /// Bytes that fit.
  public let byteCapacity: UInt32

  /// Where each packet is: room for ``packetCapacity`` descriptions. nil where all packets have the same size and length.
  /// Valid as long as the object.
  public let packetDescriptions: UnsafeMutablePointer<AudioStreamPacketDescription>?

  /// An empty buffer.
  /// - Parameters:
  ///   - format: A compressed format.
  ///   - packetCapacity: Packets that fit.
  ///   - maximumPacketSize: Bytes of the greatest packet, above 0; see `AVAudioConverter.maximumOutputPacketSize`.
  public init(format: AVAudioFormat, packetCapacity: AVAudioPacketCount, maximumPacketSize: Int) {
    require(!format.isLinearPCM, "AVAudioCompressedBuffer: \(format) is not compressed: use AVAudioPCMBuffer")
    require(maximumPacketSize > 0, "AVAudioCompressedBuffer: packets of \(maximumPacketSize) bytes hold nothing")
    let (bytes, isTooMuch) = Int(packetCapacity).multipliedReportingOverflow(by: maximumPacketSize)
    guard !isTooMuch, bytes <= Int(UInt32.max), let memory = calloc(1, max(bytes, 1)) else {
      fatalError(
        "AVAudioCompressedBuffer: no memory for \(packetCapacity) packets of \(maximumPacketSize) bytes")
    }
    self.packetCapacity = packetCapacity
    self.maximumPacketSize = maximumPacketSize
    data = memory
    byteCapacity = UInt32(bytes)
    let description = format.streamDescription.pointee
    if description.mBytesPerPacket == 0 || description.mFramesPerPacket == 0 {
      let descriptions = UnsafeMutablePointer<AudioStreamPacketDescription>.allocate(
        capacity: max(Int(packetCapacity), 1))
      descriptions.initialize(repeating: AudioStreamPacketDescription(), count: max(Int(packetCapacity), 1))
      packetDescriptions = descriptions
    } else {
      packetDescriptions = nil
    }
    super.init(format: format, buffers: 1)
    set(0, memory: memory, channels: format.channelCount)
  }

  /// An empty buffer for packets of the size that the format states.
  /// - Parameters:
  ///   - format: A compressed format whose packets all have the same size (`mBytesPerPacket` is not 0).
  ///   - packetCapacity: Packets that fit.
  public convenience init(format: AVAudioFormat, packetCapacity: AVAudioPacketCount) {
    let size = format.streamDescription.pointee.mBytesPerPacket
    require(size > 0, "AVAudioCompressedBuffer: packets of \(format) differ in size: say maximumPacketSize")
    self.init(format: format, packetCapacity: packetCapacity, maximumPacketSize: Int(size))
  }

  deinit {
    packetDescriptions?.deallocate()
    free(data)
  }

  /// Packets that are there, 0…``packetCapacity``.
  public var packetCount: AVAudioPacketCount = 0 {
    didSet {
      require(
        packetCount <= packetCapacity,
        "AVAudioCompressedBuffer: a packetCount of \(packetCount) exceeds the packetCapacity of \(packetCapacity)")
    }
  }

  /// Bytes that are filled, 0…``byteCapacity``. Setting it sets `mDataByteSize` in `audioBufferList`.
  public var byteLength: UInt32 = 0 {
    didSet {
      require(
        byteLength <= byteCapacity,
        "AVAudioCompressedBuffer: a byteLength of \(byteLength) exceeds the byteCapacity of \(byteCapacity)")
      setFilled(byteLength)
    }
  }

  override var bytesThatFit: UInt32 { byteCapacity }

  override func duplicate() -> AVAudioBuffer {
    let copy = AVAudioCompressedBuffer(
      format: format, packetCapacity: packetCapacity, maximumPacketSize: maximumPacketSize)
    copy.byteLength = byteLength
    copy.packetCount = packetCount
    copy.data.copyMemory(from: data, byteCount: Int(byteLength))
    if let packetDescriptions {
      copy.packetDescriptions?.update(from: packetDescriptions, count: Int(packetCount))
    }
    return copy
  }
}
