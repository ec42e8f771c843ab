/// How a call of a converter ended.
public enum AVAudioConverterOutputStatus: Int, Sendable {
  /// The output is full, or has the last frames there are.
  case haveData = 0
  /// The input had nothing now. What the output has is good; a later call goes on.
  case inputRanDry = 1
  /// All frames are out. ``AVAudioConverter/reset()`` before anything else.
  case endOfStream = 2
  /// It failed.
  case error = 3
}

/// What an input block says.
public enum AVAudioConverterInputStatus: Int, Sendable {
  /// It returns a buffer.
  case haveData = 0
  /// There is nothing now, and may be later.
  case noDataNow = 1
  /// There is nothing any more.
  case endOfStream = 2
}

/// How a converter treats the edges of a signal.
public enum AVAudioConverterPrimeMethod: Int, Sendable {
  /// The filter begins with frames in front of the first, which the input has.
  case pre = 0
  /// Silence stands in front of the first frame and behind the last.
  case normal = 1
  /// As `normal`.
  case none = 2
}

/// Frames that a converter adds or leaves out at the edges.
public struct AVAudioConverterPrimeInfo: Hashable, Sendable {
  /// In front of the first.
  public var leadingFrames: AVAudioFrameCount
  /// Behind the last.
  public var trailingFrames: AVAudioFrameCount
  /// Makes a statement.
  public init(leadingFrames: AVAudioFrameCount = 0, trailingFrames: AVAudioFrameCount = 0) {
    self.leadingFrames = leadingFrames
    self.trailingFrames = trailingFrames
  }
}

/// Gives a converter its input.
///
/// - Parameters:
///   - inNumberOfPackets: Frames, or packets, that would be used at once; any number may be given.
///   - outStatus: To be set.
/// - Returns: A buffer of the converter's input format, left alone until the next call; `nil` unless the status is
///   ``AVAudioConverterInputStatus/haveData``.
public typealias AVAudioConverterInputBlock = (
  _ inNumberOfPackets: AVAudioPacketCount, _ outStatus: UnsafeMutablePointer<AVAudioConverterInputStatus>
) -> AVAudioBuffer?
