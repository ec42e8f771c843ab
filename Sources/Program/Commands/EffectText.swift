package import AudioModel

/// Effects as people write them: `bass`, `100:6,3000:-3:2`, `large-hall:30`, `0.3:40:25`. What is printed reads back as
/// the same settings.
package enum EffectText {
  /// Per cent of a reverb against sound as it came, where nobody says.
  package static let reverbMix = 30.0
  /// Per cent of a distortion against sound as it came, where nobody says.
  package static let distortionMix = 50.0
  /// Per cent of each repetition in the next one, where nobody says.
  package static let delayFeedback = 40.0
  /// Per cent of repetitions against sound as it came, where nobody says.
  package static let delayMix = 30.0
  /// Bands of an equalizer that can be written.
  package static let mostBands = 32

  /// What stands in front of the ten gains of a graphic equalizer.
  private static let graphic = "graphic:"

  // MARK: Equalizer

  /// Reads `NAME`, `HZ:DB[:OCT],…` or `graphic:DB,…`.
  package static func equalizer(_ text: String) throws(AudioError) -> EqualizerSettings {
    if let preset = EqualizerPreset(rawValue: text) { return preset.settings }
    if text.hasPrefix(graphic) {
      let words = text.dropFirst(graphic.count).split(separator: ",", omittingEmptySubsequences: false)
      guard words.count <= EqualizerSettings.graphicFrequencies.count else {
        throw AudioError(.usage, "a graphic equalizer has ten gains at most, from 31 Hz to 16 kHz")
      }
      var gains: [Decibels] = []
      for word in words { gains.append(try gain(word)) }
      return .graphic(gains)
    }
    guard text.contains(":") else {
      throw unknown(
        text, "equalizer", EqualizerPreset.allCases.map(\.rawValue), else: ", or bands such as 100:6,3000:-3")
    }
    let words = text.split(separator: ",", omittingEmptySubsequences: false)
    guard words.count <= mostBands else {
      throw AudioError(.usage, "an equalizer has \(mostBands) bands at most, but got \(words.count)")
    }
    var settings = EqualizerSettings()
    for word in words { settings.bands.append(try band(word)) }
    return settings
  }

  /// Prints settings, or `nil` for those that no line gives: filters of other shapes than bells, a gain over all.
  package static func text(_ settings: EqualizerSettings) -> String? {
    if let preset = EqualizerPreset.allCases.first(where: { $0.settings == settings }) { return preset.rawValue }
    let bands = settings.bands
    guard settings.globalGain == .unity, (1...mostBands).contains(bands.count),
      bands.allSatisfy({ $0.filter == .parametric && !$0.isBypassed })
    else { return nil }
    if bands.map(\.frequency) == EqualizerSettings.graphicFrequencies, bands.allSatisfy({ $0.bandwidth == 1 }) {
      return graphic + bands.map { number($0.gain.value) }.joined(separator: ",")
    }
    return bands.map { band in
      let width = band.bandwidth == 1 ? "" : ":\(number(band.bandwidth))"
      return "\(number(band.frequency)):\(number(band.gain.value))\(width)"
    }.joined(separator: ",")
  }

  private static func band(_ text: Substring) throws(AudioError) -> EqualizerBand {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3 else {
      throw AudioError(
        .usage, "\u{201C}\(text)\u{201D} is no band such as 100:6 or 3000:-3:2: hertz, decibels, octaves")
    }
    let frequency = try number(parts[0], in: EqualizerBand.frequencyRange, "a frequency in hertz")
    let gain = try gain(parts[1])
    guard parts.count == 3 else { return EqualizerBand(frequency: frequency, gain: gain) }
    let width = try number(parts[2], in: EqualizerBand.bandwidthRange, "a width in octaves")
    return EqualizerBand(frequency: frequency, gain: gain, bandwidth: width)
  }

  private static func gain(_ text: Substring) throws(AudioError) -> Decibels {
    Decibels(try number(text, in: EqualizerBand.gainRange, "a gain in decibels"))
  }

  // MARK: Reverb, delay, distortion

  /// Reads `PRESET[:MIX]`.
  package static func reverb(_ text: String) throws(AudioError) -> ReverbSettings {
    let (name, mix) = try preset(text, ReverbSettings.mixRange)
    guard let preset = ReverbPreset(rawValue: name) else {
      throw unknown(name, "reverb", ReverbPreset.allCases.map(\.rawValue))
    }
    return ReverbSettings(preset: preset, mix: mix ?? reverbMix)
  }

  /// Prints settings.
  package static func text(_ settings: ReverbSettings) -> String {
    "\(settings.preset.rawValue):\(number(settings.mix))"
  }

  /// Reads `S[:FEEDBACK[:MIX]]`.
  package static func delay(_ text: String) throws(AudioError) -> DelaySettings {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), let time = signed(parts[0]) else {
      throw AudioError(
        .usage,
        "\u{201C}\(text)\u{201D} is no delay such as 0.3:40:25: seconds, per cent of feedback, per cent of mix")
    }
    guard DelaySettings.timeRange.contains(time) else {
      throw outside(parts[0], DelaySettings.timeRange, "a delay in seconds")
    }
    var settings = DelaySettings(time: time, feedback: delayFeedback, mix: delayMix)
    if parts.count > 1 {
      settings.feedback = try percent(parts[1], in: DelaySettings.feedbackRange, "a feedback in per cent")
    }
    if parts.count > 2 { settings.mix = try percent(parts[2], in: DelaySettings.mixRange, "a mix in per cent") }
    return settings
  }

  /// Prints settings. A cutoff has no place in the line.
  package static func text(_ settings: DelaySettings) -> String {
    "\(number(settings.time)):\(number(settings.feedback)):\(number(settings.mix))"
  }

  /// Reads `PRESET[:MIX]`.
  package static func distortion(_ text: String) throws(AudioError) -> DistortionSettings {
    let (name, mix) = try preset(text, DistortionSettings.mixRange)
    guard let preset = DistortionPreset(rawValue: name) else {
      throw unknown(name, "distortion", DistortionPreset.allCases.map(\.rawValue))
    }
    return DistortionSettings(preset: preset, mix: mix ?? distortionMix)
  }

  /// Prints settings. A gain in front has no place in the line.
  package static func text(_ settings: DistortionSettings) -> String {
    "\(settings.preset.rawValue):\(number(settings.mix))"
  }

  private static func preset(
    _ text: String, _ range: ClosedRange<Double>
  ) throws(AudioError) -> (name: String, mix: Double?) {
    guard let colon = text.firstIndex(of: ":") else { return (text, nil) }
    let mix = try percent(text[text.index(after: colon)...], in: range, "a mix in per cent")
    return (String(text[..<colon]), mix)
  }

  // MARK: Rate, pitch, stretch

  /// Reads a rate: `1.5` or `1.5x`.
  package static func rate(_ text: String) throws(AudioError) -> Double {
    let digits = text.last == "x" ? text.dropLast() : text[...]
    guard let rate = TimeText.number(digits), TimePitchSettings.rateRange.contains(rate) else {
      throw outside(text, TimePitchSettings.rateRange, "a rate")
    }
    return rate
  }

  /// Reads a pitch in cents: `-300`, `100`, `+100`.
  package static func pitch(_ text: String) throws(AudioError) -> Double {
    try number(text, in: TimePitchSettings.pitchRange, "a pitch in cents")
  }

  /// Reads the name of a way to stretch.
  package static func stretch(_ text: String) throws(AudioError) -> StretchAlgorithm {
    guard let algorithm = StretchAlgorithm(rawValue: text) else {
      throw AudioError(
        .usage,
        "\u{201C}\(text)\u{201D} is none of \(StretchAlgorithm.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return algorithm
  }

  // MARK: Numbers

  /// A number as short as it reads back.
  package static func number(_ value: Double) -> String { JSONValue.number(value).text }

  /// A number with or without a sign.
  private static func signed(_ text: some StringProtocol) -> Double? {
    let isSigned = text.first == "-" || text.first == "+"
    guard let size = TimeText.number(isSigned ? text.dropFirst() : text[text.startIndex...]) else { return nil }
    return text.first == "-" ? -size : size
  }

  private static func percent(
    _ text: Substring, in range: ClosedRange<Double>, _ what: String
  ) throws(AudioError) -> Double {
    try number(text.last == "%" ? text.dropLast() : text, in: range, what)
  }

  private static func number(
    _ text: some StringProtocol, in range: ClosedRange<Double>, _ what: String
  ) throws(AudioError) -> Double {
    guard let value = signed(text), range.contains(value) else { throw outside(text, range, what) }
    return value
  }

  private static func outside(
    _ text: some StringProtocol, _ range: ClosedRange<Double>, _ what: String
  ) -> AudioError {
    AudioError(
      .usage,
      "\u{201C}\(text)\u{201D} is not \(what) from \(number(range.lowerBound)) to \(number(range.upperBound))")
  }

  private static func unknown(
    _ name: String, _ kind: String, _ names: [String], else other: String = ""
  ) -> AudioError {
    let near = Suggestion.nearest(to: name, among: names).map { "did you mean \($0)?" }
    return AudioError(
      .usage, "\u{201C}\(name)\u{201D} is no \(kind); " + (near ?? "martlet effects lists them" + other))
  }
}

// MARK: - One after the other

/// Settings of which some have names, to be gone through one after the other.
package protocol PresetSettings: Hashable, Sendable {
  /// The presets in order, each as another one that differs in nothing else would be; empty where there are none.
  static func presets(like settings: Self?) -> [Self]
}

extension EqualizerSettings: PresetSettings {
  package static func presets(like settings: Self?) -> [Self] {
    EqualizerPreset.allCases.filter { $0 != .flat }.map(\.settings)
  }
}

extension ReverbSettings: PresetSettings {
  package static func presets(like settings: Self?) -> [Self] {
    let mix = settings?.mix ?? EffectText.reverbMix
    return ReverbPreset.allCases.map { ReverbSettings(preset: $0, mix: mix) }
  }
}

extension DelaySettings: PresetSettings {
  package static func presets(like settings: Self?) -> [Self] { [] }
}

extension DistortionSettings: PresetSettings {
  package static func presets(like settings: Self?) -> [Self] {
    let model = settings ?? DistortionSettings(mix: EffectText.distortionMix)
    return DistortionPreset.allCases.map {
      DistortionSettings(preset: $0, mix: model.mix, preGain: model.preGain)
    }
  }
}

extension Command.Choice where Settings: PresetSettings {
  /// The settings that are meant, given those that hold.
  package func settings(after present: Settings?) -> Settings? {
    switch self {
    case .off: return nil
    case .to(let settings): return settings
    case .next:
      let presets = Settings.presets(like: present)
      guard let present else { return presets.first }
      // Settings without a name are left for the first preset.
      guard let index = presets.firstIndex(of: present) else { return presets.first }
      return index + 1 < presets.count ? presets[index + 1] : nil
    }
  }
}
