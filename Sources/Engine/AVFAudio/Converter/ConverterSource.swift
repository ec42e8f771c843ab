internal import AudioModel
internal import Codecs
internal import CoreAudioTypes
internal import Foundation
internal import Media

/// What a converter takes: buffers of samples, or packets that it decodes.
final class ConverterSource {
  /// Rate and channels of what comes out.
  private(set) var format: PCMFormat
  private let input: AVAudioFormat
  private var decoder: (any AudioDecoder)?
  private var frame: Int64 = 0

  /// - Throws: 4xxx where there is no decoder.
  init(_ input: AVAudioFormat, cookie: Data?) throws(AudioError) {
    self.input = input
    format = input.pcmFormat
    guard !input.isLinearPCM else { return }
    guard let codec = ConverterCodecs.codec(input) else {
      throw AudioError(.unsupportedCodec, "There is no decoder for \(input)")
    }
    var facts = StreamFacts(container: "packets", codec: codec, format: format)
    facts.decoderConfiguration = cookie.map { Array($0) } ?? []
    decoder = try DecoderTable(MediaRegistry.standard.decoders).makeDecoder(for: facts)
  }

  /// Whether it takes a buffer.
  func accepts(_ buffer: AVAudioBuffer) -> Bool {
    if buffer.format == input { return true }
    // Of compressed formats, details of the description differ from parser to parser.
    let (own, given) = (input.streamDescription.pointee, buffer.format.streamDescription.pointee)
    return !input.isLinearPCM && own.mFormatID == given.mFormatID && own.mSampleRate == given.mSampleRate
  }

  /// Appends what a buffer holds.
  func take(_ buffer: AVAudioBuffer, into block: PCMBlock) throws(AudioError) {
    if let pcm = buffer as? AVAudioPCMBuffer {
      let frames = Int(pcm.frameLength)
      block.reserve(frames)
      pcm.load { block.plane($0) + block.frameCount }
      block.advance(frames)
    } else if let packets = buffer as? AVAudioCompressedBuffer {
      try decode(packets, into: block)
    }
  }

  private func decode(_ packets: AVAudioCompressedBuffer, into block: PCMBlock) throws(AudioError) {
    guard let decoder else { return }
    let description = packets.format.streamDescription.pointee
    var start = 0
    for index in 0..<Int(packets.packetCount) {
      var size = Int(description.mBytesPerPacket)
      var frames = Int(description.mFramesPerPacket)
      if let descriptions = packets.packetDescriptions {
        start = Int(descriptions[index].mStartOffset)
        size = Int(descriptions[index].mDataByteSize)
        if descriptions[index].mVariableFramesInPacket > 0 {
          frames = Int(descriptions[index].mVariableFramesInPacket)
        }
      }
      guard start >= 0, size > 0, start <= Int(packets.byteLength), size <= Int(packets.byteLength) - start else {
        throw AudioError(.damagedPacket, "A packet's description lies outside the buffer")
      }
      let bytes = UnsafeRawBufferPointer(start: packets.data + start, count: size)
      let packet = Packet(position: 0, byteCount: size, frame: frame, frameCount: frames)
      let before = block.frameCount
      do throws(AudioError) {
        if try decoder.decode(bytes, packet: packet, into: block) == .formatChanged {
          guard decoder.format.channels == format.channels else {
            throw AudioError(.decoderFailed, "The packets have other channels than the converter's input format")
          }
          format = decoder.format
          _ = try decoder.decode(bytes, packet: packet, into: block)
        }
      } catch {
        guard error.code == .damagedPacket else { throw error }
        // Its sound is lost, its time is not.
        block.appendSilence(frames)
      }
      frame += Int64(block.frameCount - before)
      start += size
    }
  }

  /// Appends what a decoder still holds.
  func finish(into block: PCMBlock) throws(AudioError) { try decoder?.finish(into: block) }

  func reset() {
    decoder?.reset()
    frame = 0
  }
}

/// Which codecs a converter knows by the numbers of Core Audio's formats.
enum ConverterCodecs {
  static func codec(_ format: AVAudioFormat) -> Codec? {
    let id = format.streamDescription.pointee.mFormatID
    // High-efficiency AAC is AAC to its decoder.
    if id == kAudioFormatMPEG4AAC_HE || id == kAudioFormatMPEG4AAC_HE_V2 { return .aac }
    return FileFormat.known(id)
  }
}
