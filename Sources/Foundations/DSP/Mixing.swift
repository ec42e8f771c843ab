/// Planes added to planes.
package enum Mixing {
  // MARK: Real-time

  /// `target = source × gain`; at gain 1 a copy, bit for bit.
  @_noLocks @_noAllocation
  package static func set(
    _ target: UnsafeMutablePointer<Float>, _ source: UnsafePointer<Float>, gain: Float, count: Int
  ) {
    var index = 0
    if gain == 1 {
      while index < count {
        target[index] = source[index]
        index &+= 1
      }
    } else {
      while index < count {
        target[index] = source[index] * gain
        index &+= 1
      }
    }
  }

  /// `target += source × gain`.
  @_noLocks @_noAllocation
  package static func add(
    _ target: UnsafeMutablePointer<Float>, _ source: UnsafePointer<Float>, gain: Float, count: Int
  ) {
    var index = 0
    if gain == 1 {
      while index < count {
        target[index] += source[index]
        index &+= 1
      }
    } else if gain != 0 {
      while index < count {
        target[index] += source[index] * gain
        index &+= 1
      }
    }
  }

  /// `target = source × (gain × curve)`, sample by sample: the product in brackets first, as where the gain stands still.
  @_noLocks @_noAllocation
  package static func set(
    _ target: UnsafeMutablePointer<Float>, _ source: UnsafePointer<Float>, gain: Float, curve: UnsafePointer<Float>,
    count: Int
  ) {
    var index = 0
    while index < count {
      target[index] = source[index] * (gain * curve[index])
      index &+= 1
    }
  }

  /// `target += source × (gain × curve)`, sample by sample.
  @_noLocks @_noAllocation
  package static func add(
    _ target: UnsafeMutablePointer<Float>, _ source: UnsafePointer<Float>, gain: Float, curve: UnsafePointer<Float>,
    count: Int
  ) {
    var index = 0
    while index < count {
      target[index] += source[index] * (gain * curve[index])
      index &+= 1
    }
  }

  /// Copies planes.
  @_noLocks @_noAllocation
  package static func copy(
    _ source: UnsafePointer<Float>, stride sourceStride: Int, to target: UnsafeMutablePointer<Float>,
    stride: Int, channels: Int, count: Int
  ) {
    var channel = 0
    while channel < channels {
      set(target + channel &* stride, source + channel &* sourceStride, gain: 1, count: count)
      channel &+= 1
    }
  }

  /// Writes silence.
  @_noLocks @_noAllocation
  package static func clear(
    _ target: UnsafeMutablePointer<Float>, stride: Int, channels: Int, count: Int
  ) {
    var channel = 0
    while channel < channels {
      (target + channel &* stride).update(repeating: 0, count: count)
      channel &+= 1
    }
  }
}
