package import AudioModel
internal import DSP
internal import Realtime

/// The work of one render call, laid out beforehand: steps of trivial payloads, and all memory that they need.
///
/// Made on the control side and never changed; the device's thread runs it. Whoever holds the plan keeps what its
/// steps point to alive.
package final class RenderPlan: @unchecked Sendable {
  // After `init` the pointers' contents belong to the device's thread, from taking the plan to retiring it.
  let steps: UnsafeBufferPointer<RenderStep>
  let planes: UnsafeMutablePointer<Float>
  let gain: UnsafeMutablePointer<GainStage>
  let channels: Int

  /// Format of the output.
  package let format: PCMFormat
  /// Frames that the planes hold: longer calls are rendered in pieces.
  package let maximumFrames: Int

  /// Lays out source → gain → meter → interleaving.
  package init(format: PCMFormat, maximumFrames: Int) {
    precondition(maximumFrames > 0)
    self.format = format
    channels = format.channels
    self.maximumFrames = maximumFrames
    planes = .allocate(capacity: format.channels * maximumFrames)
    planes.initialize(repeating: 0, count: format.channels * maximumFrames)
    gain = .allocate(capacity: 1)
    gain.initialize(to: GainStage(rampFrames: format.sampleRate.hertz / 100))
    let steps = UnsafeMutableBufferPointer<RenderStep>.allocate(capacity: 4)
    _ = steps.initialize(from: [.source, .gain(gain), .meter, .interleave])
    self.steps = UnsafeBufferPointer(steps)
  }

  deinit {
    steps.deallocate()
    gain.deallocate()
    planes.deallocate()
  }

  // MARK: Real-time

  /// Renders a call.
  /// - Parameters:
  ///   - transport: Where the source's frames come from and the meter's peaks go.
  ///   - output: Room for `frames` interleaved frames.
  ///   - frames: How many are wanted.
  /// - Returns: How many there are; fewer mean that the sound has ended.
  @_noLocks @_noAllocation
  func render(
    from transport: Unmanaged<Transport>, into output: UnsafeMutablePointer<Float>, frames: Int
  ) -> Int {
    var done = 0
    while done < frames {
      let wanted = frames &- done < maximumFrames ? frames &- done : maximumFrames
      let count = execute(transport, output: output + done &* channels, frames: wanted)
      if count == 0 { break }
      done &+= count
    }
    return done
  }

  /// Runs the steps once, for at most ``maximumFrames``.
  @_noLocks @_noAllocation
  private func execute(
    _ transport: Unmanaged<Transport>, output: UnsafeMutablePointer<Float>, frames: Int
  ) -> Int {
    let channels = channels
    let stride = maximumFrames
    var count = 0
    var index = 0
    while index < steps.count {
      switch steps[index] {
      case .source:
        let planes = planes
        count = transport._withUnsafeGuaranteedRef {
          $0.fill(planes, stride: stride, channels: channels, frames: frames)
        }
        if count == 0 { return 0 }
      case .gain(let stage):
        stage.pointee.apply(to: planes, stride: stride, channels: channels, count: count)
      case .meter:
        var channel = 0
        while channel < channels {
          let peak = Meter.peak(planes + channel &* stride, count: count)
          transport._withUnsafeGuaranteedRef { $0.peaks.raise(channel, to: peak) }
          channel &+= 1
        }
      case .interleave:
        Interleaving.interleave(planes, stride: stride, channels: channels, frames: count, into: output)
      }
      index &+= 1
    }
    return count
  }
}

/// A step of a plan: a closed set, so that no step can hide a lock or an allocation.
enum RenderStep: BitwiseCopyable {
  /// Fills the planes from the transport.
  case source
  /// Scales the planes.
  case gain(UnsafeMutablePointer<GainStage>)
  /// Measures the planes.
  case meter
  /// Writes the planes out.
  case interleave
}
