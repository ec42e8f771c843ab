internal import AudioModel
internal import CoreAudioTypes
internal import Foundation

// Between buffers of Apple's interface and the engine's planes.
extension AVAudioPCMBuffer {
  /// A buffer with a copy of a block's frames.
  /// - Parameter format: In the engine's form, with the block's channels.
  convenience init?(copying block: PCMBlock, format: AVAudioFormat) {
    self.init(pcmFormat: format, frameCapacity: AVAudioFrameCount(max(1, block.frameCount)))
    store(block.frameCount, at: 0) { UnsafePointer(block.plane($0)) }
  }

  /// Converts planes to the buffer's samples, behind the frames that are there, or in their place.
  /// - Parameters:
  ///   - frames: How many.
  ///   - offset: The buffer's frame that the first becomes.
  ///   - dither: Adds triangular noise of two steps peak to peak before samples are rounded to 16 bits; the number of the
  ///     first frame, on which the noise depends and on nothing else.
  ///   - plane: Where the samples of an engine's channel begin.
  func store(_ frames: Int, at offset: Int, dither: Int64? = nil, from plane: (Int) -> UnsafePointer<Float>) {
    precondition(offset >= 0 && frames >= 0 && offset + frames <= Int(frameCapacity))
    let order = format.channelOrder
    for channel in order.indices {
      if let dither, format.commonFormat == .pcmFormatInt16 {
        storeWithDither(plane(channel), frames, offset: offset, channel: order[channel], first: dither)
      } else {
        store(plane(channel), frames, offset: offset, channel: order[channel])
      }
    }
    frameLength = AVAudioFrameCount(offset + frames)
  }

  private func store(_ source: UnsafePointer<Float>, _ frames: Int, offset: Int, channel: Int) {
    let (start, step) = (self.start(of: channel), stride)
    switch format.commonFormat {
    case .pcmFormatFloat32:
      let target = start.assumingMemoryBound(to: Float.self) + offset * step
      if step == 1 { return target.update(from: source, count: frames) }
      for frame in 0..<frames { target[frame * step] = source[frame] }
    case .pcmFormatFloat64:
      let target = start.assumingMemoryBound(to: Double.self) + offset * step
      for frame in 0..<frames { target[frame * step] = Double(source[frame]) }
    case .pcmFormatInt16:
      let target = start.assumingMemoryBound(to: Int16.self) + offset * step
      for frame in 0..<frames { target[frame * step] = Int16(rounding: source[frame]) }
    case .pcmFormatInt32:
      let target = start.assumingMemoryBound(to: Int32.self) + offset * step
      for frame in 0..<frames { target[frame * step] = Int32(rounding: source[frame]) }
    case .otherFormat:
      fatalError("AVAudioPCMBuffer: \(format) is no format that the engine renders to")
    }
  }

  private func storeWithDither(
    _ source: UnsafePointer<Float>, _ frames: Int, offset: Int, channel: Int, first: Int64
  ) {
    let (start, step) = (self.start(of: channel), stride)
    let target = start.assumingMemoryBound(to: Int16.self) + offset * step
    // SplitMix64 (Steele, Lea and Flood 2014), whose numbers can be had in any order; both halves of one make a triangle.
    var place = UInt64(bitPattern: first) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(channel + 1) &* 0xD134_2543_DE82_EF95
    for frame in 0..<frames {
      place &+= 0x9E37_79B9_7F4A_7C15
      var random = (place ^ place >> 30) &* 0xBF58_476D_1CE4_E5B9
      random = (random ^ random >> 27) &* 0x94D0_49BB_1331_11EB
      random ^= random >> 31
      let noise = Float(random >> 40) - Float(random & 0xFF_FFFF)
      target[frame * step] = Int16(rounding: source[frame] + noise * 0x1p-39)
    }
  }

  /// Converts the buffer's samples to planes.
  /// - Parameter plane: Where the samples of an engine's channel go, ``frameLength`` of them.
  func load(into plane: (Int) -> UnsafeMutablePointer<Float>) {
    let order = format.channelOrder
    for channel in order.indices { load(plane(channel), channel: order[channel]) }
  }

  private func load(_ target: UnsafeMutablePointer<Float>, channel: Int) {
    let (start, step, frames) = (self.start(of: channel), stride, Int(frameLength))
    switch format.commonFormat {
    case .pcmFormatFloat32:
      let source = start.assumingMemoryBound(to: Float.self)
      for frame in 0..<frames { target[frame] = source[frame * step] }
    case .pcmFormatFloat64:
      let source = start.assumingMemoryBound(to: Double.self)
      for frame in 0..<frames { target[frame] = Float(source[frame * step]) }
    case .pcmFormatInt16:
      let source = start.assumingMemoryBound(to: Int16.self)
      for frame in 0..<frames { target[frame] = Float(source[frame * step]) / 0x1p15 }
    case .pcmFormatInt32:
      let source = start.assumingMemoryBound(to: Int32.self)
      for frame in 0..<frames { target[frame] = Float(Double(source[frame * step]) / 0x1p31) }
    case .otherFormat:
      fatalError("AVAudioPCMBuffer: \(format) is no format that a player plays")
    }
  }
}

extension FixedWidthInteger {
  /// A sample of full scale ±1, rounded to nearest and clipped at full scale; not a number is 0.
  init(rounding sample: Float) {
    let scaled = (Double(sample) * -Double(Self.min)).rounded(.toNearestOrEven)
    self = scaled.isNaN ? 0 : scaled >= Double(Self.max) ? .max : scaled <= Double(Self.min) ? .min : Self(scaled)
  }
}
