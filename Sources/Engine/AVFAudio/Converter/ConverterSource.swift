internal import AudioModel
internal import Codecs
internal import Containers
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
  private var hasDecoded = false
  /// What packets decode to beyond the sound: how many frames are still to be left out in front, and how many behind.
  private var leading: Int
  private let trailing: Int
  /// Frames that may turn out to be the last.
  private let held: PCMBlock
  /// Most frames of silence that stand in for a damaged packet, whatever its description says: the longest packets that
  /// there are (FLAC) have as many.
  private static let silenceLimit = 65_536

  /// - Parameters:
  ///   - cookie: What the decoder must know.
  ///   - priming: Frames that packets decode to in front of the sound and behind it.
  /// - Throws: 4xxx where there is no decoder.
  init(_ input: AVAudioFormat, cookie: Data?, priming: AVAudioConverterPrimeInfo) throws(AudioError) {
    self.input = input
    (leading, trailing) = (Int(priming.leadingFrames), Int(priming.trailingFrames))
    held = PCMBlock(channels: input.pcmFormat.channels, capacity: 1)
    format = input.pcmFormat
    guard !input.isLinearPCM else { return }
    guard let codec = ConverterCodecs.codec(input) else {
      throw AudioError(.unsupportedCodec, "There is no decoder for \(input)")
    }
    var facts = StreamFacts(container: "packets", codec: codec, format: format)
    facts.decoderConfiguration = cookie.map { CAFCookie.configuration(Array($0), of: codec) } ?? []
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
      let before = block.frameCount
      try decode(packets, into: block)
      trim(block, from: before)
    }
  }

  /// Leaves out what is no sound of what was appended to a block.
  private func trim(_ block: PCMBlock, from start: Int) {
    guard leading > 0 || trailing > 0 else { return }
    held.append(block, from: start, count: block.frameCount - start)
    block.truncate(to: start)
    let silent = min(leading, held.frameCount)
    leading -= silent
    held.removeFirst(silent)
    let count = max(0, held.frameCount - trailing)
    block.append(held, count: count)
    held.removeFirst(count)
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
          // Only at the start: HE-AAC says twice the rate that its packets have.
          guard !hasDecoded || decoder.format == format else {
            throw AudioError(.decoderFailed, "The packets change their rate on the way")
          }
          format = decoder.format
          _ = try decoder.decode(bytes, packet: packet, into: block)
        }
        hasDecoded = true
      } catch {
        guard error.code == .damagedPacket else { throw error }
        // Its sound is lost, its time is not.
        block.appendSilence(min(frames, Self.silenceLimit))
      }
      frame += Int64(block.frameCount - before)
      start += size
    }
  }

  /// Appends what a decoder still holds.
  func finish(into block: PCMBlock) throws(AudioError) {
    let before = block.frameCount
    try decoder?.finish(into: block)
    trim(block, from: before)
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

/// Core Audio's codes for failures of conversions.
enum ConverterFailure {
  static func make(_ error: AudioError) -> NSError {
    let code =
      switch error.code {
      case .unsupportedCodec, .decoderUnavailable, .encoderUnavailable, .encodingUnsupported:
        kAudioConverterErr_FormatNotSupported
      case .damagedPacket: kAudioConverterErr_InvalidInputSize
      case .limitReached: kAudioConverterErr_InvalidOutputSize
      default: kAudioConverterErr_UnspecifiedError
      }
    return EngineError.make(code, error.message, underlying: error)
  }
}
