extension FLACParser {
  /// Bytes of a bare stream that are looked at for the end of its first frame.
  private static let probeLimit = 128 << 10

  /// Whether a stream begins at `start`: marked, or with a bare frame whose checksum is right.
  static func probe(_ window: ByteWindow, start: Int64) -> ProbeAnswer {
    guard window.settles(start, count: FLACFrameHeader.limit) else { return .more(count: FLACFrameHeader.limit) }
    if window.matches("fLaC", at: start) { return .certain }
    guard let header = FLACFrameHeader(window, at: start) else { return .no }
    var scan = FLACFrameScan(frame: header, at: start, audioEnd: nil)
    switch scan.next(in: window) {
    case .need(_, let count): return count <= probeLimit ? .more(count: count) : .no
    case .frame(let frame): return frame.isWhole ? .certain : .no
    case .none: return .no
    }
  }
}
