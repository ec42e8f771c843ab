import AudioModel
import Glibc
import Martlet
import MartletTestSupport
import Media
import Testing

/// Two halves of one recording, each in a file of its own: played one behind the other they are the recording.
@Suite struct PlayerJoinTests {
  private static let rate = 48_000
  private static let halves = [70_001, 65_003]

  struct Encoder: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var tool: String
    /// `IN` and `OUT` stand for the files.
    var arguments: [String]
    var file: String
    var isLossless = false
  }

  private static let quiet = ["-v", "error", "-nostdin", "-y", "-i", "IN"]
  private static let encoders = [
    Encoder(testDescription: "WAV", tool: "cp", arguments: ["IN", "OUT"], file: "wav", isLossless: true),
    Encoder(
      testDescription: "FLAC", tool: "flac", arguments: ["-s", "IN", "-o", "OUT"], file: "flac", isLossless: true),
    Encoder(
      testDescription: "ALAC", tool: "ffmpeg", arguments: quiet + ["-c:a", "alac", "OUT"], file: "m4a",
      isLossless: true),
    Encoder(testDescription: "MP3", tool: "lame", arguments: ["--quiet", "-b", "192", "IN", "OUT"], file: "mp3"),
    Encoder(
      testDescription: "AAC", tool: "ffmpeg", arguments: quiet + ["-c:a", "aac", "-b:a", "192k", "OUT"], file: "m4a"),
    Encoder(
      testDescription: "Opus", tool: "opusenc", arguments: ["--quiet", "--bitrate", "160", "IN", "OUT"], file: "opus"),
    Encoder(
      testDescription: "Vorbis", tool: "oggenc", arguments: ["--quiet", "-q", "6", "IN", "-o", "OUT"], file: "ogg"),
  ]

  @Test("every encoder is installed", .enabled(if: encoders.allSatisfy { ToolBox.has($0.tool) }, "not all are"))
  func allAreInstalled() {}

  @Test(arguments: encoders.filter { ToolBox.has($0.tool) }) func halvesAreTheWhole(encoder: Encoder) throws {
    let folder = ToolBox.temporaryFolder()
    defer { ToolBox.remove(folder) }
    let recording = Self.recording()
    let rig = PlayerRig()
    var start = 0
    for (index, frames) in Self.halves.enumerated() {
      let (input, output) = ("\(folder)/\(index)-in.wav", "\(folder)/\(index).\(encoder.file)")
      try Self.write(recording[start..<start + frames], to: input)
      let filled = encoder.arguments.map { $0 == "IN" ? input : $0 == "OUT" ? output : $0 }
      try #require(ToolBox.run(encoder.tool, filled).status == 0)
      rig.player.append(PlayerItem(output))
      start += frames
    }
    rig.player.play()
    rig.wait(for: .playing)
    rig.hearAll(by: 1000)
    #expect(
      rig.lines(["started", "finished"]) == [
        "started 0 gapless -", "finished 0 ended \(Self.halves[0])", "started 1 gapless true",
        "finished 1 ended \(Self.halves[1])",
      ])
    let heard = rig.heard()
    #expect(heard.count >= recording.count)
    if encoder.isLossless {
      #expect(difference(heard.prefix(recording.count).map(Self.number), recording.map(Self.number)) == nil)
    } else {
      // A frame too many or too few would make an eighth of a period of the tone.
      for part in [0..<Self.halves[0], Self.halves[0]..<recording.count] {
        let error = part.reduce(Float(0)) { $0 + abs(heard[$1] - recording[$1]) } / Float(part.count)
        #expect(error < 0.03)
      }
    }
    #expect(heard.dropFirst(recording.count).allSatisfy { $0 == 0 })
  }

  /// A tone on a grid of 16 bits.
  private static func recording() -> [Float] {
    (0..<halves.reduce(0, +)).map { index in
      (16_000 * sin(2 * Float.pi * 3_000 * Float(index % rate) / Float(rate))).rounded() / 32_768
    }
  }

  private static func number(_ sample: Float) -> Int { Int((sample * 32_768).rounded()) }

  private static func write(_ samples: ArraySlice<Float>, to path: String) throws {
    let format = PCMFormat(sampleRate: try #require(SampleRate(hertz: rate)), layout: .mono)
    let writer = try MediaFileWriter.wav(path: path, format: format, sample: .s16)
    try Array(samples).withUnsafeBufferPointer { try writer.write(interleaved: $0) }
    try writer.finish()
  }
}
