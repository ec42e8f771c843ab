internal import Glibc

/// A sounding note: a sum of damped sines, which is what struck and plucked things are.
///
/// Each sine is the recursion y[n] = 2 r cos ω · y[n−1] − r² · y[n−2], which costs two multiplications.
struct Voice {
  private struct Partial {
    var turn: Float
    var decay: Float
    var last = Float(0)
    var beforeLast: Float
  }

  /// First frame, on the piece's timeline.
  let start: Int
  /// Frame at which nothing is left of it.
  let end: Int
  let pan: Float
  /// Shares that go to the echo and to the room.
  let echo: Float
  let room: Float
  private var partials: [Partial] = []
  private let attack: Float
  private let releaseStart: Int
  private let release: Float
  private var age = 0

  /// Begins a note.
  init(_ note: Score.Note, rate: Double) {
    let pitch = 440 * pow(2, Double(note.pitch - 69) / 12)
    let sound = Sound(note.instrument)
    start = Int((note.time * rate).rounded())
    releaseStart = Int(note.length * rate)
    release = Float(sound.release * rate)
    attack = Float(sound.attack * rate)
    end = start + releaseStart + Int(sound.release * rate)
    pan = Float(note.pan)
    echo = Float(sound.echo)
    room = Float(sound.room)
    for overtone in sound.overtones {
      let frequency = pitch * overtone.ratio
      guard frequency < 0.4 * rate else { continue }
      let angle = 2 * Double.pi * frequency / rate
      let radius = overtone.decay.isFinite ? exp(-1 / (overtone.decay * rate)) : 1
      // As if the sine had been zero now and its predecessor one step before.
      partials.append(
        Partial(
          turn: Float(2 * radius * cos(angle)), decay: Float(radius * radius),
          beforeLast: Float(-sin(angle) * overtone.strength * note.strength / radius)))
    }
  }

  /// Adds the next frames of the note to a block.
  mutating func add(to block: UnsafeMutablePointer<Float>, count: Int) {
    for index in partials.indices {
      var partial = partials[index]
      var frame = 0
      while frame < count {
        let value = partial.turn * partial.last - partial.decay * partial.beforeLast
        partial.beforeLast = partial.last
        partial.last = value
        block[frame] += value
        frame &+= 1
      }
      partials[index] = partial
    }
    shape(block, count: count)
  }

  /// Rise at the beginning, fall at the end, both with zero slope where they meet the rest.
  private mutating func shape(_ block: UnsafeMutablePointer<Float>, count: Int) {
    defer { age += count }
    guard Float(age) < attack || age + count > releaseStart else { return }
    var frame = 0
    while frame < count {
      let now = age &+ frame
      let rise = min(Float(now) / attack, 1)
      let fall = min(max(Float(now &- releaseStart) / release, 0), 1)
      block[frame] *= rise * rise * (3 - 2 * rise) * (1 - fall) * (1 - fall)
      frame &+= 1
    }
  }
}

/// What makes an instrument: its overtones, and how it begins and ends.
private struct Sound {
  struct Overtone {
    var ratio: Double
    var strength: Double
    /// Seconds until it has fallen to 1/e; infinite for what is blown or bowed.
    var decay: Double
  }

  var overtones: [Overtone]
  var attack: Double
  var release: Double
  var echo: Double
  var room: Double

  init(_ instrument: Score.Instrument) {
    switch instrument {
    case .pad:
      // Two choirs a few cents apart beat slowly against each other.
      overtones = [0.9985, 1.0015].flatMap { tune in
        (1...5).map {
          Overtone(ratio: Double($0) * tune, strength: pow(Double($0), -1.8), decay: .infinity)
        }
      }
      (attack, release, echo, room) = (0.9, 1.6, 0, 0.5)
    case .string:
      // Plucked at a fifth of its length; stiffness stretches the overtones a little.
      overtones = (1...9).map { number in
        let k = Double(number)
        return Overtone(
          ratio: k * (1 + 0.00012 * k * k).squareRoot(), strength: abs(sin(.pi * k / 5)) / pow(k, 1.25),
          decay: 1.1 / (1 + 0.45 * (k - 1)))
      }
      (attack, release, echo, room) = (0.004, 0.5, 0.28, 0.22)
    case .bass:
      overtones = [(1, 1, 1.6), (2, 0.35, 0.8), (3, 0.12, 0.4)].map {
        Overtone(ratio: $0.0, strength: $0.1, decay: $0.2)
      }
      (attack, release, echo, room) = (0.012, 0.25, 0, 0.06)
    case .bell:
      overtones = [(1, 1, 1.4), (2, 0.22, 0.8), (3.01, 0.16, 0.45), (5.42, 0.05, 0.2)].map {
        Overtone(ratio: $0.0, strength: $0.1, decay: $0.2)
      }
      (attack, release, echo, room) = (0.006, 1, 0.4, 0.45)
    }
  }
}
