internal import AudioModel
internal import Commands

/// `effects`: the table of what can be done to sound.
enum EffectsCommand {
  static func run(_ arguments: ParsedArguments) throws(AudioError) -> ExitCode {
    try arguments.refuseOperands()
    let effects = EffectList.effects
    let text = arguments.has("json") ? effects.map { json($0).text + "\n" }.joined() : table(effects)
    return Console.write(text) ? .success : .ioError
  }

  private static func table(_ effects: [EffectList.Effect]) -> String {
    let rows = effects.flatMap { effect -> [[String]] in
      effect.parameters.enumerated().map { index, parameter in
        [
          index == 0 ? effect.name : "", parameter.name, parameter.range.map(range) ?? "",
          parameter.standard.map(EffectText.number) ?? "", parameter.unit, parameter.summary,
        ]
      }
    }
    let presets = effects.filter { !$0.presets.isEmpty }.map { effect in
      HelpText.entry(effect.name, effect.presets.joined(separator: " ")) + "\n"
    }
    return Table.text(["EFFECT", "PARAMETER", "RANGE", "DEFAULT", "UNIT", "WHAT"], rows)
      + "\nPresets:\n" + presets.joined() + "\nTry: martlet play --reverb large-hall:40 song.flac\n"
  }

  private static func range(_ range: ClosedRange<Double>) -> String {
    "\(EffectText.number(range.lowerBound))...\(EffectText.number(range.upperBound))"
  }

  private static func json(_ effect: EffectList.Effect) -> JSONValue {
    let parameters = effect.parameters.map { parameter -> JSONValue in
      [
        "name": .string(parameter.name), "minimum": JSONValue(parameter.range?.lowerBound),
        "maximum": JSONValue(parameter.range?.upperBound), "default": JSONValue(parameter.standard),
        "unit": .string(parameter.unit), "summary": .string(parameter.summary),
      ]
    }
    return [
      "name": .string(effect.name), "syntax": .string(effect.syntax), "summary": .string(effect.summary),
      "parameters": .array(parameters), "presets": .array(effect.presets.map { .string($0) }),
    ]
  }
}
