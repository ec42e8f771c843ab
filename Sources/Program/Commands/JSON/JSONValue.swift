/// A JSON value, to be written as one line. Members keep their order.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// A number; what is not finite is written as `null`, for JSON has no word for it.
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([Member])

  /// A name and its value.
  package struct Member: Hashable, Sendable {
    package var name: String
    package var value: JSONValue

    /// Makes a member.
    package init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// An integer, or `null`.
  package init(_ value: Int?) { self = value.map { .integer(Int64($0)) } ?? .null }
  /// An integer, or `null`.
  package init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
  /// A number, or `null`.
  package init(_ value: Double?) { self = value.map { .number($0) } ?? .null }
  /// A text, or `null`.
  package init(_ value: String?) { self = value.map { .string($0) } ?? .null }
  /// A truth value, or `null`.
  package init(_ value: Bool?) { self = value.map { .bool($0) } ?? .null }

  /// The members of an object; empty for other values.
  package var members: [Member] {
    if case .object(let members) = self { members } else { [] }
  }

  /// The object with more members behind its own.
  package func adding(_ more: JSONValue) -> JSONValue { .object(members + more.members) }

  /// The value in one line, without a line feed.
  package var text: String {
    var out = ""
    write(to: &out)
    return out
  }

  private func write(to out: inout String) {
    switch self {
    case .null: out += "null"
    case .bool(let value): out += value ? "true" : "false"
    case .integer(let value): out += "\(value)"
    case .number(let value): Self.write(value, to: &out)
    case .string(let value): Self.write(value, to: &out)
    case .array(let values):
      out += "["
      for (index, value) in values.enumerated() {
        if index > 0 { out += "," }
        value.write(to: &out)
      }
      out += "]"
    case .object(let members):
      out += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { out += "," }
        Self.write(member.name, to: &out)
        out += ":"
        member.value.write(to: &out)
      }
      out += "}"
    }
  }

  private static func write(_ value: Double, to out: inout String) {
    if !value.isFinite {
      out += "null"
    } else if value == value.rounded(), abs(value) < 1e15 {
      out += "\(Int64(value))"
    } else {
      out += "\(value)"
    }
  }

  private static func write(_ value: String, to out: inout String) {
    out += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\r": out += "\\r"
      case "\t": out += "\\t"
      // Beside what JSON demands: DEL and C1 controls, which a terminal would obey, and the separators that some
      // readers take for the end of a line.
      case "\u{0}"..<"\u{20}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: out.unicodeScalars.append(scalar)
      }
    }
    out += "\""
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(floatLiteral value: Double) { self = .number(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(nilLiteral: ()) { self = .null }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}
