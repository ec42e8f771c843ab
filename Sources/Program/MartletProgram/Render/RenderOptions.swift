package import AudioModel
internal import HTTPSource
internal import Martlet

/// What `render` was asked to do.
package struct RenderOptions: Sendable {
  let input: String
  let output: String
  let sample: WAVHeader.Sample
  let hasDither: Bool
  let sampleRate: SampleRate?
  let layout: ChannelLayout?
  let volume: Decibels
  let start: Double
  let end: Double?
  let http: HTTPSourceConfiguration

  /// Extensions that a later version will write.
  private static let laterExtensions: Set<String> = ["flac", "mp3", "m4a", "opus", "ogg"]

  /// Reads the options.
  package init(_ arguments: ParsedArguments) throws(AudioError) {
    let inputs = try arguments.inputs()
    guard inputs.count == 1 else { throw AudioError(.usage, "render takes one input, but got \(inputs.count)") }
    input = inputs[0]
    guard let output = arguments.value("out"), !output.isEmpty else {
      throw AudioError(.usage, "render needs a file to write: -o OUT.wav")
    }
    self.output = output
    try Self.checkExtension(output)
    let sample = arguments.value("sample") ?? WAVHeader.Sample.f32.rawValue
    guard let sample = WAVHeader.Sample(rawValue: sample) else {
      throw AudioError(.usage, "--sample needs f32, s24 or s16, not \u{201C}\(sample)\u{201D}")
    }
    self.sample = sample
    hasDither = arguments.has("dither")
    sampleRate = try arguments.integer("sample-rate", in: 1000...768_000).flatMap(SampleRate.init(hertz:))
    layout = try arguments.integer("channels", in: ChannelLayout.accepted).flatMap { ChannelLayout(count: $0) }
    volume = try arguments.volume()
    (start, end) = try arguments.range()
    http = try arguments.http()
  }

  private static func checkExtension(_ path: String) throws(AudioError) {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return }
    let found = name[name.index(after: dot)...].lowercased()
    if laterExtensions.contains(found) { throw AudioError(.usage, "not supported yet: writing .\(found) files") }
    guard found == "wav" else { throw AudioError(.usage, "render writes .wav files, not .\(found)") }
  }
}
