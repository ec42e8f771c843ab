/// Lays out help.
package enum HelpText {
  private static let width = 80
  private static let indent = 26

  /// What the program is, with all subcommands.
  package static var overview: String {
    let commands = SubcommandTable.rows.map { entry($0.name, $0.summary) }.joined(separator: "\n")
    return """
      martlet plays audio: files, URLs, radio.

      Usage: martlet COMMAND [options] [INPUT...]

      Commands:
      \(commands)

      Options:
      \(entry("--help", "explain martlet, or the command it follows"))
      \(entry("--version", "print the version"))

      Try: martlet demo
           martlet play song.mp3
           martlet help play

      """
  }

  /// Everything about a subcommand.
  package static func text(_ row: Subcommand) -> String {
    var parts = ["Usage: martlet \(row.name)\(row.usage.isEmpty ? "" : " ")\(row.usage)"]
    // Text that is laid out already (a table) keeps its lines.
    parts.append(
      row.text.isEmpty
        ? row.summary.prefix(1).uppercased() + row.summary.dropFirst() + "."
        : row.text.split(separator: "\n", omittingEmptySubsequences: false)
          .map { $0.hasPrefix("  ") ? String($0) : wrap(String($0), to: width) }.joined(separator: "\n"))
    parts.append("Options:\n" + row.options.map { entry($0.usage, $0.summary) }.joined(separator: "\n"))
    if !row.examples.isEmpty {
      parts.append("Examples:\n" + row.examples.map { "  \($0.line)\n      \($0.effect)" }.joined(separator: "\n"))
    }
    return parts.joined(separator: "\n\n") + "\n"
  }

  /// A name and its explanation in two columns.
  package static func entry(_ name: String, _ summary: String) -> String {
    let lines = wrap(summary, to: width - indent).split(separator: "\n")
    let margin = String(repeating: " ", count: indent)
    let head = "  " + name
    let first = head.count + 2 > indent ? head + "\n" + margin : head + String(margin.dropFirst(head.count))
    return first + lines.joined(separator: "\n" + margin)
  }

  private static func wrap(_ text: String, to width: Int) -> String {
    var lines: [String] = [""]
    for word in text.split(separator: " ") {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if last.count + 1 + word.count <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines.joined(separator: "\n")
  }
}
