import AudioModel
import AudioOutput
import Glibc
import MartletTestSupport
import Testing

@Suite struct ClockedOutputTests {
  let request = OutputRequest(
    format: PCMFormat(sampleRate: .studio, layout: .stereo), latency: 0.04, maximumFrames: 700)

  @Test func nullOutputKeepsTheContract() throws {
    let contract = OutputContract(request, make: { NullOutput() })
    let violations = try contract.violations()
    #expect(violations == [])
  }

  @Test func wavOutputKeepsTheContract() throws {
    let folder = ToolBox.temporaryFolder()
    defer { ToolBox.remove(folder) }
    let path = folder + "/heard.wav"
    let contract = OutputContract(request, make: { WAVOutput(path: path) }, heard: { try samples(ofWAV: path) })
    let violations = try contract.violations()
    #expect(violations == [])
  }

  @Test func standardOutputKeepsTheContract() throws {
    let folder = ToolBox.temporaryFolder()
    defer { ToolBox.remove(folder) }
    let path = folder + "/heard.raw"
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    defer { close(descriptor) }
    let contract = OutputContract(
      request, make: { StandardOutputOutput(fileDescriptor: descriptor) },
      heard: { floats(ToolBox.contents(path)[...]) })
    let violations = try contract.violations()
    #expect(violations == [])
  }

  @Test func standardOutputLosesItsReader() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    defer { close(ends[1]) }
    let source = CountingSource(channels: 2)
    let device = StandardOutputOutput(fileDescriptor: ends[1])
    _ = try device.open(OutputRequest(format: request.format), source: source) { source.note($0) }
    try device.start()
    #expect(source.wait { $0.rendered > 0 ? true : nil } == true)
    close(ends[0])
    let error = source.wait { account -> AudioError? in
      if case .failed(let error) = account.events.last { error } else { nil }
    }
    #expect(error?.code == .outputLost)
    device.close()
    #expect(source.now.events.count == 1)
  }

  @Test func standardOutputClosesThoughTheReaderSleeps() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let source = CountingSource(channels: 2)
    let device = StandardOutputOutput(fileDescriptor: ends[1])
    _ = try device.open(OutputRequest(format: request.format), source: source) { source.note($0) }
    try device.start()
    // A pipe holds 64 KiB: 8192 frames.
    #expect(source.wait { $0.rendered > 8192 ? true : nil } == true)
    device.close()
    #expect(source.now.events == [])
  }

  @Test func aFullDiskLeavesNoHalfFile() throws {
    let source = CountingSource(channels: 2)
    let device = WAVOutput(path: "/dev/full")
    #expect(throws: AudioError.self) { try device.open(request, source: source) { source.note($0) } }
    #expect(access("/dev/full", F_OK) == 0)
  }

  @Test func aFolderIsNoWAVFile() throws {
    let folder = ToolBox.temporaryFolder()
    defer { ToolBox.remove(folder) }
    let source = CountingSource(channels: 2)
    let error = #expect(throws: AudioError.self) {
      try WAVOutput(path: folder).open(request, source: source) { source.note($0) }
    }
    #expect(error?.code == .noOutput)
    #expect(error?.message == "\(folder) can't be written: Is a directory")
  }

  @Test func closingBeforeTheStartCompletesTheFile() throws {
    let folder = ToolBox.temporaryFolder()
    defer { ToolBox.remove(folder) }
    let path = folder + "/empty.wav"
    let source = CountingSource(channels: 2)
    let device = WAVOutput(path: path)
    _ = try device.open(request, source: source) { source.note($0) }
    device.close()
    device.close()
    #expect(ToolBox.contents(path) == WAVHeader(format: request.format, sample: .f32).bytes(frames: 0))
  }

  private func samples(ofWAV path: String) throws -> [Float] {
    let bytes = ToolBox.contents(path)
    let header = WAVHeader(format: request.format, sample: .f32)
    let length = header.bytes(frames: 0).count
    let frames = (bytes.count - length) / header.frameBytes
    #expect(Array(bytes.prefix(length)) == header.bytes(frames: Int64(frames)))
    return floats(bytes[length...])
  }
}

/// Little-endian 32-bit floats.
func floats(_ bytes: ArraySlice<UInt8>) -> [Float] {
  bytes.withUnsafeBytes { buffer in
    (0..<buffer.count / 4).map { buffer.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
  }
}
