internal import AudioModel
internal import Commands

/// The effects that options and commands name, in the order in which sound goes through them.
enum EffectList {
  /// An effect.
  struct Effect {
    /// The option's and the command's name.
    let name: String
    /// What follows the name.
    let syntax: String
    /// What it does.
    let summary: String
    let parameters: [Parameter]
    let presets: [String]
  }

  /// What can be set of an effect.
  struct Parameter {
    let name: String
    /// `nil` where it is a name.
    let range: ClosedRange<Double>?
    /// What holds where nobody says; `nil` where there is no such thing.
    let standard: Double?
    let unit: String
    let summary: String
  }

  static let effects: [Effect] = [
    Effect(
      name: "rate", syntax: "X", summary: "plays faster or slower; the pitch stays",
      parameters: [
        Parameter(
          name: "rate", range: TimePitchSettings.rateRange, standard: 1, unit: "times",
          summary: "speed")
      ], presets: []),
    Effect(
      name: "pitch", syntax: "C", summary: "raises or lowers the pitch; the speed stays",
      parameters: [
        Parameter(
          name: "pitch", range: TimePitchSettings.pitchRange, standard: 0, unit: "cents",
          summary: "100 are a semitone")
      ], presets: []),
    Effect(
      name: "stretch", syntax: "HOW", summary: "chooses how rate and pitch are changed",
      parameters: [
        Parameter(name: "algorithm", range: nil, standard: nil, unit: "", summary: "auto: by what it sounds like")
      ], presets: StretchAlgorithm.allCases.map(\.rawValue)),
    Effect(
      name: "distortion", syntax: "PRESET[:MIX]", summary: "spoils the sound",
      parameters: [mix(DistortionSettings.mixRange, EffectText.distortionMix, "of spoilt sound")],
      presets: DistortionPreset.allCases.map(\.rawValue)),
    Effect(
      name: "eq", syntax: "NAME|HZ:DB[:OCT],...|graphic:DB,...", summary: "raises and lowers parts of the spectrum",
      parameters: [
        Parameter(
          name: "frequency", range: EqualizerBand.frequencyRange, standard: nil, unit: "Hz",
          summary: "a band's middle"),
        Parameter(
          name: "gain", range: EqualizerBand.gainRange, standard: 0, unit: "dB",
          summary: "of a band; graphic: of ten bands"),
        Parameter(
          name: "bandwidth", range: EqualizerBand.bandwidthRange, standard: 1, unit: "octaves",
          summary: "a band's width"),
      ], presets: EqualizerPreset.allCases.map(\.rawValue)),
    Effect(
      name: "delay", syntax: "S[:FEEDBACK[:MIX]]", summary: "repeats the sound",
      parameters: [
        Parameter(
          name: "time", range: DelaySettings.timeRange, standard: nil, unit: "s",
          summary: "until the first repetition"),
        Parameter(
          name: "feedback", range: DelaySettings.feedbackRange, standard: EffectText.delayFeedback, unit: "%",
          summary: "of each repetition in the next"),
        mix(DelaySettings.mixRange, EffectText.delayMix, "of repetitions"),
      ], presets: []),
    Effect(
      name: "reverb", syntax: "PRESET[:MIX]", summary: "plays as in a room",
      parameters: [mix(ReverbSettings.mixRange, EffectText.reverbMix, "of room")],
      presets: ReverbPreset.allCases.map(\.rawValue)),
  ]

  private static func mix(_ range: ClosedRange<Double>, _ standard: Double, _ summary: String) -> Parameter {
    Parameter(name: "mix", range: range, standard: standard, unit: "%", summary: summary)
  }
}
