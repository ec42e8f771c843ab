import AudioModel

/// Writes WAV: PCM behind a header of a fixed length that becomes RF64 beyond 4 GiB, and a `LIST` chunk of texts behind it.
/// What can't be replaced gets a header that leaves the length open, and no texts.
struct WAVWriter: ContainerWriter {
  private let header: WAVHeader
  private let texts: [UInt8]

  init(_ stream: WrittenStream) throws(AudioError) {
    guard stream.codec == .pcm, let coding = stream.sampleCoding, let sample = WAVHeader.Sample(coding) else {
      throw AudioError(.encodingUnsupported, "WAV can't hold samples of this kind")
    }
    header = WAVHeader(format: stream.format, sample: sample)
    texts = RIFFInfo.chunk(stream.tags)
  }

  func begin(_ output: any ContainerOutput) throws(AudioError) { try output.append(header.bytes(frames: nil)) }

  func write(_ packet: UnsafeRawBufferPointer, frames: Int, to output: any ContainerOutput) throws(AudioError) {
    try output.append(packet)
  }

  func finish(_ ending: StreamEnding, to output: any ContainerOutput) throws(AudioError) {
    if ending.frames * Int64(header.frameBytes) & 1 == 1 { try output.append([0]) }
    guard output.isReplaceable else { return }
    try output.append(texts)
    try output.replace(at: 0, with: header.bytes(frames: ending.frames, trailing: texts.count))
  }
}
