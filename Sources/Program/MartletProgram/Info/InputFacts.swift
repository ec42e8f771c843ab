internal import AudioModel
internal import Commands
internal import Remote
internal import Terminal

/// What is known of an input, as `info` tells it.
struct InputFacts: InfoAnswer {
  /// What reading to the end brought.
  struct Scan: Sendable {
    var decodedFrames: Int64
    var concealedPackets: Int
  }

  var input: String
  var stream: StreamFacts
  var decoder: String
  var isLive: Bool
  var scan: Scan?

  // MARK: JSON

  /// One object with every field; `null` where nothing is known.
  var json: JSONValue {
    let rate = stream.format.sampleRate
    let object: JSONValue = [
      "input": .string(input), "container": .string(stream.container), "codec": .string(stream.codec.rawValue),
      "sampleRate": JSONValue(rate.hertz), "channels": JSONValue(stream.format.channels),
      "channelLayout": .string("\(stream.format.layout)"), "bitRate": JSONValue(stream.bitRate),
      "decoder": .string(decoder), "duration": stream.duration.map { duration($0, rate) } ?? .null,
      "encoderDelay": JSONValue(stream.encoderDelay), "encoderPadding": JSONValue(stream.encoderPadding),
      "seekable": .string(stream.seekability.rawValue), "live": .bool(isLive), "tags": EventJSON.tags(stream.tags),
      "chapters": .array(
        stream.chapters.map {
          ["start": .number($0.start), "end": JSONValue($0.end), "title": .string($0.title)]
        }),
      "pictures": .array(
        stream.pictures.map {
          ["type": JSONValue($0.type), "mime": .string($0.mime), "bytes": JSONValue($0.byteCount)]
        }),
      "gain": [
        "track": JSONValue(stream.loudness.trackGain), "album": JSONValue(stream.loudness.albumGain),
        "peak": JSONValue(stream.loudness.trackPeak), "albumPeak": JSONValue(stream.loudness.albumPeak),
      ],
    ]
    guard let scan else { return object }
    return object.adding([
      "decodedFrames": JSONValue(scan.decodedFrames), "concealedPackets": JSONValue(scan.concealedPackets),
    ])
  }

  private func duration(_ duration: MediaDuration, _ rate: SampleRate) -> JSONValue {
    [
      "seconds": .number(rate.seconds(duration.frames)), "frames": JSONValue(duration.frames),
      "exact": .bool(duration.isExact), "errorSeconds": JSONValue(duration.errorSeconds),
    ]
  }

  // MARK: For people

  /// A table of what is known; what is not is left out.
  var table: String {
    var rows = stream.tags.map { ($0.name.prefix(1).uppercased() + $0.name.dropFirst(), $0.value) }
    rows.append(("Container", stream.container))
    rows.append(("Codec", "\(stream.codec), by \(decoder)" + (depth.map { ", \($0)" } ?? "")))
    if let bitRate = stream.bitRate { rows.append(("Bit rate", "\((bitRate + 500) / 1000) kbit/s")) }
    rows.append(("Format", "\(stream.format)"))
    rows.append(("Duration", length))
    if let delay = stream.encoderDelay {
      rows.append(("Encoder", "delay \(delay), padding \(stream.encoderPadding.map(String.init) ?? "unknown")"))
    }
    rows.append(("Seeking", stream.seekability == .no ? "not possible" : stream.seekability.rawValue))
    if let gain = stream.loudness.trackGain { rows.append(("Track gain", "\(LiveLine.gain(Decibels(gain))) dB")) }
    if let gain = stream.loudness.albumGain { rows.append(("Album gain", "\(LiveLine.gain(Decibels(gain))) dB")) }
    for picture in stream.pictures { rows.append(("Picture", "\(picture.mime), \(picture.byteCount) bytes")) }
    for chapter in stream.chapters { rows.append(("Chapter", "\(TimeText.clock(chapter.start))  \(chapter.title)")) }
    if let scan { rows.append(("Scan", "\(scan.decodedFrames) frames, \(scan.concealedPackets) damaged packets")) }
    return PrintableText.clean(input) + "\n"
      + rows.map { "  \(Table.padded($0.0, to: 12))\(PrintableText.cut(PrintableText.clean($0.1), to: 200))\n" }
      .joined()
  }

  private var depth: String? {
    guard stream.codec == .pcm, let coding = stream.sampleCoding else { return nil }
    return "\(coding.bits)-bit \(coding.kind == .float ? "float" : "integer")"
  }

  private var length: String {
    guard let duration = stream.duration else { return isLive ? "live" : "unknown" }
    let seconds = stream.format.sampleRate.seconds(duration.frames)
    let thousandths = Int((seconds * 1000).rounded()) % 1000
    let digits = String(thousandths + 1000).dropFirst()
    let clock = TimeText.clock((seconds * 1000).rounded() / 1000)
    if duration.isExact { return "\(clock).\(digits), \(duration.frames) frames" }
    let error = duration.errorSeconds.map { ", give or take \(JSONValue.number(($0 * 100).rounded() / 100).text) s" }
    return "about \(clock)\(error ?? "")"
  }
}
