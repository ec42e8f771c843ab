internal import AudioModel

/// A packet on the way out of a link.
struct OggPacket {
  var position: Int64
  var byteCount: Int
  /// The packet where it is not in one piece in the window.
  var bytes: [UInt8]?
  /// Its first frame, counted from the first one of the link that is heard.
  var frame: Int64
  var frameCount: Int
  /// Something is missing in front of it.
  var isDiscontinuous = false
  /// Frames at its end that are not to be heard.
  var discardAtEnd = 0
}

/// The logical stream that is played of a link of a chain: takes its pages, gives its packets.
///
/// Granule positions say where the last packet of a page ends. Packets are counted on from there; the positions of later
/// pages show what was lost in between, and at the end what is to be cut off.
struct OggLink {
  /// Largest packet.
  static let packetLimit = 4 << 20

  let serial: UInt32
  /// Where the link's first page begins.
  let start: Int64
  private(set) var headers: OggHeaders
  /// The granule position of the first frame that is heard; `nil` before the first page with sound.
  private(set) var origin: Int64?
  /// The granule position behind the last packet; `nil` where it is not known (yet).
  private(set) var granule: Int64?
  /// The frame behind the last packet, counted from the first one heard.
  private(set) var frame: Int64 = 0

  /// Number of the last page that was taken.
  private(set) var lastSequence: UInt32?
  private var partial: [UInt8] = []
  private var partialPosition: Int64?
  private var isLost = false
  private var predicts = false
  /// Frames by which granule positions are off at the page that a jump leads to.
  private var shift: Int64 = 0
  private var lastBlock: Int?
  /// The decoder gets nothing of what was before the next packet.
  private var isFresh = false

  /// Positions beyond this are nonsense; sums of those within can't overflow.
  private static let granuleLimit: Int64 = 1 << 60

  init(serial: UInt32, start: Int64, headers: OggHeaders) {
    self.serial = serial
    self.start = start
    self.headers = headers
  }

  var coding: OggCoding { headers.coding }
  /// Frames to decode in front of a seek's target, by what was seen so far.
  var preroll: Int { coding.preroll(predicts: predicts) }
  /// A page with sound was taken.
  var hasBegun: Bool { origin != nil }

  /// Prepares for a page from elsewhere in the link.
  mutating func jump(origin: Int64, shift: Int64) {
    self.origin = origin
    self.shift = shift
    granule = nil
    lastSequence = nil
    dropPartial()
    isLost = false
    lastBlock = nil
    isFresh = true
  }

  /// The packets of the last page were not given to anyone.
  mutating func skip() { isFresh = true }

  /// Takes the next page of the stream and appends its packets.
  mutating func take(_ page: OggPage, _ window: ByteWindow, into packets: inout [OggPacket]) {
    if let lastSequence, page.sequence != lastSequence &+ 1 { lose() }
    lastSequence = page.sequence
    if !page.isContinued && partialPosition != nil { lose() }
    // The rest of a packet whose beginning is not there.
    var isSkipping = page.isContinued && partialPosition == nil && headers.isComplete
    if isSkipping && granule != nil { isLost = true }
    let firstPacket = packets.count
    var at = page.body
    var size = 0
    for segment in 0..<page.segments {
      let lacing = page.lacing(segment, window)
      size += lacing
      let isWhole = lacing < 255
      guard isWhole || segment == page.segments - 1 else { continue }
      if isSkipping {
        isSkipping = !isWhole
      } else {
        piece(at: at, size: size, isWhole: isWhole, page, window, &packets)
      }
      at += Int64(size)
      size = 0
    }
    if packets.count > firstPacket { place(page, &packets, from: firstPacket) }
  }

  private mutating func lose() {
    isLost = headers.isComplete
    dropPartial()
    if !headers.isComplete { headers.dropPiece() }
  }

  private mutating func dropPartial() {
    partial.removeAll()
    partialPosition = nil
  }

  /// Takes a packet, or what of it is on the page.
  private mutating func piece(
    at: Int64, size: Int, isWhole: Bool, _ page: OggPage, _ window: ByteWindow, _ packets: inout [OggPacket]
  ) {
    if !headers.isComplete {
      if page.isFirst { return }
      let isHeader = window.withBytes(at, count: size) { headers.take($0, isLast: isWhole) }
      if isHeader != false { return }
    }
    if isWhole && partialPosition == nil {
      guard size > 0 else { return }
      let packet = OggPacket(position: at, byteCount: size, frame: 0, frameCount: 0)
      window.withBytes(at, count: min(size, OggCoding.headSize)) { add(packet, $0, &packets) }
      return
    }
    if partialPosition == nil { partialPosition = at }
    guard partial.count + size <= Self.packetLimit else {
      dropPartial()
      isLost = true
      return
    }
    window.withBytes(at, count: size) { partial.append(contentsOf: $0) }
    guard isWhole else { return }
    let bytes = partial
    let position = partialPosition ?? at
    dropPartial()
    guard !bytes.isEmpty else { return }
    let packet = OggPacket(position: position, byteCount: bytes.count, bytes: bytes, frame: 0, frameCount: 0)
    bytes.withUnsafeBytes { add(packet, $0, &packets) }
  }

  private mutating func add(_ packet: OggPacket, _ head: UnsafeRawBufferPointer, _ packets: inout [OggPacket]) {
    guard let kind = coding.kind(head, after: lastBlock) else { return }
    lastBlock = kind.block
    if case .opus = coding, head.first.map({ $0 >> 3 < 16 }) == true { predicts = true }
    packets.append(packet)
    packets[packets.count - 1].frameCount = kind.frames
  }

  // MARK: Time

  /// Finds out which frames the packets of a page decode to.
  private mutating func place(_ page: OggPage, _ packets: inout [OggPacket], from first: Int) {
    var sum: Int64 = 0
    for index in first..<packets.count { sum += Int64(packets[index].frameCount) }
    let isStated = (0...Self.granuleLimit).contains(page.granule)
    let stated = isStated ? page.granule : nil
    var cut: Int64 = 0
    if origin == nil {
      begin(stated: stated, sum: sum, isLast: page.isLast)
    } else if granule == nil {
      guard let stated, let origin else {
        // Nothing tells where this is.
        packets.removeSubrange(first...)
        return
      }
      granule = stated - sum
      frame = stated - sum - origin - coding.decoderDelay + shift
    }
    guard let before = granule else { return }
    if let stated, stated > before + sum, isLost || (!page.isLast && stated - before - sum > holeTolerance) {
      // The decoder begins anew behind the hole.
      frame = min(frame &+ (stated - before - sum), Self.granuleLimit)
      isFresh = true
    }
    if let stated, page.isLast { cut = min(max(before + sum - stated - coding.decoderDelay, 0), sum) }
    isLost = false
    if isFresh {
      packets[first].isDiscontinuous = true
      if coding.needsPrimer {
        frame += Int64(packets[first].frameCount)
        sum -= Int64(packets[first].frameCount)
        packets[first].frameCount = 0
      }
      isFresh = false
    }
    for index in first..<packets.count {
      packets[index].frame = frame
      frame += Int64(packets[index].frameCount)
    }
    granule = stated ?? before + sum
    trim(&packets, from: first, cut)
  }

  /// Places the first page with sound: the position at its end less the length of its packets is where the stream begins.
  /// Later than 0, the stream was cut out of a longer one; earlier, as much is to be cut off, in front unless it is the last
  /// page, too, where positions too low mean the end (Vorbis I §A.2; RFC 7845 §4.3, §4.5).
  private mutating func begin(stated: Int64?, sum: Int64, isLast: Bool) {
    var start = (stated ?? sum) - sum
    // Some writers leave out the position of the first page.
    if start < 0 && (isLast || stated == 0) { start = 0 }
    granule = start
    let origin = max(start, 0) + coding.preSkip
    self.origin = origin
    frame = start - origin - coding.decoderDelay
  }

  /// Cuts frames off the end of the packets.
  private mutating func trim(_ packets: inout [OggPacket], from first: Int, _ count: Int64) {
    var rest = count
    frame -= count
    for index in (first..<packets.count).reversed() where rest > 0 {
      let cut = min(rest, Int64(packets[index].frameCount))
      packets[index].discardAtEnd = Int(cut)
      rest -= cut
    }
  }

  /// Positions may be off by so many frames before something counts as missing: 20 ms.
  private var holeTolerance: Int64 { Int64((coding.format?.sampleRate.hertz ?? 48_000) / 50) }
}
