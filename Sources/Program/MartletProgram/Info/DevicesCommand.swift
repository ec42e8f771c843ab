internal import AudioModel
internal import AudioOutput
internal import Commands
internal import GraphHost
internal import Martlet

/// `devices`: the outputs and inputs of this build and what they find.
enum DevicesCommand {
  static func run(_ arguments: ParsedArguments) throws(AudioError) -> ExitCode {
    try arguments.refuseOperands()
    let outputs = DefaultOutputs.registrations
    let inputs = DefaultInputs.registrations
    let text =
      arguments.has("json")
      ? outputs.map { json($0).text + "\n" }.joined() + inputs.map { json($0).text + "\n" }.joined()
      : table(outputs) + "\n" + table(inputs)
    return Console.write(text) ? .success : .ioError
  }

  private static func json(_ output: OutputRegistration) -> JSONValue {
    [
      "output": .string(output.name), "summary": .string(output.summary), "automatic": .bool(output.isAutomatic),
      "devices": .array(
        output.devices().map { json($0.target, $0.summary, isDefault: $0.isDefault, $0.format) }),
    ]
  }

  private static func json(_ input: InputRegistration) -> JSONValue {
    [
      "input": .string(input.name), "summary": .string(input.summary), "automatic": .bool(input.isAutomatic),
      "devices": .array(
        input.devices().map { json($0.route.target, $0.route.summary, isDefault: $0.isDefault, $0.route.format) }),
    ]
  }

  private static func json(_ target: String, _ summary: String, isDefault: Bool, _ format: PCMFormat?) -> JSONValue {
    [
      "target": .string(target), "summary": .string(summary), "default": .bool(isDefault),
      "sampleRate": JSONValue(format?.sampleRate.hertz), "channels": JSONValue(format?.channels),
    ]
  }

  private static func table(_ outputs: [OutputRegistration]) -> String {
    let rows = outputs.flatMap { output in
      [[output.name, output.summary]]
        + output.devices().map { ["\(output.name):\($0.target)" + ($0.isDefault ? " *" : ""), $0.summary] }
    }
    return Table.text(["OUTPUT", "WHAT IT IS (* taken when none is named)"], rows)
  }

  private static func table(_ inputs: [InputRegistration]) -> String {
    let rows = inputs.flatMap { input in
      [[input.name, input.summary]]
        + input.devices().map { ["\(input.name):\($0.route.target)" + ($0.isDefault ? " *" : ""), $0.route.summary] }
    }
    return Table.text(["INPUT", "WHAT IT IS"], rows)
  }
}
