package import AudioModel
internal import Glibc

/// What a space is made of. Every number is ours; a preset's name says what it was chosen for.
///
/// The acceptance of a preset is its ``DecayTimes/middle``: the time in which the octave around 1 kHz falls by 60 dB.
package struct ReverbPlan: Hashable, Sendable {
  /// How long sound lasts.
  package var times: DecayTimes
  /// Milliseconds of the average delay line: how far walls are apart.
  package var size: Double
  /// Milliseconds before anything is heard.
  package var preDelay: Double
  /// Coefficient of the allpasses: 0.5 leaves single echoes to be heard in the beginning, 0.72 none.
  package var diffusion: Double
  /// Part of the reverb's energy that comes as early reflections, which tell where a sound comes from.
  package var early: Double
  /// Where the reverb as a whole has lost 3 dB of treble, in hertz.
  package var brightness: Double

  /// The plan of a preset.
  package init(_ preset: ReverbPreset) {
    //                                  T60   bass  treble  size  pre  diffusion early bright
    switch preset {
    case .smallRoom: self.init(0.35, 0.90, 0.60, 14, 2, 0.60, 0.40, 9_000)
    case .mediumRoom: self.init(0.60, 0.95, 0.60, 20, 4, 0.62, 0.35, 9_000)
    case .largeRoom: self.init(1.00, 1.00, 0.55, 28, 8, 0.64, 0.30, 8_500)
    case .mediumHall: self.init(1.70, 1.10, 0.50, 40, 18, 0.66, 0.20, 8_000)
    case .largeHall: self.init(2.60, 1.15, 0.45, 50, 26, 0.68, 0.16, 7_500)
    case .plate: self.init(1.90, 0.75, 0.75, 38, 0, 0.72, 0.00, 16_000)
    case .mediumChamber: self.init(1.20, 0.95, 0.65, 30, 6, 0.70, 0.20, 11_000)
    case .largeChamber: self.init(1.80, 1.00, 0.60, 38, 10, 0.70, 0.16, 10_500)
    case .cathedral: self.init(6.00, 1.20, 0.35, 66, 36, 0.70, 0.08, 6_500)
    case .largeRoom2: self.init(1.20, 0.90, 0.80, 33, 10, 0.60, 0.32, 12_000)
    case .mediumHall2: self.init(1.90, 1.20, 0.40, 42, 22, 0.68, 0.18, 6_500)
    case .mediumHall3: self.init(2.10, 1.00, 0.65, 40, 14, 0.64, 0.24, 11_000)
    case .largeHall2: self.init(3.40, 1.10, 0.50, 54, 30, 0.70, 0.12, 9_000)
    }
  }

  private init(
    _ middle: Double, _ bass: Double, _ treble: Double, _ size: Double, _ preDelay: Double, _ diffusion: Double,
    _ early: Double, _ brightness: Double
  ) {
    times = DecayTimes(middle: middle, bass: bass, treble: treble)
    self.size = size
    self.preDelay = preDelay
    self.diffusion = diffusion
    self.early = early
    self.brightness = brightness
  }

  /// Seconds after which a sound has fallen by 96 dB at all frequencies: it is taken for over.
  package var tail: Double { (preDelay + 3 * size) / 1000 + 1.6 * times.middle * max(1, times.bass, times.treble) }

  /// An early reflection.
  struct Reflection: Hashable {
    /// The channel that it comes from.
    var channel: Int
    /// Frames behind the sound.
    var delay: Int
    var gain: Float
  }

  /// Reflections of one channel: ten of them, each third from its neighbour, denser and weaker as they come later.
  func reflections(channel: Int, channels: Int, rate: Double) -> [Reflection] {
    guard early > 0 else { return [] }
    var reflections: [Reflection] = []
    var energy = 0.0
    for index in 0..<10 {
      // Places without a pattern, by the golden section; other ones for each channel.
      let chance = (Double(index * 7 + channel * 11 + 3) * 0.618_033_988_749_895).truncatingRemainder(dividingBy: 1)
      let place = (Double(index) + 0.15 + 0.7 * chance) / 10
      let time = preDelay + size * (0.15 + 1.9 * (0.35 * place + 0.65 * place.squareRoot()))
      let gain = 1 / (1 + (time - preDelay) / size) * (chance * 8 - (chance * 8).rounded(.down) < 0.5 ? 1 : -1)
      energy += gain * gain
      let source = index % 3 == 2 ? (channel + 1) % channels : channel
      reflections.append(Reflection(channel: source, delay: Int(time * rate / 1000), gain: Float(gain)))
    }
    for index in reflections.indices { reflections[index].gain *= Float((early / energy).squareRoot()) }
    return reflections
  }

  /// Lengths of the network's lines in frames, in no order: prime numbers, so that no two have a resonance in common.
  func lines(rate: Double) -> [Int] {
    let count = FeedbackNetwork.lines
    var lengths: [Int] = []
    for line in 0..<count {
      // From 0.52 to 1.66 of the size, in equal ratios: their mean is the size.
      let ratio = 0.52 * pow(3.2, Double(line) / Double(count - 1))
      var length = max(2, Int(size * ratio * rate / 1000))
      while lengths.contains(length) || !Self.isPrime(length) { length += 1 }
      lengths.append(length)
    }
    return (0..<count).map { lengths[$0 * 7 % count] }
  }

  /// Lengths of a channel's allpasses in frames.
  func allpasses(channel: Int, rate: Double) -> [Int] {
    let scale = (size / 30).squareRoot() * (1 + 0.037 * Double(channel % 8)) * rate / 1000
    return [2.31, 3.73, 6.11, 9.67].map { length in
      var frames = max(2, Int(length * scale))
      while !Self.isPrime(frames) { frames += 1 }
      return frames
    }
  }

  private static func isPrime(_ number: Int) -> Bool {
    guard number > 3 else { return number > 1 }
    var divisor = 2
    while divisor * divisor <= number {
      if number.isMultiple(of: divisor) { return false }
      divisor += 1
    }
    return true
  }
}
