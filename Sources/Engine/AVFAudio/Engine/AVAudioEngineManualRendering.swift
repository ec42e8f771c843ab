public import CoreAudioTypes

/// How an engine renders where no device asks for it.
public enum AVAudioEngineManualRenderingMode: Int, Sendable {
  /// As fast as the application asks, on its thread, which may wait: files are read as they are needed, and the result
  /// depends on nothing but the graph.
  case offline = 0
  /// On a thread that may not wait: files are read ahead by another.
  case realtime = 1
}

/// How a render call went.
public enum AVAudioEngineManualRenderingStatus: Int, Sendable {
  /// Something went wrong.
  case error = -1
  /// All frames are there.
  case success = 0
  /// The input block had nothing: there is silence in its place.
  case insufficientDataFromInputNode = 1
  /// Nothing was rendered: another call was under way. To be tried again.
  case cannotDoInCurrentContext = 2
}

/// Codes of errors in manual rendering.
public enum AVAudioEngineManualRenderingError: OSStatus, Sendable {
  /// The engine is not in the mode that the call needs.
  case invalidMode = -80800
  /// The engine runs, and must not.
  case initialized = -80801
  /// The engine does not run.
  case notRunning = -80802
}

/// Renders frames on a thread that may not wait.
///
/// - Parameters:
///   - numberOfFrames: At most the engine's maximum.
///   - outputBuffer: In the engine's manual rendering format, with room for the frames. `mDataByteSize` is set to what was
///     rendered.
///   - outError: Set where the status is ``AVAudioEngineManualRenderingStatus/error``.
public typealias AVAudioEngineManualRenderingBlock =
  @Sendable (
    _ numberOfFrames: AVAudioFrameCount, _ outputBuffer: UnsafeMutablePointer<AudioBufferList>,
    _ outError: UnsafeMutablePointer<OSStatus>?
  ) -> AVAudioEngineManualRenderingStatus
