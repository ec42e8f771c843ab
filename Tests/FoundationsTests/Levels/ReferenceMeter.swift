import Glibc

/// True-peak meters that share nothing with Martlet's: straight sums in double precision.
enum ReferenceMeter {
  /// The greatest magnitude at 16 places for each sample, by a sinc under a Kaiser window.
  /// - Parameter reach: Samples that count on either side.
  static func peak(_ signal: [Float], reach: Int, beta: Double = 9) -> Double {
    let phases = 16
    let taps = 2 * reach
    var table = [Double](repeating: 0, count: phases * taps)
    for phase in 0..<phases {
      for tap in 0..<taps {
        let distance = Double(phase) / Double(phases) - Double(tap - reach + 1)
        let place = distance / Double(reach)
        guard abs(place) < 1 else { continue }
        let sinc = distance == 0 ? 1 : sin(Double.pi * distance) / (Double.pi * distance)
        table[phase * taps + tap] = sinc * bessel(beta * (1 - place * place).squareRoot()) / bessel(beta)
      }
    }
    return greatest(signal, table, phases: phases, taps: taps)
  }

  /// The meter of ITU-R BS.1770-4, Annex 2: four places, by the coefficients of its table.
  static func broadcastPeak(_ signal: [Float]) -> Double {
    let first = [
      0.001708984375, 0.010986328125, -0.0196533203125, 0.033203125, -0.0594482421875, 0.1373291015625, 0.97216796875,
      -0.102294921875, 0.047607421875, -0.026611328125, 0.014892578125, -0.00830078125,
    ]
    let second = [
      -0.0291748046875, 0.029296875, -0.0517578125, 0.089111328125, -0.16650390625, 0.465087890625, 0.77978515625,
      -0.2003173828125, 0.1015625, -0.0582275390625, 0.0330810546875, -0.0189208984375,
    ]
    return greatest(signal, first + second + second.reversed() + first.reversed(), phases: 4, taps: 12)
  }

  private static func greatest(_ signal: [Float], _ table: [Double], phases: Int, taps: Int) -> Double {
    let padding = [Double](repeating: 0, count: taps)
    let padded = padding + signal.map(Double.init) + padding
    var greatest = 0.0
    padded.withUnsafeBufferPointer { padded in
      table.withUnsafeBufferPointer { table in
        guard let samples = padded.baseAddress, let row = table.baseAddress else { return }
        var place = 0
        while place < padded.count - taps {
          var phase = 0
          while phase < phases {
            var sum = 0.0
            var tap = 0
            while tap < taps {
              sum += samples[place &+ tap] * row[phase &* taps &+ tap]
              tap &+= 1
            }
            greatest = max(greatest, abs(sum))
            phase &+= 1
          }
          place &+= 1
        }
      }
    }
    return greatest
  }

  private static func bessel(_ x: Double) -> Double {
    var (term, sum, index) = (1.0, 1.0, 1.0)
    while term > sum * 1e-17 {
      term *= x * x / 4 / (index * index)
      sum += term
      index += 1
    }
    return sum
  }
}

/// Decibels of an amplitude.
func decibels(_ amplitude: Double) -> Double { 20 * log10(amplitude) }

/// The amplitude of decibels.
func amplitude(_ decibels: Double) -> Double { pow(10, decibels / 20) }
