internal import CoreAudioTypes
internal import Foundation
internal import RenderGraph

extension AVAudioEngine {
  /// Lets the application render instead of a device.
  /// - Parameters:
  ///   - mode: On which kind of thread.
  ///   - pcmFormat: Linear PCM with a name: format of what is rendered, and of ``outputNode``.
  ///   - maximumFrameCount: The most frames of a call.
  /// - Throws: While the engine runs, and for a format that can't be rendered.
  public func enableManualRenderingMode(
    _ mode: AVAudioEngineManualRenderingMode, format pcmFormat: AVAudioFormat, maximumFrameCount: AVAudioFrameCount
  ) throws {
    try lock.withLock {
      guard state == .stopped else {
        throw EngineError.make(
          AVAudioEngineManualRenderingError.initialized.rawValue,
          "The engine runs; stop it before manual rendering is turned on")
      }
      guard pcmFormat.isLinearPCM, pcmFormat.commonFormat != .otherFormat, maximumFrameCount > 0 else {
        throw EngineError.make(
          kAudioUnitErr_FormatNotSupported,
          "\(pcmFormat), \(maximumFrameCount) frames at a time, is nothing that an engine renders")
      }
      manualMode = ManualMode(mode: mode, format: pcmFormat, maximum: maximumFrameCount)
      renderer = nil
      manual.install(nil)
      manual.resetTime()
      adoptHardwareFormat(nil)
      outputNode.refreshTaps()
      for node in nodes { node.setSynchronous(mode == .offline) }
    }
  }

  /// Goes back to devices. Stops the engine.
  public func disableManualRenderingMode() {
    stop()
    lock.withLock {
      manualMode = nil
      renderer = nil
      adoptHardwareFormat(nil)
      for node in nodes { node.setSynchronous(false) }
    }
  }

  /// Whether the application renders.
  public var isInManualRenderingMode: Bool { lock.withLock { manualMode != nil } }

  /// On which kind of thread.
  public var manualRenderingMode: AVAudioEngineManualRenderingMode { lock.withLock { manualMode?.mode ?? .offline } }

  /// Format of what is rendered.
  public var manualRenderingFormat: AVAudioFormat { lock.withLock { manualMode?.format ?? hardwareFormat } }

  /// The most frames of a call; 0 outside manual rendering.
  public var manualRenderingMaximumFrameCount: AVAudioFrameCount { lock.withLock { manualMode?.maximum ?? 0 } }

  /// Frames rendered so far: 0 at first and after ``stop()``; it stands while the engine does.
  public var manualRenderingSampleTime: AVAudioFramePosition { manual.sampleTime }

  /// Renders on a thread that may not wait. May be fetched at any time, also before the mode is turned on; always the
  /// same one.
  public var manualRenderingBlock: AVAudioEngineManualRenderingBlock {
    let manual = manual
    return { manual.render($0, $1, $2) }
  }

  /// Renders.
  ///
  /// In offline mode files are read as far as the call needs them. The frames do not depend on how many a call asks for.
  /// - Parameters:
  ///   - numberOfFrames: At most ``manualRenderingMaximumFrameCount``.
  ///   - buffer: Of ``manualRenderingFormat``, with room for the frames. Its `frameLength` is set.
  /// - Returns: How it went.
  /// - Throws: `kAudioUnitErr_TooManyFramesToProcess`, an error for a buffer of another format, and one for an engine that
  ///   does not run or is not in the mode.
  public func renderOffline(
    _ numberOfFrames: AVAudioFrameCount, to buffer: AVAudioPCMBuffer
  ) throws -> AVAudioEngineManualRenderingStatus {
    let (mode, present, renderer) = lock.withLock { (manualMode, nodes, self.renderer) }
    guard let mode, mode.mode == .offline else {
      throw EngineError.make(
        AVAudioEngineManualRenderingError.invalidMode.rawValue, "The engine is not in offline manual rendering mode")
    }
    guard isRunning else {
      throw EngineError.make(AVAudioEngineManualRenderingError.notRunning.rawValue, "The engine does not run")
    }
    guard numberOfFrames <= mode.maximum, numberOfFrames <= buffer.frameCapacity else {
      throw EngineError.make(
        kAudioUnitErr_TooManyFramesToProcess,
        "\(numberOfFrames) frames are more than \(min(mode.maximum, buffer.frameCapacity)), the most that a call renders"
      )
    }
    guard buffer.format == mode.format else {
      throw EngineError.make(
        kAudioUnitErr_FormatNotSupported,
        "The buffer's format \(buffer.format) is not that of manual rendering, \(mode.format)")
    }
    for node in present { node.provide(seconds: Double(numberOfFrames) / mode.format.sampleRate) }
    var code: OSStatus = 0
    var status = manual.render(numberOfFrames, buffer.mutableAudioBufferList, &code)
    // A command of another thread's is being obeyed: that takes a moment, and this thread may wait.
    while status == .cannotDoInCurrentContext {
      sched_yield()
      status = manual.render(numberOfFrames, buffer.mutableAudioBufferList, &code)
    }
    if status == .error { throw EngineError.make(code, "The engine could not render: \(code)") }
    buffer.frameLength = numberOfFrames
    renderer?.tick()
    for node in present { _ = node.pump(heard: .max) }
    return status
  }
}
