package import AudioModel
package import Commands

/// Answers to commands.
package enum Reply {
  /// Done.
  package static let ok: JSONValue = ["ok": true]

  /// Not done, and why.
  package static func failure(_ error: AudioError) -> JSONValue {
    ["ok": false, "code": JSONValue(error.code.rawValue), "message": .string(error.message)]
  }

  /// Whether an answer that came as a line says that all is well, and the error's code if not.
  package static func outcome(of line: some StringProtocol) -> Result<Void, AudioError> {
    if line.hasPrefix("{\"ok\":true") { return .success(()) }
    let prefix = "{\"ok\":false,\"code\":"
    guard line.hasPrefix(prefix) else { return .failure(AudioError(.badResponse, "this is no answer of a player")) }
    let number = Int(line.dropFirst(prefix.count).prefix { $0.isNumber }) ?? AudioError.Code.usage.rawValue
    let mark = "\"message\":"
    let message = line.ranges(of: mark).first.flatMap { JSONValue.readString(line[$0.upperBound...].dropLast()) }
    return .failure(AudioError(AudioError.Code(rawValue: number), message ?? "the player refuses"))
  }
}
