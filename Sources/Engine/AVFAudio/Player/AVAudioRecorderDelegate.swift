public import Foundation

/// Hears what becomes of an ``AVAudioRecorder``.
///
/// Calls come on the main queue: a program has to run it, by `RunLoop.main.run()` or `dispatchMain()`.
public protocol AVAudioRecorderDelegate: NSObjectProtocol {
  /// Recording ended: by ``AVAudioRecorder/stop()``, after the duration asked for, or by an error. The file is complete.
  /// - Parameter flag: `false` where something could not be written or the device is gone for good.
  func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool)

  /// The sound can't be converted or written. Recording ends with what was written before.
  func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?)
}

extension AVAudioRecorderDelegate {
  /// Does nothing.
  public func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) {}
  /// Does nothing.
  public func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?) {}
}
