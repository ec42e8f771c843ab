/// Allpass filters in a row (M. R. Schroeder, "Natural sounding artificial reverberation", JAES 10, 1962): each echo
/// becomes many, and the spectrum stays as it is.
struct AllpassChain: ~Copyable {
  private let stages: Int
  private let gain: Float
  private let memory: UnsafeMutablePointer<Float>
  private let samples: Int
  /// Of each stage: where its samples begin, how many they are, and which comes next.
  private let begins: UnsafeMutablePointer<Int>
  private let lengths: UnsafeMutablePointer<Int>
  private let positions: UnsafeMutablePointer<Int>

  /// Makes filters.
  /// - Parameters:
  ///   - lengths: Frames of each one's delay, at least 1.
  ///   - gain: Their coefficient, below 1: how far echoes are smeared.
  init(lengths: [Int], gain: Float) {
    stages = lengths.count
    self.gain = gain
    samples = lengths.reduce(0, +)
    memory = .allocate(capacity: samples)
    memory.initialize(repeating: 0, count: samples)
    begins = .allocate(capacity: stages)
    self.lengths = .allocate(capacity: stages)
    positions = .allocate(capacity: stages)
    positions.initialize(repeating: 0, count: stages)
    var begin = 0
    for (stage, length) in lengths.enumerated() {
      (begins + stage).initialize(to: begin)
      (self.lengths + stage).initialize(to: length)
      begin += length
    }
  }

  deinit {
    memory.deallocate()
    begins.deallocate()
    lengths.deallocate()
    positions.deallocate()
  }

  // MARK: Real-time

  /// Forgets everything.
  @_noLocks @_noAllocation
  func reset() {
    memory.update(repeating: 0, count: samples)
    positions.update(repeating: 0, count: stages)
  }

  /// Filters frames in place.
  @_noLocks @_noAllocation
  func run(_ plane: UnsafeMutablePointer<Float>, count: Int) {
    var stage = 0
    while stage < stages {
      let circle = memory + begins[stage]
      let length = lengths[stage]
      var position = positions[stage]
      var done = 0
      while done < count {
        let room = length &- position
        let part = count &- done < room ? count &- done : room
        smear(plane + done, circle + position, count: part)
        done &+= part
        position &+= part
        if position == length { position = 0 }
      }
      positions[stage] = position
      stage &+= 1
    }
  }

  /// What comes out of the delay is read where what goes in is written: no frame needs another of the same part.
  @inline(__always) @_noLocks @_noAllocation
  private func smear(_ plane: UnsafeMutablePointer<Float>, _ delayed: UnsafeMutablePointer<Float>, count: Int) {
    let gain = gain
    var index = 0
    while index < count {
      let late = delayed[index]
      // Adding what is too little to count, and taking it away, makes zeros of what processors are slow with.
      let inner = (plane[index] + gain * late + 1e-18) - 1e-18
      delayed[index] = inner
      plane[index] = late - gain * inner
      index &+= 1
    }
  }
}
