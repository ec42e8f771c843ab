internal import CALSA

/// How a device wants its samples; little-endian machines.
enum ALSASample: CaseIterable {
  // In order of preference.
  case f32, s32, s24, s16

  var format: snd_pcm_format_t {
    switch self {
    case .f32: SND_PCM_FORMAT_FLOAT_LE
    case .s32: SND_PCM_FORMAT_S32_LE
    case .s24: SND_PCM_FORMAT_S24_3LE
    case .s16: SND_PCM_FORMAT_S16_LE
    }
  }

  var bytes: Int {
    switch self {
    case .f32, .s32: 4
    case .s24: 3
    case .s16: 2
    }
  }

  /// Converts samples, in the order of `channels` within each frame. Integers are rounded to nearest and clipped;
  /// not-a-number becomes silence.
  func convert(
    _ source: UnsafePointer<Float>, frames: Int, channels: [Int], to target: UnsafeMutableRawPointer
  ) {
    let count = channels.count
    var place = target
    for frame in 0..<frames {
      for channel in channels {
        let sample = source[frame * count + channel]
        switch self {
        case .f32: place.storeBytes(of: sample, as: Float.self)
        case .s32: place.storeBytes(of: Self.integer(sample, scale: 2_147_483_648), as: Int32.self)
        case .s24:
          let value = Self.integer(sample, scale: 8_388_608)
          place.storeBytes(of: UInt16(truncatingIfNeeded: value), as: UInt16.self)
          place.storeBytes(of: UInt8(truncatingIfNeeded: value >> 16), toByteOffset: 2, as: UInt8.self)
        case .s16:
          place.storeBytes(of: Int16(truncatingIfNeeded: Self.integer(sample, scale: 32_768)), as: Int16.self)
        }
        place += bytes
      }
    }
  }

  /// Converts samples of a device to ours: the sample at place n of a frame is that of channel `channels[n]`.
  func convert(
    _ source: UnsafeRawPointer, frames: Int, channels: [Int], to target: UnsafeMutablePointer<Float>
  ) {
    let count = channels.count
    var place = source
    for frame in 0..<frames {
      for channel in channels {
        let sample: Float
        switch self {
        case .f32: sample = place.loadUnaligned(as: Float.self)
        case .s32: sample = Float(place.loadUnaligned(as: Int32.self)) * 0x1p-31
        case .s24:
          let low = Int32(place.loadUnaligned(as: UInt16.self))
          let high = Int32(place.loadUnaligned(fromByteOffset: 2, as: Int8.self))
          sample = Float(high << 16 | low) * 0x1p-23
        case .s16: sample = Float(place.loadUnaligned(as: Int16.self)) * 0x1p-15
        }
        target[frame * count + channel] = sample
        place += bytes
      }
    }
  }

  private static func integer(_ sample: Float, scale: Double) -> Int32 {
    let value = (Double(sample) * scale).rounded()
    return value.isNaN ? 0 : Int32(max(-scale, min(scale - 1, value)))
  }
}
