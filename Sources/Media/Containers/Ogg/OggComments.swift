/// Reads the comments of a stream out of a header packet that comes in pieces, page by page, and keeps no more of it than
/// one comment needs: covers of any size pass through.
struct OggComments {
  private var window = ByteWindow()
  private var reader: VorbisComments
  private(set) var isDone = false

  /// - Parameter offset: Bytes in front of the vendor's name.
  init(offset: Int64) { reader = VorbisComments(start: offset, end: .max >> 1) }

  /// What was read so far.
  var tags: TagSet { reader.tags }

  /// Takes a piece of the packet.
  mutating func take(_ piece: UnsafeRawBufferPointer) {
    guard !isDone else { return }
    window.append(piece)
    run()
  }

  /// The packet is complete.
  mutating func finish() {
    guard !isDone else { return }
    window.markEnd()
    run()
    isDone = true
    window = ByteWindow()
  }

  private mutating func run() {
    switch reader.next(in: window) {
    case .need(let request): window.discard(before: request.position)
    case .done: isDone = true
    }
  }
}
