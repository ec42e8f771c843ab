/// A word that `martlet` is called with, and all that may follow it.
package struct Subcommand: Hashable, Sendable {
  /// The word.
  package let name: String
  /// What follows, as help shows it.
  package let usage: String
  /// What it does, in a few words.
  package let summary: String
  /// What it does, in sentences.
  package let text: String
  /// What may be said.
  package let options: [Option]
  /// Options that a later version will know.
  package let laterOptions: Set<String>
  /// Lines to try, each with what it does.
  package let examples: [Example]
  /// The first operand ends the options, for what follows may begin with a dash.
  package let endsAtOperand: Bool

  /// A line to try.
  package struct Example: Hashable, Sendable {
    package let line: String
    package let effect: String
  }

  /// Makes a subcommand.
  package init(
    _ name: String, usage: String = "", _ summary: String, text: String = "", options: [Option] = [],
    laterOptions: Set<String> = [], endsAtOperand: Bool = false, examples: [(String, String)] = []
  ) {
    self.name = name
    self.usage = usage
    self.summary = summary
    self.text = text
    self.options = options + [Option("help", letter: "h", "explain this command")]
    self.laterOptions = laterOptions
    self.endsAtOperand = endsAtOperand
    self.examples = examples.map { Example(line: $0.0, effect: $0.1) }
  }
}
