internal import AudioModel
internal import Codecs
internal import CoreAudioTypes
internal import Foundation
internal import Media

/// What the settings of a file that is to be written ask for, checked: every refusal names its key.
struct FileSettings {
  /// What the file is going to be.
  let target: WritingTarget
  /// Rate and channels.
  let format: PCMFormat
  /// How it is written.
  private(set) var options = MediaFileWriter.Options()

  private let settings: [String: Any]
  private let reader: SettingsReader

  init(_ settings: [String: Any], path: String) throws {
    self.settings = settings
    reader = SettingsReader(settings)
    let codec = try Self.codec(reader, settings)
    let container = try Self.container(reader, settings)
    do throws(AudioError) {
      target = try WritingTarget(path: path, container: container, codec: codec)
    } catch {
      throw Self.refusal(codec == nil ? AVAudioFileTypeKey : AVFormatIDKey, error.message)
    }
    format = try Self.format(reader, settings, target)
    switch target.codec {
    case .pcm: options.settings.sampleCoding = try linear()
    case .flac, .alac: options.settings.sampleCoding = try depth()
    default: try takeBitRate()
    }
  }

  // MARK: What it is

  private static func codec(_ reader: SettingsReader, _ settings: [String: Any]) throws -> Codec? {
    guard let value = settings[AVFormatIDKey] else { return nil }
    guard let code = reader.whole(AVFormatIDKey) else { throw refusal(AVFormatIDKey, "\(value) is no format") }
    guard let codec = FileFormat.codec(code) else {
      throw refusal(
        AVFormatIDKey, "there is no encoder for '\(FormatSettings.letters(code))'",
        kAudioFileUnsupportedDataFormatError)
    }
    return codec
  }

  private static func container(_ reader: SettingsReader, _ settings: [String: Any]) throws -> String? {
    guard settings[AVAudioFileTypeKey] != nil else { return nil }
    switch reader.whole(AVAudioFileTypeKey) {
    case kAudioFileWAVEType, kAudioFileRF64Type: return "wav"
    case kAudioFileAIFFType: return "aiff"
    case kAudioFileAIFCType: return "aifc"
    case kAudioFileCAFType: return "caf"
    case kAudioFileFLACType: return "flac"
    case kAudioFileMP3Type: return "mp3"
    case kAudioFileM4AType, kAudioFileM4BType, kAudioFileMPEG4Type: return "m4a"
    case kAudioFileAAC_ADTSType: return "aac"
    case let code:
      throw refusal(
        AVAudioFileTypeKey, "there is no writer for files of type '\(FormatSettings.letters(code ?? 0))'",
        kAudioFileUnsupportedFileTypeError)
    }
  }

  private static func format(
    _ reader: SettingsReader, _ settings: [String: Any], _ target: WritingTarget
  ) throws -> PCMFormat {
    guard let hertz = reader.number(AVSampleRateKey) else {
      throw refusal(AVSampleRateKey, settings[AVSampleRateKey].map { "\($0) is no rate" } ?? "it is missing")
    }
    guard hertz == hertz.rounded(), let whole = Int(exactly: hertz), let rate = SampleRate(hertz: whole),
      target.encoder.accepts(rate)
    else {
      let list = target.encoder.rates.map(String.init).joined(separator: ", ")
      throw refusal(
        AVSampleRateKey,
        "\(target.codec) can't be written at \(hertz) Hz" + (list.isEmpty ? "" : ", but at \(list) Hz"))
    }
    guard let channels = reader.whole(AVNumberOfChannelsKey) else {
      throw refusal(
        AVNumberOfChannelsKey,
        settings[AVNumberOfChannelsKey].map { "\($0) is no number of channels" } ?? "it is missing")
    }
    guard target.encoder.channels.contains(Int(channels)) else {
      throw refusal(
        AVNumberOfChannelsKey,
        "\(target.codec) takes 1 to \(target.encoder.channels.upperBound) channels, not \(channels)")
    }
    guard let layout = try layout(reader, settings, channels: channels) else {
      throw refusal(AVNumberOfChannelsKey, "\(channels) channels are too many")
    }
    return PCMFormat(sampleRate: rate, layout: layout)
  }

  private static func layout(
    _ reader: SettingsReader, _ settings: [String: Any], channels: UInt32
  ) throws -> ChannelLayout? {
    guard settings[AVChannelLayoutKey] != nil else { return ChannelLayout(count: Int(channels)) }
    guard let data = reader.data(AVChannelLayoutKey), let layout = AVAudioChannelLayout(data: data),
      layout.channelCount == channels
    else { throw refusal(AVChannelLayoutKey, "it is no layout of \(channels) channels") }
    return AVAudioFormat(standardFormatWithSampleRate: 44_100, channelLayout: layout).pcmFormat.layout
  }

  // MARK: How it is stored

  private func linear() throws -> SampleCoding {
    let isFloat = try flag(AVLinearPCMIsFloatKey) ?? false
    _ = try flag(AVLinearPCMIsNonInterleaved)
    let bits = try whole(AVLinearPCMBitDepthKey) ?? (isFloat ? 32 : 16)
    let kinds: [WAVHeader.Sample] = isFloat ? [.f32, .f64] : [.u8, .s16, .s24, .s32]
    guard let sample = kinds.first(where: { $0.bytes * 8 == bits }), var coding = target.container.coding(sample)
    else {
      throw Self.refusal(
        AVLinearPCMBitDepthKey,
        isFloat ? "floats have 32 or 64 bits, not \(bits)" : "integers have 8, 16, 24 or 32 bits, not \(bits)")
    }
    // WAV and AIFF have a byte order of their own; only CAF leaves the choice.
    let isBig = try flag(AVLinearPCMIsBigEndianKey)
    if let isBig, target.container.name == "caf" { coding.isBigEndian = isBig }
    if isBig == true && target.container.name == "wav" {
      throw Self.refusal(AVLinearPCMIsBigEndianKey, "WAV files have the lowest byte first")
    }
    return coding
  }

  private func depth() throws -> SampleCoding {
    let bits = try whole(AVEncoderBitDepthHintKey) ?? 16
    let depths = target.codec == .alac ? [16, 24] : [16, 20, 24, 32]
    guard depths.contains(bits) else {
      let list = depths.map(String.init).joined(separator: ", ")
      throw Self.refusal(AVEncoderBitDepthHintKey, "\(target.codec) takes \(list) bits, not \(bits)")
    }
    return SampleCoding(kind: .signed, bits: bits, bytes: (bits + 7) / 8)
  }

  // MARK: Loss

  private mutating func takeBitRate() throws {
    let whole = try whole(AVEncoderBitRateKey)
    let each = try self.whole(AVEncoderBitRatePerChannelKey)
    let key = whole != nil ? AVEncoderBitRateKey : AVEncoderBitRatePerChannelKey
    if let rate = whole ?? each.map({ $0 * format.channels }) {
      guard let range = target.encoder.bitRates,
        (range.lowerBound...range.upperBound * format.channels).contains(rate)
      else { throw Self.refusal(key, "\(target.codec) can't be written with \(rate) bits a second") }
      options.settings.bitRate = rate
    }
    let quality = try quality()
    switch settings[AVEncoderBitRateStrategyKey] as? String {
    case AVAudioBitRateStrategy_Constant: options.settings.isConstantBitRate = true
    case AVAudioBitRateStrategy_Variable where options.settings.bitRate == nil:
      options.settings.quality = quality ?? 0.75
    case AVAudioBitRateStrategy_Variable, AVAudioBitRateStrategy_LongTermAverage,
      AVAudioBitRateStrategy_VariableConstrained:
      break
    case let name:
      if let value = settings[AVEncoderBitRateStrategyKey] {
        throw Self.refusal(AVEncoderBitRateStrategyKey, "\(name ?? "\(value)") is no strategy")
      }
    }
    guard let quality, options.settings.bitRate == nil else { return }
    options.settings.quality = quality
    // What has no quality of its own gets bits for it: 32 to 160 kbit/s for each channel.
    if target.codec == .aac || target.codec == .opus {
      options.settings.bitRate = Int(32_000 + quality * 128_000) * format.channels
    }
  }

  /// Quality as 0…1; of two keys, the one for variable bit rates counts more.
  private func quality() throws -> Double? {
    for key in [AVEncoderAudioQualityForVBRKey, AVEncoderAudioQualityKey] {
      guard let value = try whole(key) else { continue }
      let most = AVAudioQuality.max.rawValue
      guard (0...most).contains(value) else { throw Self.refusal(key, "\(value) is no quality of 0 to \(most)") }
      return Double(value) / Double(most)
    }
    return nil
  }

  // MARK: Values

  private func whole(_ key: String) throws -> Int? {
    guard let value = settings[key] else { return nil }
    guard let number = reader.whole(key) else { throw Self.refusal(key, "\(value) is no whole number") }
    return Int(number)
  }

  private func flag(_ key: String) throws -> Bool? {
    guard let value = settings[key] else { return nil }
    guard let flag = reader.flag(key) else { throw Self.refusal(key, "\(value) is neither true nor false") }
    return flag
  }

  private static func refusal(
    _ key: String, _ reason: String, _ code: OSStatus = kAudioFileUnsupportedDataFormatError
  ) -> NSError {
    EngineError.make(code, "\(key): \(reason)")
  }
}
