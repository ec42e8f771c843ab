internal import AudioModel
internal import Codecs
internal import Commands
internal import Media

/// `formats`: the table of what this build plays.
enum FormatsCommand {
  static func run(_ arguments: ParsedArguments) throws(AudioError) -> ExitCode {
    try arguments.refuseOperands()
    let formats = MediaRegistry.standard.formats
    let text =
      arguments.has("json")
      ? formats.map { json($0).text + "\n" }.joined()
      : Table.text(
        ["CONTAINER", "CODECS", "DECODER", "TIER", "EXTENSIONS", "WHY"],
        formats.map { format in
          [
            format.container, format.codecs.map(\.rawValue).joined(separator: " "), format.decoder, "\(format.tier)",
            format.extensions.joined(separator: " "), why(format),
          ]
        })
    return Console.write(text) ? .success : .ioError
  }

  private static func json(_ format: MediaFormat) -> JSONValue {
    [
      "container": .string(format.container), "extensions": .array(format.extensions.map { .string($0) }),
      "codecs": .array(format.codecs.map { .string($0.rawValue) }), "decoder": .string(format.decoder),
      "tier": .string("\(format.tier)"), "reason": .string(format.reason),
      "alternatives": .array(format.alternatives.map { .string($0) }),
    ]
  }

  /// Why this decoder, and who would be next.
  private static func why(_ format: MediaFormat) -> String {
    format.reason + (format.alternatives.isEmpty ? "" : "; else " + format.alternatives.joined(separator: ", "))
  }
}
