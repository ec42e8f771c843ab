package import AudioModel
internal import Codecs
internal import HTTPSource
internal import Martlet
internal import Media

/// What `render` was asked to do.
package struct RenderOptions: Sendable {
  let input: String
  /// What the output is going to be.
  let target: WritingTarget
  /// How samples are stored; `nil` for what fits the input.
  let sample: WAVHeader.Sample?
  let hasDither: Bool
  /// Bits per second.
  let bitRate: Int?
  let sampleRate: SampleRate?
  let layout: ChannelLayout?
  let volume: Decibels
  let effects: EffectSettings
  let start: Double
  let end: Double?
  let http: HTTPSourceConfiguration

  /// Reads the options.
  package init(_ arguments: ParsedArguments) throws(AudioError) {
    let inputs = try arguments.inputs()
    guard inputs.count == 1 else { throw AudioError(.usage, "render takes one input, but got \(inputs.count)") }
    input = inputs[0]
    guard let output = arguments.value("out"), !output.isEmpty else {
      throw AudioError(.usage, "render needs a file to write: -o OUT.wav")
    }
    let codec = arguments.value("codec").map { Codec(rawValue: $0.lowercased()) }
    let target = try WritingTarget(path: output, container: arguments.value("format")?.lowercased(), codec: codec)
    self.target = target
    sample = try arguments.value("sample").map { text throws(AudioError) in
      guard let sample = WAVHeader.Sample(rawValue: text) else {
        let all = WAVHeader.Sample.allCases.map(\.rawValue).joined(separator: ", ")
        throw AudioError(.usage, "--sample needs one of \(all), not \u{201C}\(text)\u{201D}")
      }
      return sample
    }
    if sample != nil { _ = try target.coding(sample) }
    hasDither = arguments.has("dither")
    bitRate = try Self.bitRate(arguments, target)
    sampleRate = try arguments.integer("sample-rate", in: 1000...768_000).flatMap(SampleRate.init(hertz:))
    if let sampleRate, !target.encoder.accepts(sampleRate) {
      throw AudioError(.usage, "--sample-rate: \(target.codec) takes \(Self.rates(target.encoder))")
    }
    layout = try arguments.integer("channels", in: ChannelLayout.accepted).flatMap { ChannelLayout(count: $0) }
    if let layout, !target.encoder.channels.contains(layout.count) {
      throw AudioError(.usage, "--channels: \(target.codec) takes 1 to \(target.encoder.channels.upperBound)")
    }
    volume = try arguments.volume()
    effects = try arguments.effects()
    (start, end) = try arguments.range()
    http = try arguments.http()
  }

  private static func bitRate(_ arguments: ParsedArguments, _ target: WritingTarget) throws(AudioError) -> Int? {
    let range = target.encoder.bitRates
    guard let rate = try arguments.integer("bit-rate", in: 1...100_000) else { return nil }
    guard let range else {
      throw AudioError(.usage, "--bit-rate means nothing to \(target.codec), which keeps every sample")
    }
    // So many channels at most share the bits.
    let most = range.upperBound * (target.codec == .mp3 ? 1 : target.encoder.channels.upperBound)
    guard (range.lowerBound...most).contains(rate * 1000) else {
      throw AudioError(
        .usage, "--bit-rate: \(target.codec) takes \(range.lowerBound / 1000) to \(most / 1000) kbit/s")
    }
    return rate * 1000
  }

  private static func rates(_ encoder: EncoderRegistration) -> String {
    encoder.rates.isEmpty
      ? "\(encoder.rateRange.lowerBound) to \(encoder.rateRange.upperBound) Hz"
      : encoder.rates.map(String.init).joined(separator: ", ") + " Hz"
  }
}
