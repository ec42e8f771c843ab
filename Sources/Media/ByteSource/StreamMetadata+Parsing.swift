internal import AudioModel

extension StreamMetadata {
  /// Reads a metadata block: `StreamTitle='…';StreamUrl='…';`.
  ///
  /// Titles hold quotes, semicolons and equals signs unescaped, so a value ends only at a `';` that is followed at once
  /// by another name with `='` (advertisements have many), by nothing, or by padding. Where there is no such end, the
  /// last `';` is it; an unfinished block's last value ends with the block. Text is UTF-8 where it is valid, else
  /// Windows-1252.
  public init(block: [UInt8]) {
    let used = Array(block[..<(block.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0)])
    self.init(
      title: Self.value(of: "StreamTitle", in: used).map(Self.text) ?? "",
      url: Self.value(of: "StreamUrl", in: used).map(Self.text), raw: used)
  }

  private static func value(of name: String, in block: [UInt8]) -> ArraySlice<UInt8>? {
    var rest = block[...]
    while let (found, value, next) = firstField(rest) {
      if found.elementsEqual(name.utf8, by: { $0 | 0x20 == $1 | 0x20 }) { return value }
      rest = next
    }
    return nil
  }

  private typealias Field = (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)

  /// The field that `block` begins with.
  private static func firstField(_ block: ArraySlice<UInt8>) -> Field? {
    let name = block.prefix(while: isNameByte)
    let quoted = block.dropFirst(name.count)
    guard !name.isEmpty, quoted.starts(with: "='".utf8) else { return nil }
    let content = quoted.dropFirst(2)
    var at = content.startIndex
    var last: Int?
    while at < content.endIndex {
      if content[at...].starts(with: "';".utf8) {
        last = at
        if endsField(content[(at + 2)...]) { break }
      }
      at += 1
    }
    if let last { return (name, content[..<last], content[(last + 2)...]) }
    // Cut off: what is there is the value, with or without its closing quote.
    return (name, content.last == UInt8(ascii: "'") ? content.dropLast() : content, content[content.endIndex...])
  }

  private static func endsField(_ next: ArraySlice<UInt8>) -> Bool {
    next.allSatisfy { $0 == 0 || $0 == 0x20 } || startsNamedField(next)
  }

  private static func startsNamedField(_ next: ArraySlice<UInt8>) -> Bool {
    let name = next.prefix(while: isNameByte)
    return !name.isEmpty && next.dropFirst(name.count).starts(with: "='".utf8)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(latinOrUTF8: bytes) }
}
