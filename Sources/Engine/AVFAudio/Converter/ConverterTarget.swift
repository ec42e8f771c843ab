internal import AudioModel
internal import Codecs
internal import CoreAudioTypes
internal import Foundation
internal import Media

/// What a converter gives: samples into a buffer, or packets that it encodes.
final class ConverterTarget {
  /// How many packets are still to be handed out.
  private var packets = EncodedPackets()
  private var handed = 0
  let encoder: (any AudioEncoder)?
  private let output: AVAudioFormat

  /// - Parameters:
  ///   - bitRate: Bits per second; 0 for the usual rate.
  ///   - hasDither: Adds noise before samples are rounded to integers.
  /// - Throws: 4xxx where there is no encoder, or it can't do what is asked for.
  init(_ output: AVAudioFormat, bitRate: Int, hasDither: Bool) throws(AudioError) {
    self.output = output
    guard !output.isLinearPCM else {
      encoder = nil
      return
    }
    guard let codec = ConverterCodecs.codec(output) else {
      throw AudioError(.encoderUnavailable, "There is no encoder for \(output)")
    }
    var settings = EncoderSettings()
    if bitRate > 0 { settings.bitRate = bitRate }
    settings.hasDither = hasDither
    settings.sampleCoding = Self.depth(output)
    encoder = try EncoderTable(MediaRegistry.standard.encoders).makeEncoder(
      codec, format: output.pcmFormat, settings: settings)
  }

  /// How deep the samples of a lossless format are, where it says so.
  private static func depth(_ output: AVAudioFormat) -> SampleCoding? {
    guard let bits = FormatSettings.sourceDepth(output.streamDescription.pointee) else { return nil }
    return SampleCoding(kind: .signed, bits: Int(bits), bytes: Int(bits + 7) / 8)
  }

  /// Encodes frames.
  func encode(_ block: PCMBlock, from start: Int, count: Int) throws(AudioError) {
    dropHanded()
    try encoder?.encode(block, from: start, count: count, into: packets)
  }

  /// Encodes the end.
  func finish() throws(AudioError) {
    dropHanded()
    try encoder?.finish(into: packets)
  }

  private func dropHanded() {
    if handed > 0, handed == packets.entries.count {
      packets.removeAll()
      handed = 0
    }
  }

  /// Hands out packets that wait, as far as they fit.
  /// - Returns: Whether the buffer is full.
  /// - Throws: Where not even one packet fits.
  func hand(to buffer: AVAudioCompressedBuffer) throws(AudioError) -> Bool {
    while handed < packets.entries.count {
      let entry = packets.entries[handed]
      guard buffer.packetCount < buffer.packetCapacity,
        Int(buffer.byteLength) + entry.range.count <= Int(buffer.byteCapacity)
      else {
        guard buffer.packetCount > 0 else {
          throw AudioError(
            .limitReached,
            "A packet of \(entry.range.count) bytes does not fit into a buffer of \(buffer.byteCapacity)")
        }
        return true
      }
      let start = Int(buffer.byteLength)
      packets.bytes.withUnsafeBytes { bytes in
        (buffer.data + start).copyMemory(
          from: bytes.baseAddress! + entry.range.lowerBound, byteCount: entry.range.count)
      }
      if let descriptions = buffer.packetDescriptions {
        var description = AudioStreamPacketDescription()
        description.mStartOffset = Int64(start)
        description.mDataByteSize = UInt32(entry.range.count)
        let usual = output.streamDescription.pointee.mFramesPerPacket
        description.mVariableFramesInPacket =
          usual == 0 || entry.frameCount != Int(usual) ? UInt32(entry.frameCount) : 0
        descriptions[Int(buffer.packetCount)] = description
      }
      buffer.byteLength += UInt32(entry.range.count)
      buffer.packetCount += 1
      handed += 1
    }
    return buffer.packetCount == buffer.packetCapacity
  }
}
