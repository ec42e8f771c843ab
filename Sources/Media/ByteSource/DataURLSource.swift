public import AudioModel
internal import Synchronization

/// The bytes that a `data:` URL carries in itself (RFC 2397), plain with escapes or in base64.
public final class DataURLSource: ByteSource, @unchecked Sendable {
  /// The longest URL that is accepted: 64 MiB of text.
  public static let limit = 64 << 20

  // `memory` belongs to the source's worker; `cancel` touches the atomic only.
  private let url: String
  private let isCancelled = Atomic(false)
  private var memory = MemorySource([])

  /// Makes a source; the URL is looked at by ``open()``.
  public init(_ url: String) { self.url = url }

  /// - Throws: ``AudioError/Code/badURL`` where the URL is malformed or longer than ``limit``.
  public func open() throws(AudioError) -> SourceFacts {
    try throwIfCancelled()
    let (bytes, contentType) = try Self.decode(url)
    memory = MemorySource(bytes, contentType: contentType)
    return try memory.open()
  }

  /// Copies decoded bytes.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(AudioError) -> Int {
    try throwIfCancelled()
    return try memory.read(into: buffer)
  }

  /// Moves at no cost.
  public func seek(to position: Int64) throws(AudioError) {
    try throwIfCancelled()
    try memory.seek(to: position)
  }

  /// Makes later calls throw.
  public func cancel() { isCancelled.store(true, ordering: .releasing) }
  /// Drops the decoded bytes.
  public func close() { memory = MemorySource([]) }

  private func throwIfCancelled() throws(AudioError) {
    if isCancelled.load(ordering: .acquiring) { throw .cancelled }
  }

  // MARK: The URL

  private static func decode(_ url: String) throws(AudioError) -> (bytes: [UInt8], contentType: String?) {
    let text = url.utf8
    guard text.count <= limit else { throw AudioError(.badURL, "the data URL is longer than \(limit >> 20) MiB") }
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")), url[..<colon].lowercased() == "data",
      let comma = text.firstIndex(of: UInt8(ascii: ","))
    else { throw AudioError(.badURL, "the data URL has no comma before its data") }
    guard let data = PercentCoding.decode(text[text.index(after: comma)...].prefix { $0 != UInt8(ascii: "#") }) else {
      throw AudioError(.badURL, "the data URL has a broken % escape")
    }
    var fields = url[text.index(after: colon)..<comma].lowercased().split(
      separator: ";", omittingEmptySubsequences: false)
    let isBase64 = fields.count > 1 && fields.last == "base64"
    if isBase64 { fields.removeLast() }
    let contentType = fields.first.flatMap { $0.isEmpty ? nil : String($0) }
    guard isBase64 else { return (data, contentType) }
    guard let bytes = Base64.decode(data) else { throw AudioError(.badURL, "the data URL's base64 is broken") }
    return (bytes, contentType)
  }
}
