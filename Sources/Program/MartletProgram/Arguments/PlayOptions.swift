package import AudioModel
package import Martlet

/// What `play` and `demo` were asked to do.
package struct PlayOptions: Sendable {
  /// How events are told.
  package enum Report: Hashable, Sendable {
    /// A live line on a terminal, else plain lines.
    case automatic
    case plain, json, quiet
  }

  /// Where the control socket is.
  package enum Control: Hashable, Sendable {
    case standard, off
    case path(String)
  }

  package var items: [PlayerItem]
  package var configuration: PlayerConfiguration
  package var output: String
  package var control: Control
  package var report: Report
  package var printsStatistics: Bool

  /// Reads the options.
  /// - Parameters:
  ///   - arguments: The words.
  ///   - items: What to play; `nil` takes it from the operands.
  package init(_ arguments: ParsedArguments, items given: [PlayerItem]? = nil) throws(AudioError) {
    let part = try arguments.range()
    if given != nil { try arguments.refuseOperands() }
    if let given { items = given } else { items = try arguments.inputs().map { PlayerItem($0) } }
    for index in items.indices { (items[index].start, items[index].end) = part }
    configuration = PlayerConfiguration()
    configuration.volume = try arguments.volume()
    configuration.effects = try arguments.effects()
    configuration.http = try arguments.http()
    configuration.decodedAhead = try arguments.number("buffer", in: 0.5...10) ?? configuration.decodedAhead
    configuration.outputLatency =
      try arguments.number("latency", in: 10...2000).map { $0 / 1000 } ?? configuration.outputLatency
    output = arguments.value("output") ?? "auto"
    report = arguments.has("no-tui") ? .plain : .automatic
    if arguments.has("quiet") { report = .quiet }
    if arguments.has("json") {
      guard !output.split(separator: ",").contains("stdout") else {
        throw AudioError(.usage, "--json and --output stdout can't share standard output")
      }
      report = .json
    }
    control = arguments.has("no-control") ? .off : .standard
    if let path = arguments.value("control") {
      guard control == .standard else { throw AudioError(.usage, "--control and --no-control contradict each other") }
      control = .path(path)
    }
    printsStatistics = arguments.has("stats")
  }
}
