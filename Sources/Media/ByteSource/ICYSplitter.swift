/// Takes the metadata out of a radio stream in the ICY format: after every `interval` bytes of audio stands a byte N,
/// then 16·N bytes of metadata.
///
/// Bytes may come in pieces of any size.
public struct ICYSplitter: Sendable {
  /// The greatest interval that is believed: 16 MiB.
  public static let intervalLimit = 16 << 20

  /// A piece of what was split.
  public enum Piece {
    /// Audio; the bytes are valid during the call only.
    case audio(UnsafeRawBufferPointer)
    /// A metadata block that is not empty, without its padding; it belongs to the audio byte at `position`.
    case metadata([UInt8], position: Int64)
  }

  private enum State {
    case audio(left: Int)
    case length
    case block(left: Int)
  }

  private let interval: Int
  private var state: State
  private var block: [UInt8] = []
  /// Position of the next audio byte.
  public private(set) var position: Int64

  /// Makes a splitter at the start of a connection's body.
  /// - Parameters:
  ///   - interval: `icy-metaint`; the initialiser answers `nil` outside of 1…``intervalLimit``.
  ///   - position: What the first audio byte counts as.
  public init?(interval: Int, position: Int64 = 0) {
    guard (1...Self.intervalLimit).contains(interval) else { return nil }
    self.interval = interval
    self.position = position
    state = .audio(left: interval)
  }

  /// Splits the next bytes of the stream and gives `body` the pieces in order.
  public mutating func split(_ bytes: UnsafeRawBufferPointer, _ body: (Piece) -> Void) {
    var rest = bytes[...]
    while let first = rest.first {
      switch state {
      case .audio(let left):
        let piece = rest.prefix(left)
        rest = rest.dropFirst(piece.count)
        position += Int64(piece.count)
        state = piece.count == left ? .length : .audio(left: left - piece.count)
        body(.audio(UnsafeRawBufferPointer(rebasing: piece)))
      case .length:
        rest = rest.dropFirst()
        block.removeAll(keepingCapacity: true)
        state = first == 0 ? .audio(left: interval) : .block(left: 16 * Int(first))
      case .block(let left):
        let piece = rest.prefix(left)
        rest = rest.dropFirst(piece.count)
        block.append(contentsOf: piece)
        guard piece.count == left else {
          state = .block(left: left - piece.count)
          break
        }
        state = .audio(left: interval)
        while block.last == 0 { block.removeLast() }
        if !block.isEmpty { body(.metadata(block, position: position)) }
      }
    }
  }
}
