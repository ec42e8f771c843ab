package import AudioModel
internal import Platform
package import RenderGraph

/// Where a feeder reads what a clip is to play. Belongs to the feeder's thread; what it has open it closes when it is freed.
package protocol ClipReader: AnyObject, Sendable {
  /// Reads the next frames, in the clip's rate and channels.
  /// - Parameter block: Emptied first.
  /// - Returns: How many there are; 0 at the end, and where reading fails.
  func read(into block: PCMBlock, upTo frames: Int) -> Int
}

/// Reads files for the clips of one player, in the order of scheduling, ahead of what is played.
///
/// A thread of its own does it, begun when the first file is scheduled and gone when nothing is left; where results must
/// not depend on threads, ``fill(frames:)`` does the same at once.
package final class ClipFeeder: Sendable {
  private final class Job: @unchecked Sendable {
    // The reader belongs to whoever has taken `Desk.isReading`.
    let clip: Clip
    let reader: any ClipReader
    let block: PCMBlock
    init(_ clip: Clip, _ reader: any ClipReader) {
      self.clip = clip
      self.reader = reader
      block = PCMBlock(channels: clip.channels, capacity: ClipFeeder.stride)
    }
  }
  private struct Desk {
    var jobs: [Job] = []
    var hasThread = false
    var isReading = false
    var isAsynchronous = true
  }

  private static let stride = 4096
  private let desk = Monitor(Desk())

  /// Makes a feeder with nothing to do.
  package init() {}

  /// Whether a thread reads; otherwise only ``fill(frames:)`` does.
  package func setAsynchronous(_ isAsynchronous: Bool) {
    desk.signal { $0.isAsynchronous = isAsynchronous }
    startThread()
  }

  /// Feeds a clip from now on.
  package func feed(_ clip: Clip, from reader: any ClipReader) {
    desk.signal { $0.jobs.append(Job(clip, reader)) }
    startThread()
  }

  /// Forgets clips that are over.
  package func remove(tickets: Set<Int64>) {
    desk.signal { $0.jobs.removeAll { tickets.contains($0.clip.ticket) } }
  }

  /// Room may have come: goes on.
  package func kick() { desk.signal { _ in } }

  /// Reads until `frames` wait to be played, or all clips are read as far as they hold.
  package func fill(frames: Int) {
    var waiting = 0
    for job in desk.withLock({ $0.jobs }) where waiting < frames {
      while job.clip.waitingFrames < frames - waiting, step(job) {}
      waiting += job.clip.waitingFrames
    }
  }

  private func startThread() {
    let starts = desk.withLock { desk -> Bool in
      guard desk.isAsynchronous, !desk.hasThread, !desk.jobs.isEmpty else { return false }
      desk.hasThread = true
      return true
    }
    guard starts else { return }
    _ = NamedThread("martlet-feed") { [self] in
      while let job = next() { _ = step(job) }
    }
  }

  /// The first job with room, when there is one; `nil` ends the thread.
  private func next() -> Job? {
    desk.wait { desk -> Job?? in
      if desk.jobs.isEmpty || !desk.isAsynchronous {
        desk.hasThread = false
        return .some(nil)
      }
      return desk.jobs.first { $0.clip.writableFrames >= Self.stride }.map { .some($0) }
    } ?? nil
  }

  /// Reads once.
  /// - Returns: Whether there may be more to read at once.
  private func step(_ job: Job) -> Bool {
    let isMine = desk.wait { desk -> Bool? in
      if desk.isReading { return nil }
      guard desk.jobs.contains(where: { $0 === job }) else { return false }
      desk.isReading = true
      return true
    }
    guard isMine == true else { return false }
    let room = min(Self.stride, job.clip.writableFrames)
    let count = room > 0 ? job.reader.read(into: job.block, upTo: room) : 0
    if count > 0 { _ = job.clip.write(job.block, from: 0, count: count) }
    let isOver = room > 0 && count == 0
    if isOver { job.clip.finish() }
    desk.signal { desk in
      desk.isReading = false
      if isOver { desk.jobs.removeAll { $0 === job } }
    }
    return count > 0
  }
}
