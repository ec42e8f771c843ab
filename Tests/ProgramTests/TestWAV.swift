import AudioModel
import Glibc

/// WAV files that the tests make.
enum TestWAV {
  /// A ramp: sample n is n mod 30 000, so that every frame says its number. 16-bit mono.
  static func bytes(frames: Int, rate: SampleRate = SampleRate(hertz: 8000)!) -> [UInt8] {
    let header = WAVHeader(format: PCMFormat(sampleRate: rate, layout: .mono), sample: .s16)
    return header.bytes(frames: Int64(frames))
      + (0..<frames).flatMap { [UInt8(truncatingIfNeeded: $0 % 30_000), UInt8(($0 % 30_000) >> 8)] }
  }

  /// The same as samples.
  static func samples(_ frames: Range<Int>) -> [Float] { frames.map { Float($0 % 30_000) / 32_768 } }

  /// Writes bytes to a file.
  static func write(_ bytes: [UInt8], to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    precondition(descriptor >= 0 && Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    close(descriptor)
  }

  /// The Float32 samples behind a header.
  static func floats(_ bytes: some Collection<UInt8>) -> [Float] {
    Array(bytes).withUnsafeBytes { raw in
      (0..<raw.count / 4).map { raw.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
    }
  }
}
