/// From one plane per channel to interleaved samples and back.
package enum Interleaving {
  // MARK: Real-time

  /// Interleaves.
  /// - Parameters:
  ///   - planes: The plane of channel c begins at `planes + c × stride`.
  ///   - frames: How many.
  ///   - output: Room for `frames` × `channels` samples.
  @_noLocks @_noAllocation
  package static func interleave(
    _ planes: UnsafePointer<Float>, stride: Int, channels: Int, frames: Int, into output: UnsafeMutablePointer<Float>
  ) {
    switch channels {
    case 1:
      var frame = 0
      while frame < frames {
        output[frame] = planes[frame]
        frame &+= 1
      }
    case 2:
      let right = planes + stride
      var frame = 0
      while frame < frames {
        output[2 &* frame] = planes[frame]
        output[2 &* frame &+ 1] = right[frame]
        frame &+= 1
      }
    default:
      var channel = 0
      while channel < channels {
        let plane = planes + channel &* stride
        var frame = 0
        var place = channel
        while frame < frames {
          output[place] = plane[frame]
          place &+= channels
          frame &+= 1
        }
        channel &+= 1
      }
    }
  }

  /// Takes interleaved samples apart; the parameters are those of ``interleave(_:stride:channels:frames:into:)``.
  @_noLocks @_noAllocation
  package static func deinterleave(
    _ input: UnsafePointer<Float>, channels: Int, frames: Int, into planes: UnsafeMutablePointer<Float>, stride: Int
  ) {
    switch channels {
    case 1:
      var frame = 0
      while frame < frames {
        planes[frame] = input[frame]
        frame &+= 1
      }
    case 2:
      let right = planes + stride
      var frame = 0
      while frame < frames {
        planes[frame] = input[2 &* frame]
        right[frame] = input[2 &* frame &+ 1]
        frame &+= 1
      }
    default:
      var channel = 0
      while channel < channels {
        let plane = planes + channel &* stride
        var frame = 0
        var place = channel
        while frame < frames {
          plane[frame] = input[place]
          place &+= channels
          frame &+= 1
        }
        channel &+= 1
      }
    }
  }
}
