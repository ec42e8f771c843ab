/// What the device plays when: output frames mapped to stream frames.
///
/// The render path reports only turning points (it runs from here, it holds from there, it runs at another speed from there);
/// everything between follows at the speed of the last. A rewind takes back turning points that were rendered but will not be heard. Pure value; owned by the
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
    /// How far behind `streamFrame` it is, as a part of a frame.
    package var fraction: Double
    /// Stream frames that pass with an output frame.
    package var speed: Double
    /// Stream frames advance with output frames; else silence, and the stream stands.
    package var isRunning: Bool

    /// Makes a turning point.
    package init(
      outputFrame: Int64, generation: Int, streamFrame: Int64, fraction: Double = 0, speed: Double = 1,
      isRunning: Bool
    ) {
      self.outputFrame = outputFrame
      self.generation = generation
      self.streamFrame = streamFrame
      self.fraction = fraction
      self.speed = speed
      self.isRunning = isRunning
    }

    /// The stream frame at an output frame behind the turning point: the last that has begun.
    package func streamFrame(at frame: Int64) -> Int64 {
      guard isRunning else { return streamFrame }
      let passed = frame - outputFrame
      guard speed != 1 || fraction != 0 else { return streamFrame + passed }
      // What is whole but for rounding is whole: two turning points say the same of where they meet.
      return streamFrame + Int64((fraction + Double(passed) * speed + 1e-6).rounded(.down))
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
    /// Stream frames that pass with an output frame.
    package var speed: Double

    /// Makes a stretch.
    package init(generation: Int, frames: Range<Int64>, outputFrame: Int64, speed: Double = 1) {
      self.generation = generation
      self.frames = frames
      self.outputFrame = outputFrame
      self.speed = speed
    }

    /// The output frame at which a stream frame of the stretch is heard.
    package func outputFrame(of streamFrame: Int64) -> Int64 {
      let passed = streamFrame - frames.lowerBound
      return outputFrame + (speed == 1 ? passed : Int64((Double(passed) / speed).rounded()))
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
      let first = mark.streamFrame(at: lower)
      var last = mark.streamFrame(at: upper)
      // Where the next turning point is reached, the stream is where that one says.
      if upper == end, marks[index + 1].generation == mark.generation {
        last = marks[index + 1].streamFrame(at: end)
      }
      result.append(
        Stretch(
          generation: mark.generation, frames: first..<max(first, last), outputFrame: lower, speed: mark.speed))
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
