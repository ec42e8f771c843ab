internal import AudioModel
internal import Codecs

/// Stands where there is no decoder, so that what the container says can be told all the same.
final class MissingDecoder: AudioDecoder {
  let format: PCMFormat
  let name = "none"
  private let failure: AudioError

  /// - Parameter failure: Why there is none; every packet meets it.
  init(_ facts: StreamFacts, failure: AudioError) {
    format = facts.format
    self.failure = failure
  }

  func decode(
    _ bytes: UnsafeRawBufferPointer, packet: Packet, into output: PCMBlock
  ) throws(AudioError) -> DecodeResult {
    throw failure
  }

  func finish(into output: PCMBlock) {}
  func reset() {}
}
