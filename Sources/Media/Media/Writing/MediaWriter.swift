public import AudioModel

/// Takes PCM and makes a file of it. Belongs to one thread at a time.
///
/// Order of calls: ``write(_:from:count:)`` any number of times, then ``finish()`` or ``abandon()``.
public protocol MediaWriter: AnyObject {
  /// The format that it takes.
  var format: PCMFormat { get }
  /// Frames written so far.
  var frames: Int64 { get }
  /// Writes frames `start` ..< `start + count` of a block with ``format``'s channels.
  /// - Throws: 6001 where the system refuses.
  func write(_ block: PCMBlock, from start: Int, count: Int) throws(AudioError)
  /// Completes the file. Nothing may be written after it.
  /// - Throws: 6001; the file is then removed.
  func finish() throws(AudioError)
  /// Gives up, and removes what was written.
  func abandon()
}

extension MediaWriter {
  /// Writes all frames of a block.
  public func write(_ block: PCMBlock) throws(AudioError) { try write(block, from: 0, count: block.frameCount) }
}
