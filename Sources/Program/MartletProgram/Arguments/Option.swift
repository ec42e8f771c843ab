/// An option of the command line, as parser and help know it.
package struct Option: Hashable, Sendable {
  /// Its long name, without the dashes.
  package let name: String
  /// Its one-letter name.
  package let letter: Character?
  /// What its value is, as help shows it; `nil` for a switch.
  package let value: String?
  /// What it does.
  package let summary: String

  /// Makes an option.
  package init(_ name: String, letter: Character? = nil, value: String? = nil, _ summary: String) {
    self.name = name
    self.letter = letter
    self.value = value
    self.summary = summary
  }

  /// Both names and the value, as help shows them.
  package var usage: String {
    (letter.map { "-\($0), " } ?? "") + "--\(name)" + (value.map { " \($0)" } ?? "")
  }
}
