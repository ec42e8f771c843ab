internal import AudioModel

/// The header packets of a logical stream, taken in piece by piece.
struct OggHeaders {
  /// Largest header packet that is kept, comments not counted.
  private static let limit = 1 << 20

  private(set) var coding: OggCoding
  /// All are there.
  private(set) var isComplete = false
  /// A header that the decoder can't do without is broken.
  private(set) var isBroken = false
  private var number = 1
  private var packet: [UInt8] = []
  private var comments: OggComments
  private let first: [UInt8]
  private var setup: [UInt8] = []

  /// - Parameter first: The stream's first packet; `nil` comes of one that is not played here.
  init?(_ first: [UInt8]) {
    guard let coding = OggCoding(first), coding.format != nil else { return nil }
    self.coding = coding
    self.first = first
    comments = OggComments(offset: coding.comments.offset)
  }

  /// What the comments say.
  var tags: TagSet { comments.tags }

  /// Takes a piece of the next header packet.
  /// - Parameter isLast: The packet ends with it.
  /// - Returns: `false` where the packet is no header, but sound already.
  mutating func take(_ piece: UnsafeRawBufferPointer, isLast: Bool) -> Bool {
    if number == coding.comments.number {
      if case .opus = coding, packet.isEmpty, !piece.prefix(8).elementsEqual("OpusTags".utf8) {
        isComplete = true
        return false
      }
      // Only that something came; what it was is with the reader of comments.
      packet = [0]
      comments.take(piece)
      if isLast { comments.finish() }
    } else if packet.count + piece.count <= Self.limit {
      packet.append(contentsOf: piece)
    }
    guard isLast else { return true }
    if case .vorbis(var setup) = coding, number == 2 {
      if setup.takeModes(setup: packet) {
        coding = .vorbis(setup)
        self.setup = packet
      } else {
        isBroken = true
      }
    }
    packet = []
    number += 1
    isComplete = number >= coding.headerCount
    return true
  }

  /// A page was lost: the packet that had begun is none.
  mutating func dropPiece() {
    guard !packet.isEmpty else { return }
    packet = []
    isBroken = isBroken || number != coding.comments.number
  }

  /// What the decoder wants to know.
  var configuration: [UInt8] {
    switch coding {
    case .opus: return first
    case .speex(let header): return header.bytes
    case .vorbis:
      // Nobody decodes comments; those of the file may be large.
      let comments = [3] + Array("vorbis".utf8) + [UInt8](repeating: 0, count: 8) + [1]
      return XiphHeaders.join([first, comments, setup])
    }
  }

  var nominalBitRate: Int? {
    switch coding {
    case .vorbis(let setup): setup.nominalBitRate
    case .speex(let header): header.nominalBitRate
    case .opus: nil
    }
  }
}
