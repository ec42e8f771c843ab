internal import AVFAudio
internal import Foundation
internal import Testing

/// Sound into a converter's packets, and packets into its sound.
enum Packets {
  /// One packet of an encoded sound.
  struct Piece: Equatable {
    var bytes: [UInt8]
    var frames: UInt32
  }

  /// Gives what is in a buffer, part by part, then says that it ends.
  static func feed(_ signal: AVAudioPCMBuffer, part: Int) -> AVAudioConverterInputBlock {
    var done = 0
    return { _, status in
      let count = min(part, Int(signal.frameLength) - done)
      guard count > 0, let piece = AVAudioPCMBuffer(pcmFormat: signal.format, frameCapacity: UInt32(count)) else {
        status.pointee = .endOfStream
        return nil
      }
      piece.frameLength = UInt32(count)
      for channel in 0..<Int(signal.format.channelCount) {
        piece.floatChannelData![channel].update(from: signal.floatChannelData![channel] + done, count: count)
      }
      done += count
      status.pointee = .haveData
      return piece
    }
  }

  /// All packets of a sound.
  static func encode(
    _ converter: AVAudioConverter, _ block: AVAudioConverterInputBlock, packets: UInt32 = 3
  ) throws -> [Piece] {
    let size = converter.maximumOutputPacketSize
    try #require(size > 0)
    let output = AVAudioCompressedBuffer(
      format: converter.outputFormat, packetCapacity: packets, maximumPacketSize: size)
    var pieces: [Piece] = []
    while true {
      var error: NSError?
      let status = converter.convert(to: output, error: &error, withInputFrom: block)
      #expect(error == nil)
      pieces += self.pieces(output)
      if status == .endOfStream {
        #expect(output.packetCount == 0)
        return pieces
      }
      try #require(status == .haveData && output.packetCount > 0)
    }
  }

  static func pieces(_ buffer: AVAudioCompressedBuffer) -> [Piece] {
    let usual = buffer.format.streamDescription.pointee.mFramesPerPacket
    return (0..<Int(buffer.packetCount)).map { index in
      let description = buffer.packetDescriptions![index]
      let bytes = UnsafeRawBufferPointer(
        start: buffer.data + Int(description.mStartOffset), count: Int(description.mDataByteSize))
      let variable = description.mVariableFramesInPacket
      return Piece(bytes: Array(bytes), frames: variable > 0 ? variable : usual)
    }
  }

  /// Packets in a buffer.
  static func buffer(_ format: AVAudioFormat, _ pieces: ArraySlice<Piece>) -> AVAudioCompressedBuffer {
    let buffer = AVAudioCompressedBuffer(
      format: format, packetCapacity: UInt32(pieces.count),
      maximumPacketSize: max(1, pieces.map(\.bytes.count).max() ?? 1))
    var start = 0
    for (index, piece) in pieces.enumerated() {
      piece.bytes.withUnsafeBytes { (buffer.data + start).copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
      var description = AudioStreamPacketDescription()
      description.mStartOffset = Int64(start)
      description.mDataByteSize = UInt32(piece.bytes.count)
      let usual = format.streamDescription.pointee.mFramesPerPacket
      description.mVariableFramesInPacket = piece.frames == usual ? 0 : piece.frames
      buffer.packetDescriptions![index] = description
      start += piece.bytes.count
    }
    buffer.byteLength = UInt32(start)
    buffer.packetCount = UInt32(pieces.count)
    return buffer
  }

  /// Gives packets, some at a time, then says that they end.
  static func feed(_ format: AVAudioFormat, _ pieces: [Piece], part: Int) -> AVAudioConverterInputBlock {
    var done = 0
    return { _, status in
      let next = pieces[done..<min(done + part, pieces.count)]
      done += next.count
      status.pointee = next.isEmpty ? .endOfStream : .haveData
      return next.isEmpty ? nil : buffer(format, next)
    }
  }

  /// All samples of packets.
  static func decode(
    _ converter: AVAudioConverter, _ block: AVAudioConverterInputBlock, room: UInt32 = 777
  ) throws -> [[Float]] {
    let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: room))
    var channels = [[Float]](repeating: [], count: Int(converter.outputFormat.channelCount))
    while true {
      var error: NSError?
      let status = converter.convert(to: output, error: &error, withInputFrom: block)
      #expect(error == nil)
      for channel in channels.indices { channels[channel] += ConverterTests.samples(output, channel) }
      if status == .endOfStream { return channels }
      try #require(status == .haveData)
    }
  }
}
