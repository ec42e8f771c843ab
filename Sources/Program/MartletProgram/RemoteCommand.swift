internal import AudioModel
internal import Commands
internal import Glibc
internal import Remote

/// `remote`: one command to a running player.
enum RemoteCommand {
  static func run(_ arguments: ParsedArguments) throws(AudioError) -> ExitCode {
    let line = arguments.operands.joined(separator: " ")
    guard !line.contains(where: \.isNewline) || arguments.operands.first == "add" else {
      throw AudioError(.usage, "a command is one line")
    }
    guard !line.isEmpty else {
      throw AudioError(.usage, "remote needs a command, status for example; see martlet help remote")
    }
    signal(SIGPIPE, SIG_IGN)
    let client = try ControlClient(path: arguments.value("socket"))
    try client.send(request(arguments.operands))
    guard let reply = try client.nextLine() else {
      throw AudioError(.noOutput, "the player has ended without an answer")
    }
    guard Console.write(reply + "\n") else { return .ioError }
    if case .failure(let error) = Reply.outcome(of: reply) { throw error }
    guard arguments.operands.first == "events" else { return .success }
    while let event = try client.nextLine() { guard Console.write(event + "\n") else { return .ioError } }
    return .success
  }

  /// The line to send. The player may run in another folder, so that paths are made whole; a player that is newer may
  /// know more commands, so that nothing else is judged here.
  private static func request(_ words: [String]) -> String {
    guard words.first == "add", words.count > 1 else { return words.joined(separator: " ") }
    var input = words.dropFirst().joined(separator: " ")
    let isURL = input.contains("://") || input.hasPrefix("data:") || input.hasPrefix("file:")
    if !isURL, !input.hasPrefix("/"), let folder = getcwd(nil, 0) {
      input = String(cString: folder) + "/" + input
      free(folder)
    }
    return Command.add(input).description
  }
}
