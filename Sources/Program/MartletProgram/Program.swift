internal import AudioModel
internal import Commands
internal import Glibc
internal import Remote

/// The program: finds out what is asked for and does it.
package enum Program {
  /// The version of this build.
  package static let version = "0.1.0"

  /// Runs with the process's arguments and ends it.
  package static func main() -> Never {
    exit(run(CommandLine.arguments.dropFirst()).rawValue)
  }

  /// Runs.
  /// - Parameter arguments: What follows the program's name.
  /// - Returns: How to end.
  package static func run(_ arguments: some Collection<String>) -> ExitCode {
    do throws(AudioError) {
      return try perform(Array(arguments))
    } catch {
      Console.complain(error, about: nil)
      return ExitCode(error)
    }
  }

  private static func perform(_ words: [String]) throws(AudioError) -> ExitCode {
    guard let first = words.first else {
      _ = Console.write(HelpText.overview, to: STDERR_FILENO)
      return .usage
    }
    switch first {
    case "--help", "-h": return say(HelpText.overview)
    case "--version", "-V": return say("martlet \(version)\n")
    default: break
    }
    guard let row = SubcommandTable.row(first) else { throw unknown(first) }
    let arguments = try ParsedArguments(words.dropFirst(), of: row)
    if arguments.has("help") { return say(HelpText.text(row)) }
    switch row.name {
    case "play": return try PlayCommand.run(PlayOptions(arguments))
    case "demo": return try PlayCommand.run(PlayOptions(arguments, items: [Demo.item]))
    case "render": return try RenderCommand.run(RenderOptions(arguments))
    case "info": return try InfoCommand.run(arguments)
    case "devices": return try DevicesCommand.run(arguments)
    case "formats": return try FormatsCommand.run(arguments)
    case "effects": return try EffectsCommand.run(arguments)
    case "remote": return try RemoteCommand.run(arguments)
    default: return try help(arguments)
    }
  }

  private static func help(_ arguments: ParsedArguments) throws(AudioError) -> ExitCode {
    guard let name = arguments.operands.first else { return say(HelpText.overview) }
    guard let row = SubcommandTable.row(name) else { throw unknown(name) }
    return say(HelpText.text(row))
  }

  private static func say(_ text: String) -> ExitCode { Console.write(text) ? .success : .ioError }

  private static func unknown(_ word: String) -> AudioError {
    if word.hasPrefix("-") { return AudioError(.usage, "options follow a command: martlet play \(word) ...") }
    if SubcommandTable.laterNames.contains(word) { return AudioError(.usage, "\(word) is not supported yet") }
    if word.contains("/") || word.contains(".") {
      return AudioError(.usage, "unknown command \u{201C}\(word)\u{201D}; did you mean martlet play \(word)?")
    }
    let near = Suggestion.nearest(to: word, among: SubcommandTable.rows.map(\.name))
    return AudioError(
      .usage,
      "unknown command \u{201C}\(word)\u{201D}; " + (near.map { "did you mean \($0)?" } ?? "see martlet --help"))
  }
}
