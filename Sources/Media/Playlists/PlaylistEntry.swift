/// One thing to play, as a playlist names it.
public struct PlaylistEntry: Hashable, Sendable {
  /// How the document names it, without blanks around.
  public var reference: String
  /// Where that is.
  public var target: PlaylistTarget
  /// What it is called.
  public var title: String?
  /// Who performs it.
  public var artist: String?
  /// What it belongs to.
  public var album: String?
  /// Seconds that it lasts, greater than 0; `nil` where the document does not say, or means "unknown".
  public var duration: Double?
  /// Seconds from the start of the target where it begins, for parts of a file; `nil` for the target's own start.
  public var start: Double?
  /// Seconds from the start of the target where it ends; `nil` for the target's own end.
  public var end: Double?
  /// The bytes of the target that it consists of; `nil` for all.
  public var byteRange: Range<Int64>?
  /// What HLS says of a segment; `nil` in other formats.
  public var segment: HLSSegment?

  /// Makes an entry with nothing known but the place.
  public init(reference: String, target: PlaylistTarget) {
    self.reference = reference
    self.target = target
  }

  init(_ reference: Substring, _ resolver: PlaylistResolver) {
    self.init(reference: String(reference), target: resolver.target(of: reference))
  }

  /// Takes a place of the same thing, if there is none yet, or none yet that may be opened.
  mutating func offer(_ other: Substring, _ resolver: PlaylistResolver) {
    guard !other.isEmpty, reference.isEmpty || target.location == nil else { return }
    let place = resolver.target(of: other)
    guard reference.isEmpty || place.location != nil else { return }
    reference = String(other)
    target = place
  }
}
