internal import AudioModel

/// The header packets of a logical stream, taken in piece by piece.
struct OggHeaders {
  /// Largest header packet that is kept, comments not counted.
  private static let limit = 1 << 20
  /// Most pictures in packets of their own.
  private static let pictureLimit = 64

  private(set) var coding: OggCoding
  /// All are there.
  private(set) var isComplete = false
  /// A header that the decoder can't do without is broken.
  private(set) var isBroken = false
  private var number = 1
  /// What is kept of the packet that is coming, and how much of it came.
  private var packet: [UInt8] = []
  private var size = 0
  private var comments: OggComments
  private let first: [UInt8]
  private var setup: [UInt8] = []
  private var pictures: [Picture] = []

  /// - Parameter first: The stream's first packet; `nil` comes of one that is not played here.
  init?(_ first: [UInt8]) {
    guard let coding = OggCoding(first), coding.format != nil else { return nil }
    self.coding = coding
    self.first = first
    comments = OggComments(offset: coding.commentsOffset)
  }

  /// What the headers say about the sound's content.
  var tags: TagSet {
    var tags = comments.tags
    if tags.pictures.isEmpty { tags.pictures = pictures }
    return tags
  }

  /// Takes a piece of the next header packet.
  /// - Parameter isLast: The packet ends with it.
  /// - Returns: `false` where the packet is no header, but sound already.
  mutating func take(_ piece: UnsafeRawBufferPointer, isLast: Bool) -> Bool {
    if size == 0 && isSound(piece) {
      isComplete = true
      return false
    }
    size += piece.count
    if number == 1 {
      comments.take(piece)
      if isLast { comments.finish() }
    } else {
      packet.append(contentsOf: piece.prefix(Self.limit - packet.count))
    }
    guard isLast else { return true }
    switch coding {
    case .vorbis(var setup) where number == 2:
      isBroken = !setup.takeModes(setup: packet)
      coding = .vorbis(setup)
      self.setup = packet
    case .flac where number > 1 && packet.first.map { $0 & 0x7F } == 6 && pictures.count < Self.pictureLimit:
      if let picture = FLACPicture(Array(packet.dropFirst(4)), limit: size - 4) {
        pictures.append(
          Picture(type: picture.type, mime: picture.mime, position: nil, byteCount: picture.byteCount))
      }
    default: break
    }
    packet = []
    size = 0
    number += 1
    isComplete = number >= coding.headerCount
    return true
  }

  /// Whether a packet is sound though a header was to come.
  private func isSound(_ piece: UnsafeRawBufferPointer) -> Bool {
    switch coding {
    case .opus: !piece.prefix(8).elementsEqual("OpusTags".utf8)
    case .flac: OggFLACHeader.isFrame(piece)
    case .vorbis, .speex: false
    }
  }

  /// A page was lost: the packet that had begun is none.
  mutating func dropPiece() {
    guard size > 0 else { return }
    packet = []
    size = 0
    if case .vorbis = coding, number == 2 { isBroken = true }
  }

  /// What the decoder wants to know.
  var configuration: [UInt8] {
    switch coding {
    case .opus: return first
    case .speex(let header): return header.bytes
    case .flac(let header): return header.bytes
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
    case .opus, .flac: nil
    }
  }
}
