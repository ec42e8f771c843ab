/// What the device plays when: output frames mapped to stream frames.
///
/// The render path reports only turning points (it runs from here, it holds from there); everything between follows one
/// to one. A rewind takes back turning points that were rendered but will not be heard. Pure value; owned by the
/// control side.
package struct Timeline: Hashable, Sendable {
  /// A turning point: what holds from `outputFrame` on.
  package struct Mark: Hashable, Sendable {
    /// First output frame for which it holds.
    package var outputFrame: Int64
    /// Which buffer is being read.
    package var generation: Int
    /// The stream frame that stands at `outputFrame`.
    package var streamFrame: Int64
    /// Stream frames advance with output frames; else silence, and the stream stands.
    package var isRunning: Bool

    /// Makes a turning point.
    package init(outputFrame: Int64, generation: Int, streamFrame: Int64, isRunning: Bool) {
      self.outputFrame = outputFrame
      self.generation = generation
      self.streamFrame = streamFrame
      self.isRunning = isRunning
    }
  }

  /// A stretch of output in which stream frames follow each other.
  package struct Stretch: Hashable, Sendable {
    /// Which buffer.
    package var generation: Int
    /// The stream frames heard.
    package var frames: Range<Int64>
    /// The output frame of the first.
    package var outputFrame: Int64

    /// Makes a stretch.
    package init(generation: Int, frames: Range<Int64>, outputFrame: Int64) {
      self.generation = generation
      self.frames = frames
      self.outputFrame = outputFrame
    }
  }

  private var marks: [Mark] = []

  /// Makes an empty timeline: nothing was rendered.
  package init() {}

  /// Adds a turning point. Output frames must not go back; use ``rewind(to:)`` first.
  package mutating func append(_ mark: Mark) {
    if let last = marks.last, last.outputFrame == mark.outputFrame { marks.removeLast() }
    marks.append(mark)
  }

  /// Takes back everything at and after an output frame. What held just before it holds on.
  package mutating func rewind(to outputFrame: Int64) {
    while marks.count > 1, let last = marks.last, last.outputFrame >= outputFrame { marks.removeLast() }
  }

  /// What holds at an output frame.
  package func mark(at outputFrame: Int64) -> Mark? {
    marks.last { $0.outputFrame <= outputFrame }
  }

  /// The running stretches among the output frames of a range, in order.
  package func stretches(in range: Range<Int64>) -> [Stretch] {
    var result: [Stretch] = []
    for (index, mark) in marks.enumerated() where mark.isRunning {
      let end = index + 1 < marks.count ? marks[index + 1].outputFrame : Int64.max
      let lower = max(mark.outputFrame, range.lowerBound)
      let upper = min(end, range.upperBound)
      guard lower < upper else { continue }
      let first = mark.streamFrame + (lower - mark.outputFrame)
      result.append(
        Stretch(generation: mark.generation, frames: first..<first + (upper - lower), outputFrame: lower))
    }
    return result
  }

  /// The first output frame, at or after `outputFrame`, at which nothing runs any more; `nil` while it runs on.
  package func silence(after outputFrame: Int64) -> Int64? {
    guard let last = marks.last, !last.isRunning else { return nil }
    return max(last.outputFrame, outputFrame)
  }

  /// Forgets turning points that no output frame at or after `outputFrame` needs.
  package mutating func forget(before outputFrame: Int64) {
    while marks.count > 1, marks[1].outputFrame <= outputFrame { marks.removeFirst() }
  }
}
