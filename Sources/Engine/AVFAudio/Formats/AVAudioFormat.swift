internal import AudioModel
public import CoreAudioTypes
public import Foundation
internal import Platform

/// A format of sound: the coding, its rate and its channels.
///
/// Everything but ``magicCookie`` is fixed. For any thread.
open class AVAudioFormat: NSObject, @unchecked Sendable {
  // Written by the initializer only; freed with the object, so that `streamDescription` is valid until then.
  private let stream: UnsafeMutablePointer<AudioStreamBasicDescription>
  private let cookie = Monitor<Data?>(nil)

  /// The layout of the channels; nil where none was given, which means mono or stereo.
  public let channelLayout: AVAudioChannelLayout?

  /// The channels that a format can have.
  static let acceptedChannels: ClosedRange<UInt32> = 1...64

  init(unchecked description: AudioStreamBasicDescription, layout: AVAudioChannelLayout?) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: description)
    channelLayout = layout
  }

  deinit { stream.deallocate() }

  /// A format by its description.
  /// - Parameter asbd: Linear PCM or anything else; at most 2 channels.
  /// - Returns: nil where the description contradicts itself, or has more than 2 channels.
  public convenience init?(streamDescription asbd: UnsafePointer<AudioStreamBasicDescription>) {
    self.init(streamDescription: asbd, channelLayout: nil)
  }

  /// A format by its description and layout.
  /// - Parameters:
  ///   - asbd: Linear PCM or anything else, 1…64 channels.
  ///   - layout: Needed for more than 2 channels; has as many channels as the description.
  /// - Returns: nil where the description contradicts itself or the layout, or the layout is missing.
  public convenience init?(
    streamDescription asbd: UnsafePointer<AudioStreamBasicDescription>, channelLayout layout: AVAudioChannelLayout?
  ) {
    guard StreamRules.accepts(asbd.pointee),
      layout.map({ $0.channelCount == asbd.pointee.mChannelsPerFrame }) ?? (asbd.pointee.mChannelsPerFrame <= 2)
    else { return nil }
    self.init(unchecked: asbd.pointee, layout: layout)
  }

  /// The engine's own form, Float32 without interleaving.
  /// - Parameters:
  ///   - sampleRate: Frames per second, above 0.
  ///   - channels: 1 or 2; more need a layout.
  /// - Returns: nil outside these ranges.
  public convenience init?(standardFormatWithSampleRate sampleRate: Double, channels: AVAudioChannelCount) {
    self.init(commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, channels: channels, interleaved: false)
  }

  /// The engine's own form, Float32 without interleaving.
  /// - Parameters:
  ///   - sampleRate: Frames per second, above 0.
  ///   - layout: 1…64 channels.
  public convenience init(standardFormatWithSampleRate sampleRate: Double, channelLayout layout: AVAudioChannelLayout)
  {
    self.init(commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, interleaved: false, channelLayout: layout)
  }

  /// A kind of linear PCM that has a name.
  /// - Parameters:
  ///   - format: Not `.otherFormat`.
  ///   - sampleRate: Frames per second, above 0.
  ///   - channels: 1 or 2; more need a layout.
  ///   - interleaved: All channels in one buffer, or each in its own.
  /// - Returns: nil outside these ranges.
  public convenience init?(
    commonFormat format: AVAudioCommonFormat, sampleRate: Double, channels: AVAudioChannelCount, interleaved: Bool
  ) {
    guard
      var description = StreamRules.description(
        format, sampleRate: sampleRate, channels: channels, isInterleaved: interleaved)
    else { return nil }
    self.init(streamDescription: &description)
  }

  /// A kind of linear PCM that has a name.
  /// - Parameters:
  ///   - format: Not `.otherFormat`.
  ///   - sampleRate: Frames per second, above 0.
  ///   - interleaved: All channels in one buffer, or each in its own.
  ///   - layout: 1…64 channels.
  public convenience init(
    commonFormat format: AVAudioCommonFormat, sampleRate: Double, interleaved: Bool,
    channelLayout layout: AVAudioChannelLayout
  ) {
    guard
      let description = StreamRules.description(
        format, sampleRate: sampleRate, channels: layout.channelCount, isInterleaved: interleaved),
      StreamRules.accepts(description)
    else {
      fatalError(
        "AVAudioFormat: no format is \(format) at \(sampleRate) Hz with the \(layout.channelCount) channels of \(layout)"
      )
    }
    self.init(unchecked: description, layout: layout)
  }

  /// A format by settings.
  /// - Parameter settings: `AVSampleRateKey` and `AVNumberOfChannelsKey` are needed; `AVFormatIDKey` is linear PCM
  ///   where it is missing, and its samples are integers of 16 bits unless the keys for linear PCM say otherwise.
  ///   `AVChannelLayoutKey` is needed for more than 2 channels. Keys for encoders are passed over.
  /// - Returns: nil where something is missing or impossible.
  public convenience init?(settings: [String: Any]) {
    guard var description = FormatSettings.description(settings) else { return nil }
    let layout = SettingsReader(settings).data(AVChannelLayoutKey).map { AVAudioChannelLayout(data: $0) }
    if let layout, layout == nil { return nil }
    self.init(streamDescription: &description, channelLayout: layout ?? nil)
  }

  /// Whether it is the engine's own form: Float32 in the machine's byte order, not interleaved.
  public var isStandard: Bool { commonFormat == .pcmFormatFloat32 && !isInterleaved }

  /// Which of the kinds with a name it is.
  public var commonFormat: AVAudioCommonFormat { StreamRules.commonFormat(stream.pointee) }

  /// Number of channels.
  public var channelCount: AVAudioChannelCount { stream.pointee.mChannelsPerFrame }

  /// Frames per second.
  public var sampleRate: Double { stream.pointee.mSampleRate }

  /// Whether all channels stand in one buffer. Of compressed formats it says nothing.
  public var isInterleaved: Bool { stream.pointee.mFormatFlags & kAudioFormatFlagIsNonInterleaved == 0 }

  /// The description, valid as long as the object.
  public var streamDescription: UnsafePointer<AudioStreamBasicDescription> { UnsafePointer(stream) }

  /// What a decoder must know before the first packet; of compressed formats only.
  ///
  /// The payload of an `esds` atom or an AudioSpecificConfig, an ALAC configuration, STREAMINFO of FLAC, or an OpusHead.
  public var magicCookie: Data? {
    get { cookie.withLock { $0 } }
    set { cookie.withLock { $0 = newValue } }
  }

  /// The format as settings, from which ``init(settings:)`` makes it again.
  public var settings: [String: Any] { FormatSettings.settings(stream.pointee, layout: channelLayout) }

  /// Whether `object` is a format of the same meaning.
  ///
  /// A missing layout is the usual one of mono or stereo; interleaving means nothing for one channel, nor do packing and
  /// alignment where no bits are left over, nor the size of packets of compressed formats.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? AVAudioFormat else { return false }
    return self === other
      || (StreamRules.isSame(stream.pointee, other.stream.pointee)
        && StreamRules.isSame(channelLayout, other.channelLayout, channels: channelCount))
  }

  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(sampleRate)
    hasher.combine(channelCount)
    hasher.combine(stream.pointee.mFormatID)
    return hasher.finalize()
  }

  /// "<AVAudioFormat: 2 ch, 44100 Hz, Float32, deinterleaved>"
  open override var description: String { "<AVAudioFormat: \(FormatSettings.text(stream.pointee))>" }
}

extension AVAudioFormat: NSCopying {
  /// The format itself: it does not change.
  public func copy(with zone: NSZone? = nil) -> Any { self }
}
