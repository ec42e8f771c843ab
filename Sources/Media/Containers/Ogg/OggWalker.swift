internal import AudioModel

/// Walks through a physical stream page by page, and through the links of a chain: of each it follows the first logical
/// stream with sound that is known here, and lets all others pass.
struct OggWalker {
  /// Most bytes without a page, before the first and between others; more end the stream.
  static let junkLimit: Int64 = 4 << 20
  /// Most bytes of pages before the first stream that can be played.
  private static let foreignLimit: Int64 = 8 << 20

  enum Step {
    case need(ByteRequest)
    /// A page was taken, its packets were appended.
    case page(OggPage)
    case end
  }

  /// Where the next page is looked for.
  var cursor: Int64
  /// The stream that is followed.
  private(set) var link: OggLink?
  /// Which link of the chain that is, counted from 0.
  private(set) var index: Int
  /// The link before, once the next one has taken its place.
  private(set) var finished: OggLink?
  /// The link was not read from its beginning on.
  private(set) var hasJumped = false
  /// A page was seen of a stream that did not begin in this link.
  private(set) var hasStrangers = false

  private let start: Int64
  /// First pages are still coming: the streams of a link all begin before any goes on (RFC 3533 §4).
  private var isBeginning = false
  /// Where the first pages of this link begin.
  private var groupStart: Int64 = 0
  private var serials: Set<UInt32> = []
  /// Most streams of a link that are remembered.
  private static let serialLimit = 256
  private var sawForeign = false
  /// Position behind the page that was taken last; the cursor may have left junk behind it.
  private(set) var pageEnd: Int64

  /// Makes a walker for a link that begins at `start`.
  init(start: Int64, index: Int = 0) {
    self.start = start
    self.index = index
    cursor = start
    pageEnd = start
  }

  /// Goes to a place within the link, from whose next page positions are taken.
  /// - Parameters:
  ///   - origin: The granule position of the link's first frame.
  ///   - shift: Frames that positions are off there.
  mutating func jump(to position: Int64, origin: Int64, shift: Int64) {
    hasJumped = true
    cursor = position
    pageEnd = position
    isBeginning = false
    hasStrangers = false
    link?.jump(origin: origin, shift: shift)
  }

  /// Goes back behind the last page, so that the place depends on the bytes alone and not on when they came.
  mutating func rewind() { cursor = pageEnd }

  /// The packets of the last page were not given to anyone.
  mutating func skip() { link?.skip() }

  /// Forgets the link before.
  mutating func forgetFinished() { finished = nil }

  /// Takes the next page.
  /// - Throws: ``AudioModel/AudioError/Code/unsupportedCodec`` or ``AudioModel/AudioError/Code/noAudio`` where no stream
  ///   at the beginning can be played, ``AudioModel/AudioError/Code/malformed`` where its headers are broken.
  mutating func step(
    _ window: ByteWindow, into packets: inout [OggPacket]
  ) throws(AudioError) -> Step {
    switch OggSync.search(window, from: cursor, limit: pageEnd.addingSaturating(Self.junkLimit)) {
    case .need(let request):
      cursor = request.position
      return .need(request)
    case .none:
      if link == nil { throw nothingToPlay }
      return .end
    case .page(let page):
      cursor = page.end
      pageEnd = page.end
      if page.isFirst {
        begin(page, window)
      } else {
        isBeginning = false
        if link == nil && (sawForeign || page.end - start > Self.foreignLimit) { throw nothingToPlay }
        if !serials.contains(page.serial) { hasStrangers = true }
      }
      if page.serial == link?.serial {
        link?.take(page, window, into: &packets)
        if link?.headers.isBroken == true {
          throw AudioError(.malformed, "The headers of the stream in the Ogg file are broken")
        }
      }
      return .page(page)
    }
  }

  /// Takes the first page of a logical stream.
  private mutating func begin(_ page: OggPage, _ window: ByteWindow) {
    if !isBeginning {
      isBeginning = true
      groupStart = page.position
      serials = []
    }
    if serials.count < Self.serialLimit { serials.insert(page.serial) }
    let headers = OggHeaders(window.bytes(page.body, count: page.bodySize) ?? [])
    guard let headers else {
      sawForeign = true
      return
    }
    let fresh = OggLink(serial: page.serial, start: groupStart, headers: headers)
    guard let link else {
      link = fresh
      return
    }
    if !link.hasBegun {
      // A second stream with sound beside the first, which stays; or a header that is there twice.
      if link.start != groupStart || page.serial == link.serial { self.link = fresh }
      return
    }
    finished = link
    hasJumped = false
    index += 1
    self.link = fresh
  }

  private var nothingToPlay: AudioError {
    sawForeign
      ? AudioError(.unsupportedCodec, "The Ogg file holds no stream of a kind that is known here")
      : AudioError(.noAudio, "The Ogg file holds no beginning of a stream")
  }
}
