/// Which frame of the source belongs to which frame of what is made of it: pieces of straight lines.
///
/// A piece is evaluated from its own beginning, never summed up, so that hours at one speed are exact to a fraction of a
/// frame.
struct MediaMap: BitwiseCopyable {
  /// From `frame` on the source moves by `speed` frames a frame.
  struct Piece: BitwiseCopyable {
    var frame: Int64 = 0
    var media = 0.0
    var speed = 1.0
  }

  private var pieces = InlineArray<64, Piece>(repeating: Piece())
  private var first = 0
  private var count = 1
  /// Up to where the map is laid: what was laid stays.
  private(set) var end: Int64 = 0

  init() {}

  // MARK: Real-time

  /// Begins anew: frame 0 is frame `media` of the source.
  @_noLocks @_noAllocation
  mutating func reset(media: Double, speed: Double) {
    first = 0
    count = 1
    end = 0
    pieces[0] = Piece(frame: 0, media: media, speed: speed)
  }

  /// Goes on to `frame` at `speed`.
  @_noLocks @_noAllocation
  mutating func extend(to frame: Int64, speed: Double) {
    guard frame > end else { return }
    let last = pieces[(first &+ count &- 1) & 63]
    if last.speed != speed {
      let piece = Piece(frame: end, media: media(last, Double(end)), speed: speed)
      if last.frame == end { count &-= 1 }
      if count == 64 {
        first = (first &+ 1) & 63
        count &-= 1
      }
      pieces[(first &+ count) & 63] = piece
      count &+= 1
    }
    end = frame
  }

  /// The source's frame at a frame, which may lie between two.
  @_noLocks @_noAllocation
  func media(at frame: Double) -> Double { media(piece(at: frame), frame) }

  /// The speed at a frame.
  @_noLocks @_noAllocation
  func speed(at frame: Double) -> Double { piece(at: frame).speed }

  /// Whether all that is laid from a frame on has a speed.
  @_noLocks @_noAllocation
  func isSteady(from frame: Int64, speed: Double) -> Bool {
    guard frame < end else { return true }
    var index = count &- 1
    while index >= 0 {
      let piece = pieces[(first &+ index) & 63]
      if piece.speed != speed { return false }
      if piece.frame <= frame { return true }
      index &-= 1
    }
    return true
  }

  /// Forgets what belongs to frames before one.
  @_noLocks @_noAllocation
  mutating func forget(before frame: Int64) {
    while count > 1 && pieces[(first &+ 1) & 63].frame <= frame {
      first = (first &+ 1) & 63
      count &-= 1
    }
  }

  @inline(__always) @_noLocks @_noAllocation
  private func piece(at frame: Double) -> Piece {
    var index = count &- 1
    while index > 0 && Double(pieces[(first &+ index) & 63].frame) > frame { index &-= 1 }
    return pieces[(first &+ index) & 63]
  }

  @inline(__always) @_noLocks @_noAllocation
  private func media(_ piece: Piece, _ frame: Double) -> Double {
    piece.media + (frame - Double(piece.frame)) * piece.speed
  }
}
