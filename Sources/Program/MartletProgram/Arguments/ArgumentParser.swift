package import AudioModel
internal import Commands

/// The words of a command line, sorted: what was asked for, which options with which values, which operands.
package struct ParsedArguments: Hashable, Sendable {
  /// The subcommand.
  package let subcommand: Subcommand
  /// Values by option name, in order; a switch has the empty value.
  package private(set) var values: [String: [String]] = [:]
  /// What is no option, in order.
  package private(set) var operands: [String] = []

  /// Reads what follows a subcommand. `--` ends options; long options take `--name value` or `--name=value`.
  /// - Throws: ``AudioError/Code/usage``, with a suggestion where one comes to mind.
  package init(_ words: some Sequence<String>, of subcommand: Subcommand) throws(AudioError) {
    self.subcommand = subcommand
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        return
      }
      if word.hasPrefix("--") {
        try readLong(word.dropFirst(2), &rest)
      } else if word.hasPrefix("-"), word != "-" {
        try readLetter(word, &rest)
      } else {
        operands.append(word)
        if subcommand.endsAtOperand {
          operands += rest
          return
        }
      }
    }
  }

  /// Whether an option was given.
  package func has(_ name: String) -> Bool { values[name] != nil }
  /// The last value of an option.
  package func value(_ name: String) -> String? { values[name]?.last }

  private mutating func readLong(_ text: Substring, _ rest: inout ArraySlice<String>) throws(AudioError) {
    let name = String(text.prefix { $0 != "=" })
    let attached = text.firstIndex(of: "=").map { String(text[text.index(after: $0)...]) }
    guard let option = subcommand.options.first(where: { $0.name == name }) else { throw unknown(name) }
    guard option.value != nil else {
      if attached != nil { throw AudioError(.usage, "--\(name) takes no value") }
      values[name, default: []].append("")
      return
    }
    try take(option, attached, &rest)
  }

  private mutating func readLetter(_ word: String, _ rest: inout ArraySlice<String>) throws(AudioError) {
    let letter = word.dropFirst().first
    guard let option = subcommand.options.first(where: { $0.letter == letter }) else {
      throw AudioError(.usage, "unknown option \(word)\(hint)")
    }
    let attached = word.dropFirst(2)
    guard option.value != nil else {
      guard attached.isEmpty else { throw AudioError(.usage, "unknown option \(word)\(hint)") }
      values[option.name, default: []].append("")
      return
    }
    try take(option, attached.isEmpty ? nil : String(attached), &rest)
  }

  private mutating func take(
    _ option: Option, _ attached: String?, _ rest: inout ArraySlice<String>
  ) throws(AudioError) {
    guard let value = attached ?? rest.popFirst() else {
      throw AudioError(.usage, "--\(option.name) needs a value: \(option.value ?? "")")
    }
    values[option.name, default: []].append(value)
  }

  private var hint: String { "; see martlet help \(subcommand.name)" }

  private func unknown(_ name: String) -> AudioError {
    if subcommand.laterOptions.contains(name) { return AudioError(.usage, "--\(name) is not supported yet") }
    let near = Suggestion.nearest(to: name, among: subcommand.options.map(\.name))
    return AudioError(.usage, "unknown option --\(name)" + (near.map { "; did you mean --\($0)?" } ?? hint))
  }
}
