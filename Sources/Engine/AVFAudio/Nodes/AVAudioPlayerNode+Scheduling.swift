internal import AudioModel
internal import Foundation
internal import GraphHost
internal import RenderGraph

extension AVAudioPlayerNode {
  // MARK: Buffers

  /// Schedules a buffer behind what is scheduled.
  /// - Parameters:
  ///   - buffer: With as many channels as the node's output, taken to be at its rate. Not to be changed until it is over.
  ///   - completionHandler: Called when the player has read all of it, or dropped it.
  public func scheduleBuffer(_ buffer: AVAudioPCMBuffer, completionHandler: AVAudioNodeCompletionHandler? = nil) {
    schedule(buffer, at: nil, options: [], .dataConsumed, typed(completionHandler))
  }

  /// Schedules a buffer behind what is scheduled.
  public func scheduleBuffer(
    _ buffer: AVAudioPCMBuffer, completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
    completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
  ) {
    schedule(buffer, at: nil, options: [], callbackType, completionHandler)
  }

  /// Schedules a buffer for a time.
  /// - Parameters:
  ///   - buffer: As ``scheduleBuffer(_:completionHandler:)`` takes it.
  ///   - when: A sample time on the player's timeline, or a host time; `nil` is behind what is scheduled, and what is past
  ///     means at once.
  ///   - options: How it treats what is scheduled, and itself.
  ///   - completionHandler: Called when the player has read all of it, or dropped it.
  public func scheduleBuffer(
    _ buffer: AVAudioPCMBuffer, at when: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions = [],
    completionHandler: AVAudioNodeCompletionHandler? = nil
  ) {
    schedule(buffer, at: when, options: options, .dataConsumed, typed(completionHandler))
  }

  /// Schedules a buffer for a time.
  public func scheduleBuffer(
    _ buffer: AVAudioPCMBuffer, at when: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions = [],
    completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
    completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
  ) {
    schedule(buffer, at: when, options: options, callbackType, completionHandler)
  }

  /// Schedules a buffer, and returns when the player has read all of it, or dropped it.
  public func scheduleBuffer(
    _ buffer: AVAudioPCMBuffer, at when: AVAudioTime? = nil, options: AVAudioPlayerNodeBufferOptions = []
  ) async {
    await withCheckedContinuation { continuation in
      schedule(buffer, at: when, options: options, .dataConsumed) { _ in continuation.resume() }
    }
  }

  /// Schedules a buffer, and returns at the moment that is asked for.
  /// - Returns: `callbackType`.
  @discardableResult
  public func scheduleBuffer(
    _ buffer: AVAudioPCMBuffer, at when: AVAudioTime? = nil, options: AVAudioPlayerNodeBufferOptions = [],
    completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType
  ) async -> AVAudioPlayerNodeCompletionCallbackType {
    await withCheckedContinuation { continuation in
      schedule(buffer, at: when, options: options, callbackType) { continuation.resume(returning: $0) }
    }
  }

  // MARK: Files

  /// Schedules a whole file.
  /// - Parameters:
  ///   - file: With as many channels as the node's output; its rate is converted. Read on a thread of the player's, with a
  ///     place of its own: ``AVAudioFile/framePosition`` does not move.
  ///   - when: As for buffers.
  ///   - completionHandler: Called when the player has read all of it, or dropped it.
  public func scheduleFile(
    _ file: AVAudioFile, at when: AVAudioTime?, completionHandler: AVAudioNodeCompletionHandler? = nil
  ) {
    schedule(file, 0..<file.length, at: when, .dataConsumed, typed(completionHandler))
  }

  /// Schedules a whole file.
  public func scheduleFile(
    _ file: AVAudioFile, at when: AVAudioTime?,
    completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
    completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
  ) {
    schedule(file, 0..<file.length, at: when, callbackType, completionHandler)
  }

  /// Schedules a part of a file.
  /// - Parameters:
  ///   - file: As ``scheduleFile(_:at:completionHandler:)`` takes it.
  ///   - startFrame: The first frame, of the file's.
  ///   - numberFrames: How many; what is behind the end is left out. Differs: none is no error, the handler is called in its
  ///     turn.
  ///   - when: As for buffers.
  ///   - completionHandler: Called when the player has read all of it, or dropped it.
  public func scheduleSegment(
    _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition, frameCount numberFrames: AVAudioFrameCount,
    at when: AVAudioTime?, completionHandler: AVAudioNodeCompletionHandler? = nil
  ) {
    schedule(
      file, range(startFrame, numberFrames, of: file), at: when, .dataConsumed,
      typed(completionHandler))
  }

  /// Schedules a part of a file.
  public func scheduleSegment(
    _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition, frameCount numberFrames: AVAudioFrameCount,
    at when: AVAudioTime?, completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
    completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
  ) {
    schedule(file, range(startFrame, numberFrames, of: file), at: when, callbackType, completionHandler)
  }

  /// Schedules a whole file, and returns when the player has read all of it, or dropped it.
  public func scheduleFile(_ file: AVAudioFile, at when: AVAudioTime?) async {
    await withCheckedContinuation { continuation in
      schedule(file, 0..<file.length, at: when, .dataConsumed) { _ in continuation.resume() }
    }
  }

  /// Schedules a whole file, and returns at the moment that is asked for.
  @discardableResult
  public func scheduleFile(
    _ file: AVAudioFile, at when: AVAudioTime?,
    completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType
  ) async -> AVAudioPlayerNodeCompletionCallbackType {
    await withCheckedContinuation { continuation in
      schedule(file, 0..<file.length, at: when, callbackType) { continuation.resume(returning: $0) }
    }
  }

  /// Schedules a part of a file, and returns when the player has read all of it, or dropped it.
  public func scheduleSegment(
    _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition, frameCount numberFrames: AVAudioFrameCount,
    at when: AVAudioTime?
  ) async {
    await withCheckedContinuation { continuation in
      schedule(file, range(startFrame, numberFrames, of: file), at: when, .dataConsumed) { _ in continuation.resume()
      }
    }
  }

  /// Schedules a part of a file, and returns at the moment that is asked for.
  @discardableResult
  public func scheduleSegment(
    _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition, frameCount numberFrames: AVAudioFrameCount,
    at when: AVAudioTime?, completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType
  ) async -> AVAudioPlayerNodeCompletionCallbackType {
    await withCheckedContinuation { continuation in
      schedule(file, range(startFrame, numberFrames, of: file), at: when, callbackType) {
        continuation.resume(returning: $0)
      }
    }
  }

  /// Reads ahead what is scheduled from files, as far as it is kept: the first frames then wait when ``play()`` comes.
  /// Differs: how much is read is the player's own choice.
  /// - Parameter frameCount: Passed over: what fits is read.
  public func prepare(withFrameCount frameCount: AVAudioFrameCount) { feeder.kick() }

  /// A handler that does not ask for the type.
  private func typed(_ handler: AVAudioNodeCompletionHandler?) -> AVAudioPlayerNodeCompletionHandler? {
    guard let handler else { return nil }
    return { _ in handler() }
  }

  // MARK: Clips

  private func schedule(
    _ buffer: AVAudioPCMBuffer, at when: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions,
    _ type: AVAudioPlayerNodeCompletionCallbackType, _ handler: AVAudioPlayerNodeCompletionHandler?
  ) {
    let output = outputFormat(forBus: 0)
    require(
      buffer.format.channelCount == output.channelCount,
      "scheduleBuffer: the buffer's format \(buffer.format) has other channels than the player's output, \(output)")
    require(
      buffer.format.commonFormat != .otherFormat, "scheduleBuffer: \(buffer.format) is no format that a player plays")
    let memory = ClipMemory(buffer)
    let clip = Clip(
      ticket: book.add(type, handler), start: start(when, rate: output.sampleRate),
      options: Clip.Options(rawValue: UInt8(truncatingIfNeeded: options.rawValue & 7)), channels: memory.channels,
      planes: memory.planes, stride: memory.stride, frames: Int(buffer.frameLength), owner: memory)
    player.schedule(clip)
    settle()
  }

  private func schedule(
    _ file: AVAudioFile, _ range: Range<AVAudioFramePosition>, at when: AVAudioTime?,
    _ type: AVAudioPlayerNodeCompletionCallbackType, _ handler: AVAudioPlayerNodeCompletionHandler?
  ) {
    let output = outputFormat(forBus: 0)
    require(
      file.processingFormat.channelCount == output.channelCount,
      "scheduleFile: the file's format \(file.processingFormat) has other channels than the player's output, \(output)"
    )
    let clip = Clip(
      ticket: book.add(type, handler), start: start(when, rate: output.sampleRate),
      channels: Int(output.channelCount), capacity: 65_536)
    if range.isEmpty {
      clip.finish()
    } else {
      feeder.feed(clip, from: FileClipReader(file, range, to: output.pcmFormat))
    }
    player.schedule(clip)
    settle()
  }

  private func range(
    _ start: AVAudioFramePosition, _ count: AVAudioFrameCount, of file: AVAudioFile
  ) -> Range<AVAudioFramePosition> {
    let first = min(max(start, 0), file.length)
    return first..<min(file.length, first + AVAudioFramePosition(count))
  }
}

/// A buffer's samples as planes: its own memory where that is planes already, else a copy.
private final class ClipMemory {
  let planes: UnsafeMutablePointer<Float>
  let stride: Int
  let channels: Int
  private let buffer: AVAudioPCMBuffer?
  private let isOwn: Bool

  init(_ buffer: AVAudioPCMBuffer) {
    channels = Int(buffer.format.channelCount)
    if let (start, step) = Self.planes(of: buffer) {
      (planes, stride, isOwn) = (start, step, false)
      self.buffer = buffer
      return
    }
    stride = max(1, Int(buffer.frameLength))
    planes = .allocate(capacity: channels * stride)
    planes.initialize(repeating: 0, count: channels * stride)
    isOwn = true
    self.buffer = nil
    buffer.load { [planes, stride] in planes + $0 * stride }
  }

  deinit { if isOwn { planes.deallocate() } }

  /// Where a buffer's planes begin, and how far they are apart, if they are Float32, in the engine's order and evenly
  /// spaced.
  private static func planes(of buffer: AVAudioPCMBuffer) -> (UnsafeMutablePointer<Float>, Int)? {
    let channels = Int(buffer.format.channelCount)
    guard buffer.format.isStandard, buffer.format.channelOrder == Array(0..<channels),
      let data = buffer.floatChannelData
    else { return nil }
    guard channels > 1 else { return (data[0], 0) }
    let step = data[1] - data[0]
    for channel in 1..<channels where data[channel] - data[channel - 1] != step { return nil }
    return step > 0 ? (data[0], step) : nil
  }
}
