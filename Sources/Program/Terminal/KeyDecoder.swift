/// A key that means something here.
package enum Key: Hashable, Sendable {
  case character(Character)
  case up, down, left, right
}

/// Bytes of a terminal in, keys out. Sequences may be cut anywhere; unknown ones are swallowed whole.
package struct KeyDecoder: Sendable {
  private enum State: Sendable {
    case plain
    case escape
    case sequence
  }

  private var state = State.plain

  /// Makes a decoder.
  package init() {}

  /// Takes the next byte.
  /// - Returns: The key that it completes, if any. Bytes outside ASCII are no keys here.
  package mutating func feed(_ byte: UInt8) -> Key? {
    switch (state, byte) {
    case (_, 0x1B):
      state = .escape
      return nil
    case (.plain, 0x20..<0x7F): return .character(Character(Unicode.Scalar(byte)))
    case (.plain, _): return nil
    case (.escape, UInt8(ascii: "[")), (.escape, UInt8(ascii: "O")):
      state = .sequence
      return nil
    case (.escape, _):
      state = .plain  // Alt with a key
      return nil
    case (.sequence, 0x40...0x7E):
      state = .plain
      return Self.arrow(byte)
    case (.sequence, _): return nil  // parameters
    }
  }

  private static func arrow(_ byte: UInt8) -> Key? {
    switch byte {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "C"): .right
    case UInt8(ascii: "D"): .left
    default: nil
    }
  }
}
