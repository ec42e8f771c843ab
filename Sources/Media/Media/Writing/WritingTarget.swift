public import AudioModel
public import Codecs
internal import Containers

/// What a file is going to be: its container, its codec, and who makes them. Known before anything is written.
public struct WritingTarget: Sendable {
  /// Where to; `-` is standard output.
  public let path: String
  /// The kind of file, as an extension: the path's, or what was asked for.
  public let pathExtension: String
  /// The container.
  public let container: WriterRegistration
  /// The codec.
  public let codec: Codec
  /// Who encodes.
  public let encoder: EncoderRegistration

  /// Chooses by the path's extension, or by what is asked for.
  /// - Parameters:
  ///   - path: Where to; `-` is standard output.
  ///   - container: A container's name or one of its extensions, in place of the path's; a path without an extension
  ///     takes `wav`.
  ///   - codec: In place of the container's usual one.
  /// - Throws: 1001 where nothing fits, with what there is.
  public init(
    path: String, container: String? = nil, codec: Codec? = nil, registry: MediaRegistry = .standard
  ) throws(AudioError) {
    self.path = path
    let found = path == "-" ? "" : Self.pathExtension(path)
    let name = container ?? (found.isEmpty ? "wav" : found)
    let candidates = registry.writers.filter { $0.extensions.contains(name) }
    let registrations = candidates.isEmpty ? registry.writers.filter { $0.name == name } : candidates
    guard let registration = registrations.first(where: { codec.map($0.codecs.contains) ?? true }) else {
      throw registrations.first.map { Self.misfit($0, codec) } ?? Self.unknown(name, registry)
    }
    guard let first = registration.codecs.first,
      let encoder = EncoderTable(registry.encoders).registration(for: codec ?? first)
    else {
      throw AudioError(.encoderUnavailable, "This build has no encoder for .\(name) files")
    }
    pathExtension = name
    self.container = registration
    self.codec = codec ?? first
    self.encoder = encoder
  }

  /// The format to convert to before writing: the same where the codec takes its rate, else with one that it takes.
  public func nearest(to format: PCMFormat) -> PCMFormat {
    PCMFormat(sampleRate: encoder.nearest(to: format.sampleRate), layout: format.layout)
  }

  /// Samples are stored as integers, without loss, unless something else is asked for.
  public var keepsIntegers: Bool { codec == .flac || codec == .alac }

  /// How samples are stored; `nil` for codecs that keep none.
  /// - Throws: 1001 where the container or codec has no place for that kind.
  public func coding(_ sample: WAVHeader.Sample?) throws(AudioError) -> SampleCoding? {
    switch codec {
    case .pcm:
      guard let coding = container.coding(sample ?? .f32) else { throw refusal(sample) }
      return coding
    case .flac, .alac:
      guard let sample else { return nil }
      guard !sample.isFloat, sample != .u8, codec == .flac || sample != .s32 else { throw refusal(sample) }
      return sample.coding
    default:
      guard sample == nil else { throw refusal(sample) }
      return nil
    }
  }

  private func refusal(_ sample: WAVHeader.Sample?) -> AudioError {
    let hint =
      codec == .flac
      ? "it takes s16, s24 and s32" : codec == .alac ? "it takes s16 and s24" : "its samples have no fixed size"
    return AudioError(.usage, "\(codec) can't be stored as \(sample?.rawValue ?? "f32"): \(hint)")
  }

  /// What stands behind the last dot of a path's name, lower case.
  private static func pathExtension(_ path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }

  private static func misfit(_ registration: WriterRegistration, _ codec: Codec?) -> AudioError {
    let list = registration.codecs.map(\.rawValue).joined(separator: ", ")
    return AudioError(.usage, "\(registration.name) files can't hold \(codec?.rawValue ?? "that"); they hold \(list)")
  }

  private static func unknown(_ name: String, _ registry: MediaRegistry) -> AudioError {
    let list = registry.writers.compactMap(\.extensions.first).joined(separator: ", ")
    return AudioError(.usage, "There is no writer for .\(name) files; there are \(list)")
  }
}
