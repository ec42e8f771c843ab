import MartletTestSupport
import Testing

/// A format that tests make by another program: how, and what to expect.
struct MadeFormat: CustomTestStringConvertible, Sendable {
  enum Kind {
    case lossless, lossy
    /// Lossy, with noise by a generator that is not wound back by a seek.
    case noisy
  }

  var name: String
  var tool: String
  /// `IN` and `OUT` stand for the files.
  var arguments: [String]
  var file: String
  var kind: Kind
  var container: String
  var codec: String
  /// Frames that come out for the frames that went in.
  var frames: @Sendable (Int) -> Int
  /// A program that decodes it independently, with `IN` and `OUT` (a WAV file).
  var decoder: (tool: String, arguments: [String])?
  var decoderFrames: @Sendable (Int64) -> Int64 = { $0 }

  var testDescription: String { name }
  /// Without its end nothing can be played of it.
  var hasIndexAtEnd: Bool {
    (container == "mp4" && !file.hasPrefix("fr")) || (container == "caf" && codec != "pcm")
  }
  var isInstalled: Bool { ToolBox.has(tool) && decoder.map { ToolBox.has($0.tool) } != false }

  func make(_ input: String, _ folder: TestFolder) -> String {
    let output = folder(file)
    run(tool, arguments, input, output)
    return output
  }

  func decode(_ input: String, _ folder: TestFolder) -> String? {
    guard let decoder else { return nil }
    let output = folder("decoded-\(tool).wav")
    run(decoder.tool, decoder.arguments, input, output)
    return output
  }

  private func run(_ tool: String, _ arguments: [String], _ input: String, _ output: String) {
    let filled = arguments.map { $0 == "IN" ? input : $0 == "OUT" ? output : $0 }
    precondition(ToolBox.run(tool, filled).status == 0, "\(tool) failed")
  }
}

extension MadeFormat {
  private static let quiet = ["-v", "error", "-nostdin", "-y", "-i", "IN"]
  private static let ffmpegDecoder = (tool: "ffmpeg", arguments: quiet + ["-f", "wav", "-c:a", "pcm_s16le", "OUT"])

  static let all: [MadeFormat] = [
    .init(
      name: "FLAC", tool: "flac", arguments: ["-s", "-f", "IN", "-o", "OUT"], file: "a.flac", kind: .lossless,
      container: "flac", codec: "flac", frames: { $0 },
      decoder: ("flac", ["-s", "-d", "-f", "IN", "-o", "OUT"])),
    .init(
      name: "FLAC without seek table, length unknown", tool: "sh",
      arguments: ["-c", "flac -s -c --no-seektable - <\"$0\" | cat >\"$1\"", "IN", "OUT"], file: "b.flac",
      kind: .lossless,
      container: "flac", codec: "flac", frames: { $0 }, decoder: ("flac", ["-s", "-d", "-f", "IN", "-o", "OUT"])),
    .init(
      name: "FLAC in Ogg", tool: "flac", arguments: ["-s", "-f", "--ogg", "IN", "-o", "OUT"], file: "a.oga",
      kind: .lossless, container: "ogg", codec: "flac", frames: { $0 },
      decoder: ("flac", ["-s", "-d", "-f", "--ogg", "IN", "-o", "OUT"])),
    .init(
      name: "ALAC", tool: "ffmpeg", arguments: quiet + ["-c:a", "alac", "OUT"], file: "alac.m4a", kind: .lossless,
      container: "mp4", codec: "alac", frames: { $0 }, decoder: ffmpegDecoder),
    .init(
      name: "AIFF", tool: "ffmpeg", arguments: quiet + ["OUT"], file: "a.aiff", kind: .lossless, container: "aiff",
      codec: "pcm", frames: { $0 }, decoder: ffmpegDecoder),
    .init(
      name: "CAF", tool: "ffmpeg", arguments: quiet + ["OUT"], file: "a.caf", kind: .lossless, container: "caf",
      codec: "pcm", frames: { $0 }, decoder: ffmpegDecoder),
    .init(
      name: "AIFF-C, little endian", tool: "ffmpeg", arguments: quiet + ["-c:a", "pcm_s16le", "OUT"],
      file: "sowt.aiff",
      kind: .lossless, container: "aiff", codec: "pcm", frames: { $0 }, decoder: ffmpegDecoder),
    .init(
      name: "ADPCM in AIFF-C", tool: "ffmpeg", arguments: quiet + ["-c:a", "adpcm_ima_qt", "OUT"], file: "ima.aiff",
      // Its blocks say the upper 9 bits of where they begin; the lower ones come from the block before.
      kind: .noisy, container: "aiff", codec: "adpcm_ima_qt", frames: { ($0 + 63) / 64 * 64 }, decoder: ffmpegDecoder),
    .init(
      name: "ALAC in CAF", tool: "ffmpeg", arguments: quiet + ["-c:a", "alac", "OUT"], file: "alac.caf",
      kind: .lossless, container: "caf", codec: "alac", frames: { $0 }, decoder: ffmpegDecoder),
    .init(
      name: "FLAC in CAF", tool: "ffmpeg", arguments: quiet + ["-c:a", "flac", "OUT"], file: "flac.caf",
      kind: .lossless, container: "caf", codec: "flac", frames: { $0 }, decoder: ffmpegDecoder),
    .init(
      name: "MP3 in CAF", tool: "ffmpeg", arguments: quiet + ["-c:a", "libmp3lame", "OUT"], file: "mp3.caf",
      kind: .lossy, container: "caf", codec: "mp3", frames: { _ in 0 }, decoder: ffmpegDecoder),
    .init(
      name: "IMA ADPCM in WAV", tool: "sox", arguments: ["IN", "-e", "ima-adpcm", "OUT"], file: "ima.wav",
      kind: .lossy,
      container: "wav", codec: "adpcm_ima_wav", frames: { $0 }, decoder: nil),
    .init(
      name: "MS ADPCM in WAV", tool: "sox", arguments: ["IN", "-e", "ms-adpcm", "OUT"], file: "ms.wav", kind: .lossy,
      container: "wav", codec: "adpcm_ms", frames: { $0 }, decoder: nil),
    .init(
      name: "MP3 in WAV", tool: "ffmpeg", arguments: quiet + ["-c:a", "libmp3lame", "OUT"], file: "mp3.wav",
      kind: .lossy, container: "wav", codec: "mp3", frames: { _ in 0 }, decoder: ffmpegDecoder),
    .init(
      name: "E-AC-3", tool: "ffmpeg", arguments: quiet + ["OUT"], file: "a.eac3", kind: .noisy, container: "eac3",
      codec: "eac3", frames: { _ in 0 }, decoder: ffmpegDecoder),
    .init(
      name: "WavPack", tool: "ffmpeg", arguments: quiet + ["OUT"], file: "a.wv", kind: .lossless,
      container: "wavpack", codec: "wavpack", frames: { $0 }, decoder: ffmpegDecoder),
    .init(
      name: "TTA", tool: "ffmpeg", arguments: quiet + ["OUT"], file: "a.tta", kind: .lossless, container: "tta",
      codec: "tta", frames: { $0 }, decoder: ffmpegDecoder),
    .init(
      name: "FLAC in Matroska", tool: "ffmpeg", arguments: quiet + ["-c:a", "flac", "OUT"], file: "a.mka",
      kind: .lossless, container: "matroska", codec: "flac", frames: { $0 }, decoder: ffmpegDecoder),
    .init(
      name: "AAC in MP4", tool: "ffmpeg", arguments: quiet + ["-c:a", "aac", "-aac_pns", "0", "OUT"], file: "a.m4a",
      kind: .lossy, container: "mp4", codec: "aac", frames: { $0 }, decoder: nil),
    .init(
      name: "AAC in MP4, header in front", tool: "ffmpeg",
      arguments: quiet + ["-c:a", "aac", "-aac_pns", "0", "-movflags", "+faststart", "OUT"], file: "front.m4a",
      kind: .lossy, container: "mp4", codec: "aac", frames: { $0 }, decoder: nil),
    .init(
      name: "AAC in fragments", tool: "ffmpeg",
      arguments: quiet + [
        "-c:a", "aac", "-aac_pns", "0", "-movflags", "frag_keyframe+empty_moov+default_base_moof", "-frag_duration",
        "500000", "OUT",
      ],
      file: "fragments.mp4", kind: .lossy, container: "mp4", codec: "aac",
      frames: { ($0 + 1_023) / 1_024 * 1_024 + 1_024 }, decoder: ffmpegDecoder),
    .init(
      name: "ALAC in QuickTime", tool: "ffmpeg", arguments: quiet + ["-c:a", "alac", "OUT"], file: "alac.mov",
      kind: .lossless, container: "mp4", codec: "alac", frames: { $0 }, decoder: ffmpegDecoder),
    .init(
      name: "PCM in QuickTime", tool: "ffmpeg", arguments: quiet + ["-c:a", "pcm_s16be", "OUT"], file: "twos.mov",
      kind: .lossless, container: "mp4", codec: "pcm", frames: { $0 }, decoder: ffmpegDecoder),
    .init(
      name: "PCM in fragments", tool: "ffmpeg",
      arguments: quiet + [
        "-c:a", "pcm_s16le", "-movflags", "frag_keyframe+empty_moov", "-frag_duration", "500000", "OUT",
      ],
      file: "fragments.mov", kind: .lossless, container: "mp4", codec: "pcm", frames: { $0 }, decoder: ffmpegDecoder),
    .init(
      name: "FLAC in MP4", tool: "ffmpeg", arguments: quiet + ["-c:a", "flac", "-strict", "-2", "OUT"],
      file: "flac.mp4", kind: .lossless, container: "mp4", codec: "flac", frames: { $0 }, decoder: ffmpegDecoder),
    .init(
      name: "Opus in MP4", tool: "ffmpeg", arguments: quiet + ["-ar", "48000", "-c:a", "libopus", "OUT"],
      file: "opus.mp4", kind: .lossy, container: "mp4", codec: "opus",
      frames: { ($0 * 48_000 + 44_099) / 44_100 }, decoder: nil),
    .init(
      name: "MP3 in MP4", tool: "ffmpeg", arguments: quiet + ["-c:a", "libmp3lame", "OUT"], file: "mp3.mp4",
      kind: .lossy, container: "mp4", codec: "mp3", frames: { $0 }, decoder: nil),
    .init(
      name: "AC-3 in MP4", tool: "ffmpeg", arguments: quiet + ["-c:a", "ac3", "OUT"], file: "ac3.mp4", kind: .noisy,
      container: "mp4", codec: "ac3", frames: { _ in 0 }, decoder: ffmpegDecoder),
    .init(
      name: "AAC in ADTS", tool: "ffmpeg", arguments: quiet + ["-c:a", "aac", "-aac_pns", "0", "OUT"], file: "a.aac",
      kind: .lossy, container: "adts", codec: "aac", frames: { ($0 + 1_023) / 1_024 * 1_024 + 1_024 },
      // faad gives nothing for the first frame, which has half of its overlap only.
      decoder: ("faad", ["-q", "-o", "OUT", "IN"]), decoderFrames: { $0 + 1_024 }),
    .init(
      name: "AAC in LATM", tool: "ffmpeg", arguments: quiet + ["-c:a", "aac", "-aac_pns", "0", "-f", "latm", "OUT"],
      file: "a.latm", kind: .lossy, container: "latm", codec: "aac", frames: { ($0 + 1_023) / 1_024 * 1_024 + 1_024 },
      decoder: ffmpegDecoder),
    .init(
      name: "Vorbis", tool: "oggenc", arguments: ["-Q", "IN", "-o", "OUT"], file: "a.ogg", kind: .lossy,
      container: "ogg", codec: "vorbis", frames: { $0 }, decoder: ("oggdec", ["-Q", "-o", "OUT", "IN"])),
    .init(
      name: "Opus", tool: "opusenc", arguments: ["--quiet", "IN", "OUT"], file: "a.opus", kind: .lossy,
      container: "ogg", codec: "opus", frames: { ($0 * 48_000 + 44_099) / 44_100 },
      decoder: ("opusdec", ["--quiet", "--rate", "48000", "IN", "OUT"])),
    .init(
      name: "Opus in WebM", tool: "ffmpeg", arguments: quiet + ["-ar", "48000", "-c:a", "libopus", "OUT"],
      file: "opus.webm", kind: .lossy, container: "webm", codec: "opus",
      frames: { ($0 * 48_000 + 44_099) / 44_100 }, decoder: nil),
    .init(
      name: "Vorbis in WebM", tool: "ffmpeg", arguments: quiet + ["-c:a", "libvorbis", "OUT"], file: "vorbis.webm",
      kind: .lossy, container: "webm", codec: "vorbis", frames: { _ in 0 }, decoder: ffmpegDecoder),
    .init(
      name: "AC-3", tool: "ffmpeg", arguments: quiet + ["OUT"], file: "a.ac3", kind: .noisy, container: "ac3",
      codec: "ac3", frames: { _ in 0 }, decoder: ffmpegDecoder),
    .init(
      name: "MP3", tool: "lame", arguments: ["--quiet", "IN", "OUT"], file: "a.mp3", kind: .lossy, container: "mp3",
      codec: "mp3", frames: { $0 }, decoder: ("mpg123", ["-q", "-w", "OUT", "IN"])),
  ]

  static let installed = all.filter(\.isInstalled)
  static let missing = all.filter { !$0.isInstalled }.map { "\($0.name) (\($0.tool))" }
}
