internal import AudioModel
internal import CPulse

/// Formats, in PulseAudio's words and ours.
enum PulseFormat {
  /// PulseAudio's position of each bit of a layout's mask.
  private static let positions: [pa_channel_position_t] = [
    PA_CHANNEL_POSITION_FRONT_LEFT, PA_CHANNEL_POSITION_FRONT_RIGHT, PA_CHANNEL_POSITION_FRONT_CENTER,
    PA_CHANNEL_POSITION_LFE, PA_CHANNEL_POSITION_REAR_LEFT, PA_CHANNEL_POSITION_REAR_RIGHT,
    PA_CHANNEL_POSITION_FRONT_LEFT_OF_CENTER, PA_CHANNEL_POSITION_FRONT_RIGHT_OF_CENTER,
    PA_CHANNEL_POSITION_REAR_CENTER, PA_CHANNEL_POSITION_SIDE_LEFT, PA_CHANNEL_POSITION_SIDE_RIGHT,
    PA_CHANNEL_POSITION_TOP_CENTER, PA_CHANNEL_POSITION_TOP_FRONT_LEFT, PA_CHANNEL_POSITION_TOP_FRONT_CENTER,
    PA_CHANNEL_POSITION_TOP_FRONT_RIGHT, PA_CHANNEL_POSITION_TOP_REAR_LEFT, PA_CHANNEL_POSITION_TOP_REAR_CENTER,
    PA_CHANNEL_POSITION_TOP_REAR_RIGHT,
  ]

  /// The nearest format that a server takes: its limits are 384 kHz and 32 channels.
  static func nearest(_ format: PCMFormat) -> PCMFormat {
    PCMFormat(
      sampleRate: min(format.sampleRate, SampleRate(hertz: 384_000)!),
      layout: format.channels <= 32 ? format.layout : .stereo)
  }

  static func specification(_ format: PCMFormat) -> pa_sample_spec {
    pa_sample_spec(
      format: PA_SAMPLE_FLOAT32LE, rate: UInt32(format.sampleRate.hertz), channels: UInt8(format.channels))
  }

  static func map(_ layout: ChannelLayout) -> pa_channel_map {
    var map = pa_channel_map()
    _ = pulse.pa_channel_map_init(&map)
    map.channels = UInt8(layout.count)
    var wanted: [pa_channel_position_t] = []
    if layout.count == 1 {
      wanted = [PA_CHANNEL_POSITION_MONO]
    } else if layout.mask >> UInt32(positions.count) == 0 {
      wanted = positions.indices.filter { layout.mask >> UInt32($0) & 1 == 1 }.map { positions[$0] }
    }
    if wanted.count != layout.count {
      wanted = (0..<layout.count).map {
        pa_channel_position_t(rawValue: PA_CHANNEL_POSITION_AUX0.rawValue + Int32($0))
      }
    }
    withUnsafeMutableBytes(of: &map.map) { bytes in
      let slots = bytes.bindMemory(to: pa_channel_position_t.self)
      for (index, position) in wanted.enumerated() { slots[index] = position }
    }
    return map
  }

  /// A sink's format; its layout is known by count alone where it has positions that we have no bits for.
  static func format(_ specification: pa_sample_spec, _ map: pa_channel_map) -> PCMFormat? {
    var mask: UInt32 = 0
    withUnsafeBytes(of: map.map) { bytes in
      for position in bytes.bindMemory(to: pa_channel_position_t.self).prefix(Int(map.channels)) {
        if let bit = positions.firstIndex(of: position) { mask |= 1 << UInt32(bit) }
      }
    }
    guard let rate = SampleRate(hertz: Int(specification.rate)),
      let layout = ChannelLayout(count: Int(specification.channels), mask: mask)
    else { return nil }
    return PCMFormat(sampleRate: rate, layout: layout)
  }
}
