public import Foundation

/// Hears what becomes of an ``AVAudioPlayer``.
///
/// Calls come on the main queue: a program has to run it, by `RunLoop.main.run()` or `dispatchMain()`.
public protocol AVAudioPlayerDelegate: NSObjectProtocol {
  /// The sound was heard to its end, with all its loops; not after ``AVAudioPlayer/stop()`` or
  /// ``AVAudioPlayer/pause()``.
  /// - Parameter flag: `false` where it ended early: it could not be decoded, or the device is gone for good.
  func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool)

  /// The sound can't be decoded from some place on. What came before is still heard; then
  /// ``audioPlayerDidFinishPlaying(_:successfully:)`` is called.
  func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?)
}

extension AVAudioPlayerDelegate {
  /// Does nothing.
  public func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {}
  /// Does nothing.
  public func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {}
}
