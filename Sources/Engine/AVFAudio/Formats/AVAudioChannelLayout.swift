public import CoreAudioTypes
public import Foundation

/// Which loudspeaker each channel is for. Immutable; for any thread.
open class AVAudioChannelLayout: NSObject, @unchecked Sendable {
  // Written by the initializer only; freed with the object.
  private let memory: UnsafeMutableRawPointer
  private let size: Int

  /// The most channels that a layout can have.
  static let maximumChannels: UInt32 = 65_535

  /// A layout by its tag.
  /// - Parameter layoutTag: One that names its channels, or says how many there are.
  /// - Returns: nil for a tag without a number of channels, such as `kAudioChannelLayoutTag_UseChannelBitmap`.
  public convenience init?(layoutTag: AudioChannelLayoutTag) {
    guard AudioChannelLayoutTag_GetNumberOfChannels(layoutTag) > 0 else { return nil }
    var layout = AudioChannelLayout()
    layout.mChannelLayoutTag = layoutTag
    self.init(layout: &layout)
  }

  /// A copy of a layout.
  /// - Parameter layout: All of its `mNumberChannelDescriptions` descriptions are read.
  public init(layout: UnsafePointer<AudioChannelLayout>) {
    let descriptions = layout.pointee.mNumberChannelDescriptions
    require(
      descriptions <= Self.maximumChannels, "AVAudioChannelLayout: \(descriptions) channel descriptions are too many")
    size = Self.size(descriptions: Int(descriptions))
    memory = .allocate(byteCount: max(size, MemoryLayout<AudioChannelLayout>.size), alignment: 16)
    memory.copyMemory(from: layout, byteCount: size)
  }

  /// A layout from the bytes of an `AudioChannelLayout`; nil where they are too few, or mean no channel.
  package convenience init?(data: Data) {
    let header = Self.size(descriptions: 0)
    guard data.count >= header else { return nil }
    let words = data.withUnsafeBytes { bytes in
      (0..<3).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self) }
    }
    guard words[2] <= Self.maximumChannels, data.count >= Self.size(descriptions: Int(words[2])) else { return nil }
    // The copy is aligned, which data need not be, and has room for the one description that the structure shows.
    let count = max(data.count, MemoryLayout<AudioChannelLayout>.size)
    let copy = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
    defer { copy.deallocate() }
    copy.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    data.withUnsafeBytes { copy.copyMemory(from: $0.baseAddress!, byteCount: data.count) }
    self.init(layout: copy.assumingMemoryBound(to: AudioChannelLayout.self))
    guard channelCount > 0 else { return nil }
  }

  deinit { memory.deallocate() }

  /// The layout as a structure, valid as long as the object.
  public var layout: UnsafePointer<AudioChannelLayout> {
    UnsafePointer(memory.assumingMemoryBound(to: AudioChannelLayout.self))
  }

  /// The tag.
  public var layoutTag: AudioChannelLayoutTag { layout.pointee.mChannelLayoutTag }

  /// Number of channels.
  public var channelCount: AVAudioChannelCount {
    switch layoutTag {
    case kAudioChannelLayoutTag_UseChannelDescriptions: layout.pointee.mNumberChannelDescriptions
    case kAudioChannelLayoutTag_UseChannelBitmap: UInt32(layout.pointee.mChannelBitmap.rawValue.nonzeroBitCount)
    default: AudioChannelLayoutTag_GetNumberOfChannels(layoutTag)
    }
  }

  /// What each channel is for; `kAudioChannelLabel_Unknown` where the layout does not say.
  package var labels: [AudioChannelLabel] {
    switch layoutTag {
    case kAudioChannelLayoutTag_UseChannelDescriptions:
      return (0..<Int(channelCount)).map { descriptions[$0].mChannelLabel }
    case kAudioChannelLayoutTag_UseChannelBitmap:
      let bits = layout.pointee.mChannelBitmap.rawValue
      return (0..<32).filter { bits & 1 << UInt32($0) != 0 }
        .map { $0 < 18 ? AudioChannelLabel($0 + 1) : kAudioChannelLabel_Unknown }
    default:
      return ChannelLabels.labels(of: layoutTag)
        ?? [AudioChannelLabel](repeating: kAudioChannelLabel_Unknown, count: Int(channelCount))
    }
  }

  /// The bytes of the structure.
  package var data: Data { Data(bytes: memory, count: size) }

  private var descriptions: UnsafePointer<AudioChannelDescription> {
    UnsafePointer((memory + Self.size(descriptions: 0)).assumingMemoryBound(to: AudioChannelDescription.self))
  }

  private static func size(descriptions: Int) -> Int {
    MemoryLayout<AudioChannelLayout>.offset(of: \.mChannelDescriptions)!
      + descriptions * MemoryLayout<AudioChannelDescription>.stride
  }

  /// Whether `object` is a layout with the same tag, bits and descriptions.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? AVAudioChannelLayout else { return false }
    return self === other || data == other.data
  }

  open override var hash: Int { data.hashValue }

  open override var description: String {
    "<AVAudioChannelLayout: tag 0x\(String(layoutTag, radix: 16)), \(channelCount) ch>"
  }
}
