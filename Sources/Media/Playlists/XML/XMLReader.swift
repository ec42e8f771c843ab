package import AudioModel

/// Reads XML, and what is meant to be XML, as a stream of events.
///
/// An own reader rather than a library: metafiles of radio stations and many feeds are not well-formed, and a conforming
/// parser has to stop at the first fault. This one never does, and its events always nest: what is left open is closed
/// where an outer element, or the document, ends; an end without a start is passed over; `&` and `<` that begin nothing
/// are text. There are no entities but XML's own five and numbers, and a document type is passed over unread, so that
/// nothing can grow. Every byte is looked at a fixed number of times. Namespaces are not resolved: names keep their
/// prefixes.
package struct XMLReader {
  package enum Event: Hashable {
    case start(Element)
    /// The end of the innermost element that is open; comes for empty elements too.
    case end(name: String)
    /// Characters, entities replaced; may come in several pieces.
    case text(String)
  }

  package struct Element: Hashable {
    package var name: String
    package var attributes: [Attribute] = []

    package struct Attribute: Hashable {
      package var name: String
      package var value: String
    }

    /// The name without its prefix.
    package var localName: String { name[...].split(at: ":").map { String($0.1) } ?? name }

    /// The value of the first attribute of that name.
    package subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }
  }

  /// Elements that may be open at a time.
  package static let depthLimit = 64
  /// Attributes of an element that are kept.
  package static let attributeLimit = 64
  /// Bytes of a name that are kept.
  package static let nameLimit = 256

  private let bytes: [UInt8]
  private let lowercasesNames: Bool
  private let voidElements: Set<String>
  private var at = 0
  private var open: [String] = []
  private var pendingEnds = 0

  /// Takes a document.
  /// - Parameters:
  ///   - lowercasesNames: Names of elements and attributes come in lower case, and starts and ends match in any case.
  ///   - voidElements: Elements that never have content, whether or not they are closed.
  package init(_ text: String, lowercasesNames: Bool = false, voidElements: Set<String> = []) {
    bytes = Array(text.utf8)
    self.lowercasesNames = lowercasesNames
    self.voidElements = voidElements
  }

  /// The next event; `nil` at the end.
  /// - Throws: ``AudioModel/AudioError/Code/limitReached`` where elements lie deeper than ``depthLimit``.
  package mutating func next() throws(AudioError) -> Event? {
    while true {
      if pendingEnds > 0 {
        pendingEnds -= 1
        return .end(name: open.removeLast())
      }
      guard at < bytes.count else {
        guard !open.isEmpty else { return nil }
        pendingEnds = open.count
        continue
      }
      guard let kind = markup() else { return .text(text()) }
      switch kind {
      case .start: return .start(try element())
      case .end: close(endName())
      case .comment: skip(past: "-->", from: at + 4)
      case .instruction: skip(past: "?>", from: at + 2)
      case .declaration: skipDeclaration()
      case .characters: return .text(characters())
      }
    }
  }

  // MARK: Markup

  private enum Markup { case start, end, comment, instruction, declaration, characters }

  /// What begins here; `nil` for text.
  private func markup() -> Markup? {
    guard bytes[at] == UInt8(ascii: "<"), at + 1 < bytes.count else { return nil }
    switch bytes[at + 1] {
    case UInt8(ascii: "/"): return .end
    case UInt8(ascii: "?"): return .instruction
    case UInt8(ascii: "!"):
      if starts(with: "<!--") { return .comment }
      return starts(with: "<![CDATA[") ? .characters : .declaration
    default: return Self.isNameStart(bytes[at + 1]) ? .start : nil
    }
  }

  private mutating func element() throws(AudioError) -> Element {
    at += 1
    var element = Element(name: name())
    while at < bytes.count {
      skipBlanks()
      guard at < bytes.count, bytes[at] != UInt8(ascii: ">") else { break }
      if bytes[at] == UInt8(ascii: "/") {
        at += 1
        if at < bytes.count, bytes[at] == UInt8(ascii: ">") {
          pendingEnds = 1
          break
        }
      } else if bytes[at] == UInt8(ascii: "<") {
        // The tag was never closed; what follows is one.
        at -= 1
        break
      } else if Self.isNameStart(bytes[at]) {
        let attribute = attribute()
        if element.attributes.count < Self.attributeLimit { element.attributes.append(attribute) }
      } else {
        at += 1
      }
    }
    at = min(at + 1, bytes.count)
    if voidElements.contains(element.name) { pendingEnds = 1 }
    guard open.count < Self.depthLimit else {
      throw AudioError(.limitReached, "Elements of the document lie more than \(Self.depthLimit) deep")
    }
    open.append(element.name)
    return element
  }

  private mutating func attribute() -> Element.Attribute {
    let name = name()
    skipBlanks()
    guard at < bytes.count, bytes[at] == UInt8(ascii: "=") else { return Element.Attribute(name: name, value: "") }
    at += 1
    skipBlanks()
    guard at < bytes.count else { return Element.Attribute(name: name, value: "") }
    let quote = bytes[at]
    let value: ArraySlice<UInt8>
    if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      value = bytes[(at + 1)...].prefix { $0 != quote }
      at = min(value.endIndex + 1, bytes.count)
    } else {
      value = bytes[at...].prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") }
      at = value.endIndex
    }
    return Element.Attribute(name: name, value: XMLEntities.replaced(in: value))
  }

  private mutating func endName() -> String {
    at += 2
    let name = name()
    at = bytes[at...].firstIndex { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "<") } ?? bytes.count
    if at < bytes.count, bytes[at] == UInt8(ascii: ">") { at += 1 }
    return name
  }

  /// Closes the innermost element of that name with all that is open inside it.
  private mutating func close(_ name: String) {
    guard let index = open.lastIndex(of: name) else { return }
    pendingEnds = open.count - index
  }

  // MARK: Text

  private mutating func text() -> String {
    let start = at
    repeat {
      at = bytes[(at + 1)...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
    } while at < bytes.count
      && markup() == nil
    return XMLEntities.replaced(in: bytes[start..<at])
  }

  private mutating func characters() -> String {
    let start = at + 9
    skip(past: "]]>", from: start)
    let end = bytes[..<at].suffix(3).elementsEqual("]]>".utf8) && at - 3 >= start ? at - 3 : at
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  private mutating func skip(past mark: String, from start: Int) {
    let mark = Array(mark.utf8)
    var index = min(start, bytes.count)
    while index < bytes.count, !bytes[index...].starts(with: mark) { index += 1 }
    at = min(index + mark.count, bytes.count)
  }

  /// Passes over `<!DOCTYPE …>` with what it has in brackets.
  private mutating func skipDeclaration() {
    var quote: UInt8?
    var isInside = false
    at += 2
    while at < bytes.count {
      let byte = bytes[at]
      at += 1
      if let open = quote {
        if byte == open { quote = nil }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
      case UInt8(ascii: "["): isInside = true
      case UInt8(ascii: "]"): isInside = false
      case UInt8(ascii: ">"): if !isInside { return }
      default: break
      }
    }
  }

  // MARK: Names

  private mutating func name() -> String {
    let name = bytes[at...].prefix { Self.isNameStart($0) || (0x2D...0x39).contains($0) && $0 != UInt8(ascii: "/") }
    at = name.endIndex
    let text = String(decoding: name.prefix(Self.nameLimit), as: UTF8.self)
    return lowercasesNames ? text.lowercased() : text
  }

  private mutating func skipBlanks() {
    while at < bytes.count, bytes[at] <= 0x20 { at += 1 }
  }

  private func starts(with text: String) -> Bool { bytes[at...].starts(with: text.utf8) }

  private static func isNameStart(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: ":") || byte >= 0x80
  }
}
