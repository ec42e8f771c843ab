internal import Terminal

/// Texts in columns.
enum Table {
  /// A text with blanks behind it; at least one.
  static func padded(_ text: String, to columns: Int) -> String {
    let clean = PrintableText.clean(text)
    return clean + String(repeating: " ", count: max(1, columns - PrintableText.width(clean)))
  }

  /// Rows under a heading, each column as wide as its widest entry.
  static func text(_ heading: [String], _ rows: [[String]]) -> String {
    let all = [heading] + rows
    let widths = heading.indices.map { column in
      all.map { PrintableText.width(PrintableText.clean($0[column])) }.max()!
    }
    return all.map { row in
      var line = zip(row, widths).map { padded($0, to: $1 + 2) }.joined()
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}
