import DSP
import Testing

@Suite("Kernels")
struct KernelTests {
  private func apply(_ ramp: inout GainRamp, to samples: [Float]) -> [Float] {
    var samples = samples
    let count = samples.count
    samples.withUnsafeMutableBufferPointer {
      ramp.apply(to: $0.baseAddress!, stride: count, channels: 1, count: count)
    }
    return samples
  }

  @Test("a gain of 1 changes no bit, one of 0 makes silence even of what is no number")
  func standing() {
    let odd: [Float] = [.nan, .infinity, -0.0, .leastNonzeroMagnitude, 3]
    var unity = GainRamp(1)
    #expect(apply(&unity, to: odd).map(\.bitPattern) == odd.map(\.bitPattern))
    var nothing = GainRamp(0)
    #expect(apply(&nothing, to: odd).map(\.bitPattern) == [0, 0, 0, 0, 0])
    var half = GainRamp(0.5)
    #expect(apply(&half, to: [Float](repeating: 3, count: 19)) == [Float](repeating: 1.5, count: 19))
  }

  @Test("a ramp is a straight line that reaches neither end, whatever the blocks", arguments: [1, 3, 8, 9, 64])
  func ramp(block: Int) {
    var ramp = GainRamp(0)
    ramp.move(to: 1, over: 31)
    var output: [Float] = []
    while output.count < 40 {
      output += apply(&ramp, to: [Float](repeating: 1, count: min(block, 40 - output.count)))
    }
    #expect(output == (1...40).map { $0 < 32 ? Float($0) / 32 : 1 })
    #expect(ramp.gain == 1)
  }

  @Test("a ramp within a ramp begins where that one stands; steps back repeat it")
  func turn() {
    var ramp = GainRamp(1)
    ramp.move(to: 0, over: 3)
    #expect(apply(&ramp, to: [1, 1]) == [0.75, 0.5])
    ramp.move(to: 1, over: 1)
    #expect(apply(&ramp, to: [1, 1]) == [0.75, 1])
    ramp.rewind(2)
    #expect(apply(&ramp, to: [1, 1]) == [0.75, 1])
    ramp.move(to: 1, over: 5)
    #expect(ramp.length == 0)
  }

  @Test("peak and mean square", arguments: [1, 7, 8, 9, 100])
  func meter(count: Int) {
    var samples = [Float](repeating: 0.5, count: count)
    samples[count - 1] = -2
    let meter = samples.withUnsafeBufferPointer { Meter($0.baseAddress!, count: count) }
    #expect(meter.peak == 2)
    #expect(abs(meter.meanSquare - (Float(count - 1) * 0.25 + 4) / Float(count)) < 1e-5)
    #expect(samples.withUnsafeBufferPointer { Meter.peak($0.baseAddress!, count: count) } == 2)
  }

  @Test("not-a-number does not hide a peak")
  func meterOfNaN() {
    var samples = [Float](repeating: .nan, count: 17)
    samples[3] = 0.25
    samples[16] = -0.5
    #expect(samples.withUnsafeBufferPointer { Meter.peak($0.baseAddress!, count: 17) } == 0.5)
  }

  @Test("interleaving and back", arguments: [1, 2, 3, 8])
  func interleaving(channels: Int) {
    let frames = 21
    let stride = 25
    let planes = (0..<channels * stride).map { Float($0) }
    var samples = [Float](repeating: .nan, count: channels * frames)
    var back = [Float](repeating: .nan, count: channels * stride)
    samples.withUnsafeMutableBufferPointer { samples in
      planes.withUnsafeBufferPointer {
        Interleaving.interleave(
          $0.baseAddress!, stride: stride, channels: channels, frames: frames, into: samples.baseAddress!)
      }
      back.withUnsafeMutableBufferPointer {
        Interleaving.deinterleave(
          samples.baseAddress!, channels: channels, frames: frames, into: $0.baseAddress!, stride: stride)
      }
    }
    for channel in 0..<channels {
      for frame in 0..<frames {
        #expect(samples[frame * channels + channel] == planes[channel * stride + frame])
        #expect(back[channel * stride + frame] == planes[channel * stride + frame])
      }
    }
  }
}
