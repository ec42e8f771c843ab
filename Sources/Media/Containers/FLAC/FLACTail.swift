import AudioModel

/// Looks at the last frames of a FLAC stream, in the manner of a parser: they tell how long it is.
struct FLACTail {
  /// Bytes at the end that are looked at first, and at most: a frame of the largest kind, and some.
  private static let firstLook: Int64 = 64 << 10, longestLook: Int64 = 8 << 20

  /// Where the sound ends; `nil` where the last frame is not of the kind of the first.
  private(set) var ending: FLACOutline.Ending?
  private let outline: FLACOutline
  private let audioEnd: Int64
  private var look = firstLook
  private var scan: FLACFrameScan
  private var last: FLACFrameScan.Frame?

  init(_ outline: FLACOutline, audioEnd: Int64) {
    self.outline = outline
    self.audioEnd = audioEnd
    scan = Self.scan(outline, audioEnd, look: Self.firstLook)
  }

  private static func scan(_ outline: FLACOutline, _ audioEnd: Int64, look: Int64) -> FLACFrameScan {
    let from = audioEnd - look
    return from <= outline.position
      ? FLACFrameScan(frame: outline.header, at: outline.position, audioEnd: audioEnd)
      : FLACFrameScan(from: from, limit: audioEnd, audioEnd: audioEnd)
  }

  /// Takes steps until bytes are missing or the end is known; `nil` then.
  mutating func next(in window: ByteWindow) -> ByteRequest? {
    while true {
      switch scan.next(in: window) {
      case .need(let from, let count): return ByteRequest(position: from, count: count)
      case .frame(let frame):
        last = frame
        if let next = frame.next {
          scan = FLACFrameScan(frame: next, at: frame.end, audioEnd: audioEnd)
        } else {
          scan = FLACFrameScan(from: frame.end, limit: audioEnd, audioEnd: audioEnd)
        }
      case .none:
        if let last {
          ending = ending(last)
          return nil
        }
        guard look < Self.longestLook, audioEnd - look > outline.position else { return nil }
        look *= 8
        scan = Self.scan(outline, audioEnd, look: look)
      }
    }
  }

  private func ending(_ frame: FLACFrameScan.Frame) -> FLACOutline.Ending? {
    let place = outline.timeline.frame(frame.header)
    guard outline.isAlike(frame.header), place > 0 || frame.position == outline.position else { return nil }
    let length = outline.timeline.lastLength(frame.header)
    return FLACOutline.Ending(place: place, length: length, frame)
  }
}
