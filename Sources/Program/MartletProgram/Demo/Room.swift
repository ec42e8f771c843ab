/// What a room gives back: an echo that goes from side to side, and a reverberation.
///
/// The reverberation is a feedback delay network of four lines: their lengths have no common divisor, an orthogonal
/// (Hadamard) matrix joins them, and each loses treble on its way, as air and walls take it. After Jot and Chaigne.
final class Room {
  private var echo: (left: DelayLine, right: DelayLine)
  private var lines: [DelayLine]
  private var damped: [Float] = [0, 0, 0, 0]

  init(rate: Double) {
    let echoFrames = Int(Score.beat * 0.75 * rate)
    echo = (DelayLine(length: echoFrames), DelayLine(length: echoFrames))
    lines = [1559, 1933, 2389, 2903].map { DelayLine(length: Int(Double($0) * rate / 48_000)) }
  }

  /// One frame in, one frame out.
  func process(echo sent: (Float, Float), room input: (Float, Float)) -> (Float, Float) {
    // What comes out on the left goes in on the right.
    let echoed = (echo.left.next, echo.right.next)
    echo.left.put((sent.0 + sent.1) * 0.6 + echoed.1 * 0.42)
    echo.right.put(echoed.0 * 0.75)
    let a = absorb(0), b = absorb(1), c = absorb(2), d = absorb(3)
    let left = input.0 + echoed.0 * 0.3
    let right = input.1 + echoed.1 * 0.3
    lines[0].put(left + 0.41 * (a + b + c + d))
    lines[1].put(right + 0.41 * (a - b + c - d))
    lines[2].put(left + 0.41 * (a + b - c - d))
    lines[3].put(right + 0.41 * (a - b - c + d))
    return (echoed.0 + 0.5 * (a + c), echoed.1 + 0.5 * (b + d))
  }

  /// A line's output with the treble that it has lost.
  private func absorb(_ index: Int) -> Float {
    damped[index] += 0.55 * (lines[index].next - damped[index])
    return damped[index]
  }
}

/// Keeps samples for a while.
private struct DelayLine {
  private var samples: [Float]
  private var position = 0

  init(length: Int) { samples = [Float](repeating: 0, count: length) }

  /// What comes out now.
  var next: Float { samples[position] }

  /// Puts in what comes out `length` steps later.
  mutating func put(_ sample: Float) {
    samples[position] = sample
    position = position + 1 == samples.count ? 0 : position + 1
  }
}
