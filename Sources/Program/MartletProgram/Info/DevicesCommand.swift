internal import AudioModel
internal import AudioOutput
internal import Commands
internal import Martlet

/// `devices`: the outputs of this build and what they find.
enum DevicesCommand {
  static func run(_ arguments: ParsedArguments) throws(AudioError) -> ExitCode {
    try arguments.refuseOperands()
    let outputs = DefaultOutputs.registrations
    let text = arguments.has("json") ? outputs.map { json($0).text + "\n" }.joined() : table(outputs)
    return Console.write(text) ? .success : .ioError
  }

  private static func json(_ output: OutputRegistration) -> JSONValue {
    [
      "output": .string(output.name), "summary": .string(output.summary), "automatic": .bool(output.isAutomatic),
      "devices": .array(
        output.devices().map { device in
          [
            "target": .string(device.target), "summary": .string(device.summary), "default": .bool(device.isDefault),
            "sampleRate": JSONValue(device.format?.sampleRate.hertz), "channels": JSONValue(device.format?.channels),
          ]
        }),
    ]
  }

  private static func table(_ outputs: [OutputRegistration]) -> String {
    let rows = outputs.flatMap { output -> [[String]] in
      let devices = output.devices().map { device in
        ["\(output.name):\(device.target)" + (device.isDefault ? " *" : ""), device.summary]
      }
      return [[output.name, output.summary]] + devices
    }
    return Table.text(["OUTPUT", "WHAT IT IS (* taken when none is named)"], rows)
  }
}
