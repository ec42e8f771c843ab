internal import CKernels

/// How the phases of the present spectra are turned to follow the result.
extension PhaseVocoder {
  // MARK: Real-time

  /// Turns the present spectra to follow the result's, which they become.
  @_noLocks @_noAllocation
  func turn() {
    measure(present, into: powers)
    findTurns()
    if isAttack { keepWhatIsNew() }
    var channel = 0
    while channel < channels {
      let from = present + channel &* 2 &* bins
      let to = result + channel &* 2 &* bins
      var bin = 0
      while bin < bins {
        let (re, im) = (from[2 &* bin], from[2 &* bin &+ 1])
        let (c, s) = (turns[2 &* bin], turns[2 &* bin &+ 1])
        to[2 &* bin] = re * c - im * s
        to[2 &* bin &+ 1] = re * s + im * c
        bin &+= 1
      }
      channel &+= 1
    }
  }

  /// Makes the present spectra the result's as they are.
  @_noLocks @_noAllocation
  func adopt() { Kernels.copy(present, to: result, count: channels &* 2 &* bins) }

  /// Turns nothing where there was little before: what sets in has the phases it came with.
  @_noLocks @_noAllocation
  private func keepWhatIsNew() {
    measure(past, into: pastPowers)
    var bin = 0
    while bin < bins {
      if powers[bin] > 4 * pastPowers[bin] {
        turns[2 &* bin] = 1
        turns[2 &* bin &+ 1] = 0
      }
      bin &+= 1
    }
  }

  /// The powers of spectra, all channels together.
  @_noLocks @_noAllocation
  private func measure(_ spectra: UnsafePointer<Float>, into powers: UnsafeMutablePointer<Float>) {
    var channel = 0
    while channel < channels {
      let from = spectra + channel &* 2 &* bins
      var bin = 0
      while bin < bins {
        let power = from[2 &* bin] * from[2 &* bin] + from[2 &* bin &+ 1] * from[2 &* bin &+ 1]
        powers[bin] = channel == 0 ? power : powers[bin] + power
        bin &+= 1
      }
      channel &+= 1
    }
  }

  /// The turn of each bin: that of the peak it belongs to.
  @_noLocks @_noAllocation
  private func findTurns() {
    var bin = 0
    var first = 0
    while first < bins {
      // A peak is greater than two neighbours each side.
      var peak = -1
      while bin < bins {
        let power = powers[bin]
        var isPeak = true
        if bin > 0 { isPeak = isPeak && power > powers[bin &- 1] }
        if bin > 1 { isPeak = isPeak && power > powers[bin &- 2] }
        if bin &+ 1 < bins { isPeak = isPeak && power >= powers[bin &+ 1] }
        if bin &+ 2 < bins { isPeak = isPeak && power >= powers[bin &+ 2] }
        bin &+= 1
        if isPeak {
          peak = bin &- 1
          break
        }
      }
      // Its region ends at the lowest bin before the next peak.
      var end = bins
      if peak >= 0 {
        var next = bin
        var lowest = bin
        while next < bins {
          let power = powers[next]
          var isPeak = power > powers[next &- 1]
          if next > 1 { isPeak = isPeak && power > powers[next &- 2] }
          if next &+ 1 < bins { isPeak = isPeak && power >= powers[next &+ 1] }
          if next &+ 2 < bins { isPeak = isPeak && power >= powers[next &+ 2] }
          if isPeak {
            end = lowest < next ? lowest : next
            break
          }
          if power < powers[lowest] { lowest = next }
          next &+= 1
        }
      }
      let (re, im) = peak >= 0 ? turn(at: peak) : (1, 0)
      while first < end {
        turns[2 &* first] = re
        turns[2 &* first &+ 1] = im
        first &+= 1
      }
      if end > bin { bin = end }
    }
  }

  /// The turn that makes the past spectra the result's, at a bin.
  @_noLocks @_noAllocation
  private func turn(at bin: Int) -> (Float, Float) {
    var re: Float = 0
    var im: Float = 0
    var channel = 0
    while channel < channels {
      let place = channel &* 2 &* bins &+ 2 &* bin
      let (a, b) = (result[place], result[place &+ 1])
      let (c, d) = (past[place], past[place &+ 1])
      re += a * c + b * d
      im += b * c - a * d
      channel &+= 1
    }
    let power = re * re + im * im
    guard power > 1e-30 else { return (1, 0) }
    let factor = 1 / martlet_square_root(power)
    return (re * factor, im * factor)
  }
}
