/// Text from outside, made fit for a terminal.
package enum PrintableText {
  /// Without what a terminal would obey or hide: control characters (ESC among them), direction overrides, invisible
  /// formatting. Line ends and tabs become blanks.
  package static func clean(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator:
        if "\n\r\t\u{2028}\u{2029}\u{85}".unicodeScalars.contains(scalar) { out.append(" ") }
      // Joiners make letters and emoji of several scalars; all other format characters are dropped.
      case .format: if scalar == "\u{200D}" || scalar == "\u{200C}" { out.append(scalar) }
      case .surrogate, .privateUse, .unassigned: out.append("\u{FFFD}")
      default: out.append(scalar)
      }
    }
    return String(out)
  }

  /// Columns that a text takes.
  package static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  /// The text, cut to at most `columns` with a mark where something is missing.
  package static func cut(_ text: String, to columns: Int, mark: String = "…") -> String {
    if width(text) <= columns { return text }
    let room = columns - width(mark)
    guard room > 0 else { return columns > 0 ? String(mark.prefix(columns)) : "" }
    var used = 0
    let kept = text.prefix {
      used += width($0)
      return used <= room
    }
    return kept + mark
  }

  /// Columns of one character: 2 for East Asian wide and emoji, 0 for what only marks its neighbour.
  private static func width(_ character: Character) -> Int {
    var columns = 0
    for scalar in character.unicodeScalars {
      if scalar == "\u{FE0F}" { return 2 }  // asks for the emoji form
      columns = max(columns, width(scalar))
    }
    return columns
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    if scalar.properties.isEmojiPresentation { return 2 }
    return wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  /// Unicode's East Asian Width W and F, by blocks.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
    0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
    0x16FE0...0x18D08, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD,
  ]
}
