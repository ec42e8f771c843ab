internal import AudioModel
internal import Commands
internal import HTTPSource
internal import Remote

extension ParsedArguments {
  /// A time option, in seconds.
  func time(_ name: String) throws(AudioError) -> Double? {
    guard let text = value(name) else { return nil }
    guard let seconds = TimeText.seconds(text) else {
      throw AudioError(.usage, "--\(name) needs a time such as 90, 1:30 or 1h2m, not \u{201C}\(text)\u{201D}")
    }
    return seconds
  }

  /// A number option within a range.
  func number(_ name: String, in range: ClosedRange<Double>) throws(AudioError) -> Double? {
    guard let text = value(name) else { return nil }
    guard let number = TimeText.number(text), range.contains(number) else {
      throw AudioError(
        .usage,
        "--\(name) needs a number from \(JSONValue.number(range.lowerBound).text) to "
          + "\(JSONValue.number(range.upperBound).text), not \u{201C}\(text)\u{201D}")
    }
    return number
  }

  /// A whole number option within a range.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(AudioError) -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw AudioError(
        .usage,
        "--\(name) needs a whole number from \(range.lowerBound) to \(range.upperBound), not \u{201C}\(text)\u{201D}")
    }
    return number
  }

  /// The volume to begin with; 0 dB where none is given.
  func volume() throws(AudioError) -> Decibels {
    guard let text = value("volume") else { return .unity }
    let volume: Command.Volume
    do throws(AudioError) {
      volume = try CommandTable.volume(text)
    } catch {
      throw AudioError(.usage, "--volume: \(error.message)")
    }
    // Without a volume before it, `+3` can only mean a gain; `up` and `down` mean nothing.
    if case .by(let change) = volume, text.first != "+" || !Command.Volume.decibelRange.contains(change) {
      throw AudioError(.usage, "--volume needs a gain of -96 to 24 dB or a share such as 50%")
    }
    return volume.gain
  }

  /// Rate, pitch and effects.
  func effects() throws(AudioError) -> EffectSettings {
    var effects = EffectSettings()
    if let rate = try effect("rate", EffectText.rate) { effects.time.rate = rate }
    if let pitch = try effect("pitch", EffectText.pitch) { effects.time.pitch = pitch }
    if let algorithm = try effect("stretch", EffectText.stretch) { effects.time.algorithm = algorithm }
    effects.equalizer = try effect("eq", EffectText.equalizer)
    effects.reverb = try effect("reverb", EffectText.reverb)
    effects.delay = try effect("delay", EffectText.delay)
    effects.distortion = try effect("distortion", EffectText.distortion)
    return effects
  }

  /// The value of an effect's option; `nil` where it is not given, or `off`.
  private func effect<Settings>(
    _ name: String, _ read: (String) throws(AudioError) -> Settings
  ) throws(AudioError) -> Settings? {
    guard let text = value(name), text != "off" else { return nil }
    do throws(AudioError) {
      return try read(text)
    } catch {
      throw AudioError(.usage, "--\(name): \(error.message)")
    }
  }

  /// The part of the input to play.
  func range() throws(AudioError) -> (start: Double, end: Double?) {
    let start = try time("start") ?? 0
    let end = try time("end")
    if let end, end <= start { throw AudioError(.usage, "--end must be later than --start") }
    return (start, end)
  }

  /// How to speak HTTP.
  func http() throws(AudioError) -> HTTPSourceConfiguration {
    var http = HTTPSourceConfiguration()
    for text in values["header"] ?? [] {
      let name = text.prefix { $0 != ":" }
      guard !name.isEmpty, name.endIndex < text.endIndex, name.allSatisfy({ $0 > " " && $0.isASCII }) else {
        throw AudioError(.usage, "--header needs 'Name: value', not \u{201C}\(text)\u{201D}")
      }
      let value = text[text.index(after: name.endIndex)...].drop { $0 == " " }
      guard !value.contains(where: { $0.isNewline || $0 == "\0" }) else {
        throw AudioError(.usage, "--header takes one line")
      }
      http.headers.append(.init(String(name), String(value)))
    }
    if let agent = value("user-agent") {
      guard !agent.contains(where: \.isNewline) else { throw AudioError(.usage, "--user-agent takes one line") }
      http.userAgent = agent
    }
    if let seconds = try number("timeout", in: 0.1...3600) {
      http.stallTimeout = seconds
      http.connectTimeout = min(http.connectTimeout, seconds)
    }
    return http
  }

  /// The operands, of which there must be some.
  func inputs() throws(AudioError) -> [String] {
    guard !operands.isEmpty else {
      throw AudioError(.usage, "\(subcommand.name) needs an input: martlet \(subcommand.name) \(subcommand.usage)")
    }
    return operands
  }

  /// For subcommands without operands.
  func refuseOperands() throws(AudioError) {
    if let first = operands.first {
      throw AudioError(.usage, "\(subcommand.name) takes no input, but got \u{201C}\(first)\u{201D}")
    }
  }
}
