internal import AudioModel
internal import Codecs
internal import CoreAudioTypes
internal import DSP
public import Foundation
internal import Media

/// Converts between formats: sample types, channels, rates, and codecs in both directions.
///
/// N frames at one rate become ⌈N × output rate ÷ input rate⌉ at another, all whose place lies before the input's end,
/// and the first lies where the first did: what the filter delays is made up for. For one thread at a time.
///
/// Set the properties before the first conversion, or after ``reset()``.
open class AVAudioConverter: NSObject {
  /// What it takes.
  public let inputFormat: AVAudioFormat
  /// What it gives.
  public let outputFormat: AVAudioFormat

  private var source: ConverterSource?
  private var chain: ConverterChain?
  private var target: ConverterTarget?
  private var chainFormat: PCMFormat?
  private let taken = PCMBlock(channels: 1, capacity: 1)
  private let ready = PCMBlock(channels: 1, capacity: 1)
  private var handed = 0
  private var hasEnded = false
  private var given: Int64 = 0

  /// Makes a converter.
  /// - Returns: nil where there is no decoder or no encoder for a format, or a rate or number of channels is none.
  public init?(from fromFormat: AVAudioFormat, to toFormat: AVAudioFormat) {
    inputFormat = fromFormat
    outputFormat = toFormat
    super.init()
    for format in [fromFormat, toFormat] {
      guard format.sampleRate >= 1, format.sampleRate <= Double(SampleRate.accepted.upperBound),
        format.channelCount > 0
      else { return nil }
      if format.isLinearPCM {
        guard format.commonFormat != .otherFormat else { return nil }
      } else if ConverterCodecs.codec(format) == nil {
        return nil
      }
    }
    if !toFormat.isLinearPCM {
      guard (try? openTarget()) != nil else { return nil }
    }
  }

  /// Forgets the signal so far; the properties stay, and those set since the first conversion take effect.
  open func reset() {
    (source, chain, target) = (nil, nil, nil)
    handed = 0
    ready.removeAll()
    hasEnded = false
    given = 0
  }

  // MARK: Settings

  /// Of each output channel the input channel that it is, or −1 for silence. Empty at first: equal channels pass, mono
  /// goes to all, of more channels the first are kept.
  open var channelMap: [NSNumber] = []

  /// Mixes channels that the output lacks into those it has, by ITU-R BS.775, in place of ``channelMap``. Default
  /// `false`.
  open var downmix = false

  /// Adds noise before samples are rounded to 16 bits, or to those of a lossless format: triangular, of one step, the
  /// same in every run. Default `false`.
  open var dither = false {
    didSet { if dither != oldValue, !outputFormat.isLinearPCM { target = nil } }
  }

  /// How steep the filter is that changes the rate: a value of ``AVAudioQuality``. Default medium, which is flat to 0.91 of
  /// the band and 120 dB down from its end on.
  open var sampleRateConverterQuality = AVAudioQuality.medium.rawValue

  /// The name of the way of changing the rate. Differs: there is one way, linear in phase, under all names.
  open var sampleRateConverterAlgorithm: String?

  /// How the edges are treated. Differs: `pre` is as `normal`; the delay of the filter is made up for in all.
  open var primeMethod = AVAudioConverterPrimeMethod.normal

  /// Frames in front of the sound and behind it that packets decode to, and that are no sound.
  ///
  /// Of packets that are encoded it is read: in front is the encoder's delay, behind what fills the last packet, known
  /// when all is encoded. Of packets that are decoded it is set before the first, to what the file or the sender says,
  /// and these frames are left out; it is 0 and 0 at first. Differs: between samples it is 0 and 0, since nothing is
  /// added, and only that of packets that are decoded can be set; what else is set is passed over.
  open var primeInfo: AVAudioConverterPrimeInfo {
    get {
      guard let encoder else { return priming }
      return AVAudioConverterPrimeInfo(
        leadingFrames: AVAudioFrameCount(encoder.delay), trailingFrames: AVAudioFrameCount(encoder.padding))
    }
    set {
      guard !inputFormat.isLinearPCM, outputFormat.isLinearPCM else { return }
      priming = newValue
      source = nil
    }
  }
  private var priming = AVAudioConverterPrimeInfo()

  /// Set-up bytes: of packets that are decoded, to be set before the first, in a form of
  /// ``AVAudioFormat/magicCookie``; of packets that are encoded, to be read (FLAC's has its lengths and its checksum when
  /// all is encoded). Nil where the format has none.
  open var magicCookie: Data? {
    get {
      guard !outputFormat.isLinearPCM else { return cookie ?? inputFormat.magicCookie }
      return encoder.flatMap { $0.decoderConfiguration.isEmpty ? nil : Data($0.decoderConfiguration) }
    }
    set {
      cookie = newValue
      source = nil
    }
  }
  private var cookie: Data?

  /// Bits per second of an encoder, for all channels together; 0, the default, is its usual rate, and of lossless formats
  /// all rates are. A rate that the encoder does not have is an error of the next conversion.
  open var bitRate = 0 {
    didSet { if bitRate != oldValue, !outputFormat.isLinearPCM { target = nil } }
  }

  @available(*, unavailable, message: "use bitRate: the encoder spreads the bits as it does best")
  open var bitRateStrategy: String? { nil }

  /// Bytes of the greatest packet that an encoder makes; 0 for linear PCM.
  open var maximumOutputPacketSize: Int { encoder?.maximumPacketBytes ?? 0 }

  private var encoder: (any AudioEncoder)? {
    guard !outputFormat.isLinearPCM, let target = try? openTarget() else { return nil }
    return target.encoder
  }

  /// Bits per second that the encoder may be asked for, for all channels together; `nil` where it can't be chosen.
  open var availableEncodeBitRates: [NSNumber]? {
    guard let codec = ConverterCodecs.codec(outputFormat),
      let range = EncoderTable(MediaRegistry.standard.encoders).registration(for: codec)?.bitRates
    else { return nil }
    let usual = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320].map { $0 * 1000 }
    let channels = Int(outputFormat.channelCount)
    return usual.filter { range.contains($0 / channels) }.map { NSNumber(value: $0) }
  }

  /// Those of ``availableEncodeBitRates`` that go with the output format: all.
  open var applicableEncodeBitRates: [NSNumber]? { availableEncodeBitRates }

  /// Rates that the encoder takes; `nil` where it takes all.
  open var availableEncodeSampleRates: [NSNumber]? {
    guard let codec = ConverterCodecs.codec(outputFormat),
      let registration = EncoderTable(MediaRegistry.standard.encoders).registration(for: codec),
      !registration.rates.isEmpty
    else { return nil }
    return registration.rates.map { NSNumber(value: $0) }
  }

  /// Those of ``availableEncodeSampleRates`` that go with the output format: all.
  open var applicableEncodeSampleRates: [NSNumber]? { availableEncodeSampleRates }

  // MARK: Converting

  /// Converts a buffer of samples to another of the same rate, all of it.
  /// - Parameters:
  ///   - outputBuffer: With room for as many frames as the input has. Its length is set.
  ///   - inputBuffer: Of ``inputFormat``.
  /// - Throws: Where the rates differ, a format is compressed, or there is too little room.
  open func convert(to outputBuffer: AVAudioPCMBuffer, from inputBuffer: AVAudioPCMBuffer) throws {
    check(outputBuffer, outputFormat, "output")
    check(inputBuffer, inputFormat, "input")
    guard inputFormat.sampleRate == outputFormat.sampleRate else {
      throw EngineError.make(
        kAudioConverterErr_OperationNotSupported,
        "\(inputFormat) to \(outputFormat) changes the rate: that needs an input block")
    }
    guard outputBuffer.frameCapacity >= inputBuffer.frameLength else {
      throw EngineError.make(
        kAudioConverterErr_InvalidOutputSize,
        "\(inputBuffer.frameLength) frames do not fit into a buffer of \(outputBuffer.frameCapacity)")
    }
    var isGiven = false
    var error: NSError?
    outputBuffer.frameLength = 0
    reset()
    _ = convert(to: outputBuffer, error: &error) { _, status in
      status.pointee = isGiven ? .endOfStream : .haveData
      defer { isGiven = true }
      return isGiven ? nil : inputBuffer
    }
    if let error { throw error }
  }

  /// Converts what an input block gives, until the output is full or there is no more.
  ///
  /// Differs: the length is exact, ⌈N × output rate ÷ input rate⌉ frames of N, and the first lies where the first did. A
  /// buffer without frames or packets counts as nothing for now.
  /// - Parameters:
  ///   - outputBuffer: Of ``outputFormat``. Its length is set.
  ///   - outError: Set where the status is ``AVAudioConverterOutputStatus/error``.
  ///   - inputBlock: Called as often as input is needed; see ``AVAudioConverterInputBlock``.
  @discardableResult
  open func convert(
    to outputBuffer: AVAudioBuffer, error outError: NSErrorPointer,
    withInputFrom inputBlock: AVAudioConverterInputBlock
  ) -> AVAudioConverterOutputStatus {
    check(outputBuffer, outputFormat, "output")
    (outputBuffer as? AVAudioPCMBuffer)?.frameLength = 0
    if let packets = outputBuffer as? AVAudioCompressedBuffer { (packets.packetCount, packets.byteLength) = (0, 0) }
    do throws(AudioError) {
      return try fill(outputBuffer, inputBlock)
    } catch {
      outError?.pointee = ConverterFailure.make(error)
      return .error
    }
  }

  private func check(_ buffer: AVAudioBuffer, _ format: AVAudioFormat, _ side: String) {
    require(
      buffer.format == format,
      "convert: the \(side) buffer's format \(buffer.format) is not the converter's, \(format)")
  }

  private func fill(
    _ output: AVAudioBuffer, _ inputBlock: AVAudioConverterInputBlock
  ) throws(AudioError) -> AVAudioConverterOutputStatus {
    let source = try openSource()
    let target = try openTarget()
    while true {
      if try hand(to: output, target) { return .haveData }
      if hasEnded { return isEmpty(output) ? .endOfStream : .haveData }
      var status = AVAudioConverterInputStatus.noDataNow
      let buffer = inputBlock(wanted(output), &status)
      switch (status, buffer) {
      case (.haveData, let buffer?):
        // A block that has nothing but never says so would be asked for ever.
        if isEmpty(buffer) { return .inputRanDry }
        require(
          source.accepts(buffer),
          "convert: the input block's buffer is \(buffer.format), the converter's input format \(inputFormat)")
        taken.reshape(channels: source.format.channels, capacity: max(taken.capacity, 4096))
        try source.take(buffer, into: taken)
        convert(source, taken)
      case (.endOfStream, _):
        taken.reshape(channels: source.format.channels, capacity: max(taken.capacity, 4096))
        try source.finish(into: taken)
        convert(source, taken)
        chain?.finish(into: ready)
        hasEnded = true
        if target.encoder != nil {
          try target.encode(ready, from: handed, count: ready.frameCount - handed)
          handed = ready.frameCount
          try target.finish()
        }
      default: return .inputRanDry
      }
    }
  }

  /// Hands out what is ready.
  /// - Returns: Whether the output is full.
  private func hand(to output: AVAudioBuffer, _ target: ConverterTarget) throws(AudioError) -> Bool {
    if let packets = output as? AVAudioCompressedBuffer {
      if ready.frameCount > handed, !hasEnded {
        try target.encode(ready, from: handed, count: ready.frameCount - handed)
        handed = ready.frameCount
      }
      return try target.hand(to: packets)
    }
    guard let pcm = output as? AVAudioPCMBuffer else { return true }
    let offset = Int(pcm.frameLength)
    let count = min(ready.frameCount - handed, Int(pcm.frameCapacity) - offset)
    if count > 0 {
      pcm.store(count, at: offset, dither: dither ? given : nil) { UnsafePointer(self.ready.plane($0) + self.handed) }
      handed += count
      given += Int64(count)
    }
    return pcm.frameLength == pcm.frameCapacity
  }

  private func isEmpty(_ buffer: AVAudioBuffer) -> Bool {
    if let packets = buffer as? AVAudioCompressedBuffer { return packets.packetCount == 0 }
    return (buffer as? AVAudioPCMBuffer)?.frameLength == 0
  }

  private func convert(_ source: ConverterSource, _ block: PCMBlock) {
    if chain == nil || chainFormat != source.format {
      chainFormat = source.format
      chain = ConverterChain(
        from: source.format, to: outputFormat.pcmFormat, map: map(source.format.channels), quality: quality)
      ready.reshape(channels: Int(outputFormat.channelCount), capacity: max(ready.capacity, 4096))
      handed = 0
    }
    if handed == ready.frameCount {
      ready.removeAll()
      handed = 0
    }
    chain?.process(block, into: ready)
  }

  private func openSource() throws(AudioError) -> ConverterSource {
    if let source { return source }
    let fresh = try ConverterSource(
      inputFormat, cookie: cookie ?? inputFormat.magicCookie, priming: priming)
    source = fresh
    return fresh
  }

  private func openTarget() throws(AudioError) -> ConverterTarget {
    if let target { return target }
    let fresh = try ConverterTarget(outputFormat, bitRate: bitRate, hasDither: dither)
    target = fresh
    return fresh
  }

  /// What would be used at once: of samples as many as the output has room for, of packets one.
  private func wanted(_ output: AVAudioBuffer) -> AVAudioPacketCount {
    guard inputFormat.isLinearPCM else { return 1 }
    guard let pcm = output as? AVAudioPCMBuffer else { return 1024 }
    let room = Double(pcm.frameCapacity - pcm.frameLength) * inputFormat.sampleRate / outputFormat.sampleRate
    return AVAudioPacketCount(max(1, min(room.rounded(.up), 65_536)))
  }

  /// Which input channel each output channel is; `nil` to mix.
  private func map(_ channels: Int) -> [Int]? {
    if !channelMap.isEmpty {
      require(
        channelMap.count == Int(outputFormat.channelCount),
        "channelMap: \(channelMap.count) entries for the \(outputFormat.channelCount) channels of \(outputFormat)")
      return channelMap.map(\.intValue)
    }
    if downmix { return nil }
    let outputs = Int(outputFormat.channelCount)
    return (0..<outputs).map { channels == 1 ? 0 : $0 < channels ? $0 : -1 }
  }

  private var quality: ResamplerQuality {
    switch sampleRateConverterQuality {
    case ..<0x20: .min
    case ..<0x40: .low
    case ..<0x60: .medium
    case ..<0x7F: .high
    default: .max
    }
  }
}
