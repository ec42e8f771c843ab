import AudioModel
import AudioOutput
import ByteSource
import MartletTestSupport
import Platform
import Realtime

/// Bytes that break off with an error.
final class BreakingSource: ByteSource {
  private let base: MemorySource
  private let limit: Int
  private let position = Monitor(0)

  init(_ bytes: [UInt8], at limit: Int) {
    base = MemorySource(bytes)
    self.limit = limit
  }

  func open() throws(AudioError) -> SourceFacts { try base.open() }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(AudioError) -> Int {
    let left = limit - position.withLock { $0 }
    guard left > 0 else { throw AudioError(.connectionLost, "the connection was lost") }
    let count = try base.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(left, buffer.count)]))
    position.withLock { $0 += count }
    return count
  }

  func seek(to target: Int64) throws(AudioError) {
    try base.seek(to: target)
    position.withLock { $0 = Int(target) }
  }

  func cancel() { base.cancel() }
  func close() { base.close() }
}

/// A loudspeaker that takes frames at the very moment at which it is asked how far it is.
final class RunningOutput: OutputDevice {
  private let base = ManualOutput()
  private let step: Int

  init(step: Int) { self.step = step }

  func open(
    _ request: OutputRequest, source: any RenderSource, events: @escaping OutputEventHandler
  ) throws(AudioError) -> PCMFormat { try base.open(request, source: source, events: events) }

  func start() throws(AudioError) { try base.start() }
  func pause() { base.pause() }
  func resume() { base.resume() }
  func withdraw() { base.withdraw() }
  func close() { base.close() }

  var timing: OutputTiming {
    base.pull(frames: step)
    return base.timing
  }
}
