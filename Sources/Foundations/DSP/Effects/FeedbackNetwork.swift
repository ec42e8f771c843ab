internal import Glibc

/// Sixteen delay lines whose ends are mixed and go back to their beginnings: the late part of a ``Reverb``.
///
/// A feedback delay network (J.-M. Jot and A. Chaigne, "Digital delay networks for designing artificial
/// reverberators", AES Convention 90, 1991). The mixing is Hadamard's matrix, which loses nothing, so that the
/// lines' filters alone decide how long sound lasts: each takes away as many decibels as its line is long, at low,
/// middle and high frequencies. Behind it pairs of lines are turned by slowly growing angles (S. J. Schlecht and E.
/// A. P. Habets, "Time-varying feedback matrices in feedback delay networks", JASA 138, 2015), which loses nothing
/// either: no resonance stays in its place long enough to ring.
struct FeedbackNetwork: ~Copyable {
  /// Number of lines.
  static let lines = 16
  /// Most frames at a time: no more than the shortest line has.
  let block: Int
  /// Rows of Hadamard's matrix by which channels enter, and lanes by which they leave: far apart for neighbours.
  private static let entries = [11, 13, 7, 14, 2, 4, 8, 1, 6, 9, 3, 12, 5, 10, 15, 0]
  private static let exits = [5, 10, 3, 12, 6, 9, 1, 14, 7, 13, 11, 2, 4, 8, 15, 0]

  private let memory: UnsafeMutablePointer<Float>
  private let samples: Int
  /// Of each line: where its samples begin, how many they are, and which comes next.
  private let begins: UnsafeMutablePointer<Int>
  private let lengths: UnsafeMutablePointer<Int>
  private let positions: UnsafeMutablePointer<Int>
  private let filters: UnsafeMutablePointer<DecayFilter>
  private let turns: UnsafeMutablePointer<Turn>
  /// The lines' frames while they are worked on; that of line l at `planes + l × block`.
  private let planes: UnsafeMutablePointer<Float>
  /// Signs by which a channel enters a line, at `16 × channel + line`, and the lane by which it leaves.
  private let signs: UnsafeMutablePointer<Float>
  private let lanes: UnsafeMutablePointer<Int>
  private let channels: Int
  /// Frames since the last step of the turning.
  private var phase = 0

  /// The angle by which two lines are turned, as cosine and sine, now and ``Turn/period`` frames on.
  private struct Turn: BitwiseCopyable {
    static let period = 64
    var (cosine, sine): (Float, Float)
    var (nextCosine, nextSine): (Float, Float)
    let (stepCosine, stepSine): (Float, Float)
  }

  /// Makes a silent network.
  /// - Parameters:
  ///   - lengths: Frames of each line.
  ///   - filters: The lines' filters, which lose nothing to the matrix: it is not scaled, they are.
  ///   - turning: Turns of the fastest pair in a frame.
  init(lengths: [Int], filters: [DecayFilter], channels: Int, turning: Double, block: Int) {
    let count = Self.lines
    precondition(lengths.count == count && filters.count == count)
    self.channels = channels
    self.block = min(block, lengths.min() ?? 1)
    samples = lengths.reduce(0, +)
    memory = .allocate(capacity: samples)
    memory.initialize(repeating: 0, count: samples)
    begins = .allocate(capacity: count)
    self.lengths = .allocate(capacity: count)
    positions = .allocate(capacity: count)
    positions.initialize(repeating: 0, count: count)
    self.filters = .allocate(capacity: count)
    var begin = 0
    for line in 0..<count {
      (begins + line).initialize(to: begin)
      (self.lengths + line).initialize(to: lengths[line])
      (self.filters + line).initialize(to: filters[line])
      begin += lengths[line]
    }
    planes = .allocate(capacity: count * self.block)
    planes.initialize(repeating: 0, count: count * self.block)
    signs = .allocate(capacity: count * channels)
    lanes = .allocate(capacity: channels)
    for channel in 0..<channels {
      (lanes + channel).initialize(to: Self.exits[channel % count])
      for line in 0..<count {
        let isOdd = (line & Self.entries[channel % count]).nonzeroBitCount % 2 == 1
        (signs + count * channel + line).initialize(to: (isOdd ? -0.25 : 0.25) / Float(channels).squareRoot())
      }
    }
    turns = .allocate(capacity: count / 2)
    for pair in 0..<count / 2 {
      // Different for each pair, and every other one backwards.
      let speed = turning * (0.31 + 0.69 * Double(pair * 5 % 8) / 7) * (pair % 2 == 0 ? 1 : -1)
      let angle = speed * Double(Turn.period) * 2 * Double.pi
      let (cosine, sine) = (Float(cos(angle)), Float(sin(angle)))
      (turns + pair).initialize(
        to: Turn(cosine: 1, sine: 0, nextCosine: cosine, nextSine: sine, stepCosine: cosine, stepSine: sine))
    }
  }

  deinit {
    for memory in [memory, planes, signs] { memory.deallocate() }
    for numbers in [begins, lengths, positions, lanes] { numbers.deallocate() }
    filters.deallocate()
    turns.deallocate()
  }

  // MARK: Real-time

  /// Forgets everything, and turns from the beginning again.
  @_noLocks @_noAllocation
  mutating func reset() {
    memory.update(repeating: 0, count: samples)
    phase = 0
    var line = 0
    while line < 16 {
      positions[line] = 0
      // A copy: changed in place, the compiler makes broken code of it under the thread sanitizer.
      var filter = filters[line]
      filter.reset()
      filters[line] = filter
      line &+= 1
    }
    var pair = 0
    while pair < 8 {
      let turn = turns + pair
      (turn.pointee.cosine, turn.pointee.sine) = (1, 0)
      (turn.pointee.nextCosine, turn.pointee.nextSine) = (turn.pointee.stepCosine, turn.pointee.stepSine)
      pair &+= 1
    }
  }

  /// Adds what comes out to planes, and takes others in.
  /// - Parameters:
  ///   - input: The plane of channel c begins at `input + c × inputStride`.
  ///   - output: The plane of channel c begins at `output + c × outputStride`.
  ///   - gain: Gain of what comes out.
  ///   - count: Frames, no more than ``block``.
  @_noLocks @_noAllocation
  mutating func run(
    _ input: UnsafePointer<Float>, inputStride: Int, addingTo output: UnsafeMutablePointer<Float>, outputStride: Int,
    gain: Float, count: Int
  ) {
    var line = 0
    while line < 16 {
      read(line, count: count)
      line &+= 1
    }
    line = 0
    while line < 16 {
      damp(line, count: count)
      line &+= 4
    }
    // Two times four by four: sixteen by sixteen.
    line = 0
    while line < 16 {
      mix(planes + line &* block, distance: block, count: count)
      line &+= 4
    }
    line = 0
    while line < 4 {
      mix(planes + line &* block, distance: 4 &* block, count: count)
      line &+= 1
    }
    var channel = 0
    while channel < channels {
      Mixing.add(
        output + channel &* outputStride, planes + lanes[channel] &* block, gain: gain, count: count)
      channel &+= 1
    }
    turn(count: count)
    line = 0
    while line < 16 {
      channel = 0
      while channel < channels {
        Mixing.add(
          planes + line &* block, input + channel &* inputStride, gain: signs[16 &* channel &+ line], count: count)
        channel &+= 1
      }
      write(line, count: count)
      line &+= 1
    }
  }

  @inline(__always) @_noLocks @_noAllocation
  private func read(_ line: Int, count: Int) {
    let room = lengths[line] &- positions[line]
    let first = count < room ? count : room
    let plane = planes + line &* block
    let circle = memory + begins[line]
    Mixing.set(plane, circle + positions[line], gain: 1, count: first)
    Mixing.set(plane + first, circle, gain: 1, count: count &- first)
  }

  /// Writes where was read: a line is exactly as long as its delay.
  @inline(__always) @_noLocks @_noAllocation
  private func write(_ line: Int, count: Int) {
    let room = lengths[line] &- positions[line]
    let first = count < room ? count : room
    let plane = planes + line &* block
    let circle = memory + begins[line]
    Mixing.set(circle + positions[line], plane, gain: 1, count: first)
    Mixing.set(circle, plane + first, gain: 1, count: count &- first)
    positions[line] = count < room ? positions[line] &+ count : count &- room
  }

  /// Four lines at a time: each sample waits for the one before it, so that one line alone would leave the processor
  /// idle.
  @_noLocks @_noAllocation
  private func damp(_ line: Int, count: Int) {
    var (a, b, c, d) = (filters[line], filters[line &+ 1], filters[line &+ 2], filters[line &+ 3])
    let first = planes + line &* block
    let (second, third, fourth) = (first + block, first + 2 &* block, first + 3 &* block)
    var index = 0
    while index < count {
      first[index] = a.step(first[index])
      second[index] = b.step(second[index])
      third[index] = c.step(third[index])
      fourth[index] = d.step(fourth[index])
      index &+= 1
    }
    filters[line] = a
    filters[line &+ 1] = b
    filters[line &+ 2] = c
    filters[line &+ 3] = d
  }

  /// Sums and differences of four planes, `distance` samples apart.
  @_noLocks @_noAllocation
  private func mix(_ plane: UnsafeMutablePointer<Float>, distance: Int, count: Int) {
    let (second, third, fourth) = (plane + distance, plane + 2 &* distance, plane + 3 &* distance)
    var index = 0
    while index < count {
      let (sum, difference) = (plane[index] + second[index], plane[index] - second[index])
      let (otherSum, otherDifference) = (third[index] + fourth[index], third[index] - fourth[index])
      plane[index] = sum + otherSum
      second[index] = difference + otherDifference
      third[index] = sum - otherSum
      fourth[index] = difference - otherDifference
      index &+= 1
    }
  }

  @_noLocks @_noAllocation
  private mutating func turn(count: Int) {
    var done = 0
    while done < count {
      let rest = Turn.period &- phase
      let part = count &- done < rest ? count &- done : rest
      var pair = 0
      while pair < 8 {
        let plane = planes + pair &* block + done
        turn(plane, plane + 8 &* block, by: turns[pair], count: part)
        pair &+= 1
      }
      done &+= part
      phase &+= part
      if phase == Turn.period {
        phase = 0
        pair = 0
        while pair < 8 {
          step(turns + pair)
          pair &+= 1
        }
      }
    }
  }

  /// Between two angles the way is straight, since they are close.
  @_noLocks @_noAllocation
  private func turn(
    _ first: UnsafeMutablePointer<Float>, _ second: UnsafeMutablePointer<Float>, by turn: Turn, count: Int
  ) {
    let scale = 1 / Float(64)
    let cosineStep = (turn.nextCosine - turn.cosine) * scale
    let sineStep = (turn.nextSine - turn.sine) * scale
    let begin = Int32(truncatingIfNeeded: phase)
    var index = 0
    while index < count {
      let number = Float(begin &+ Int32(truncatingIfNeeded: index))
      let cosine = turn.cosine + number * cosineStep
      let sine = turn.sine + number * sineStep
      let (x, y) = (first[index], second[index])
      first[index] = cosine * x - sine * y
      second[index] = sine * x + cosine * y
      index &+= 1
    }
  }

  @_noLocks @_noAllocation
  private func step(_ turn: UnsafeMutablePointer<Turn>) {
    let now = turn.pointee
    (turn.pointee.cosine, turn.pointee.sine) = (now.nextCosine, now.nextSine)
    let cosine = now.nextCosine * now.stepCosine - now.nextSine * now.stepSine
    let sine = now.nextSine * now.stepCosine + now.nextCosine * now.stepSine
    // Newton's step towards a length of 1: rounding adds up to nothing.
    let length = 1.5 - 0.5 * (cosine * cosine + sine * sine)
    (turn.pointee.nextCosine, turn.pointee.nextSine) = (cosine * length, sine * length)
  }
}
