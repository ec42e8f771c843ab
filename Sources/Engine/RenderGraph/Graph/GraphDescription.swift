package import AudioModel

/// A signal graph as a value: which connections there are, and who listens. What is not connected to the output, to a
/// sink or to a tap is not rendered.
package struct GraphDescription {
  /// The end that is heard, and its format: the device's.
  package var output: OutputNode
  /// Format of the output.
  package var format: PCMFormat
  /// All connections; at most one leads to an input that is no mixer's.
  package var connections: [GraphConnection]
  /// Connections to mixers that are on their way out: they fade, and tell by ``GraphConnection/hasLeft``.
  package var leaving: [GraphConnection] = []
  /// Who listens at the outputs of nodes.
  package var taps: [(node: GraphNode, tap: Tap)] = []
  /// Formats of mixers' outputs. A mixer that has none takes that of its connection to what follows.
  package var formats: [(mixer: Mixer, format: PCMFormat)] = []

  /// Makes a description.
  package init(output: OutputNode, format: PCMFormat, connections: [GraphConnection]) {
    self.output = output
    self.format = format
    self.connections = connections
  }

  /// Whether sound goes in a circle.
  package var hasCycle: Bool {
    var sources: [Int: [GraphNode]] = [:]
    for connection in connections { sources[connection.destination.id, default: []].append(connection.source) }
    var done: Set<Int> = []
    var path: Set<Int> = []
    func goesRound(_ node: GraphNode) -> Bool {
      if path.contains(node.id) { return true }
      guard done.insert(node.id).inserted else { return false }
      path.insert(node.id)
      defer { path.remove(node.id) }
      return (sources[node.id] ?? []).contains { goesRound($0) }
    }
    return connections.contains { goesRound($0.destination) }
  }

  /// The same graph with what another one had beside it, to mixers that are still there and to the output, on its way
  /// out.
  ///
  /// A node that gives another format than before can't give both: then it is the other graph, with what has to go on its
  /// way out, and this one comes when that is silent.
  package func leaving(from previous: GraphDescription) -> GraphDescription {
    var result = self
    let heard = Set(connections.map { $0.source.id } + [output.id])
    let gone = previous.without(connections).filter { connection in
      (connection.destination is Mixer || connection.destination is OutputNode)
        && heard.contains(connection.destination.id) && !connection.hasLeft
    }
    if !gone.isEmpty, changesFormats(of: previous) { return previous.fading(gone, for: self) }
    result.leaving += gone
    // What leads to those that leave has to stay as long.
    var wanted = result.leaving.map(\.source)
    var kept = Set(result.connections.map(ObjectIdentifier.init))
    while let node = wanted.popLast() {
      for connection in previous.connections where connection.destination === node {
        if kept.insert(ObjectIdentifier(connection)).inserted {
          result.supply.append(connection)
          wanted.append(connection.source)
        }
      }
    }
    for (mixer, format) in previous.formats where !formats.contains(where: { $0.mixer === mixer }) {
      result.formats.append((mixer, format))
    }
    return result
  }

  /// What sounds here, of connections to be heard, that is not among others.
  private func without(_ others: [GraphConnection]) -> [GraphConnection] {
    let names = Set(others.map(ObjectIdentifier.init))
    return (connections + leaving).filter { !names.contains(ObjectIdentifier($0)) }
  }

  /// Whether a node gives a format that it does not give in another graph.
  private func changesFormats(of previous: GraphDescription) -> Bool {
    let gone = previous.without(connections)
    let names = Set(previous.connections.map(ObjectIdentifier.init))
    return connections.contains { connection in
      !names.contains(ObjectIdentifier(connection))
        && gone.contains { $0.source === connection.source && $0.format != connection.format }
    }
  }

  /// This graph with some of its connections on their way out.
  private func fading(_ gone: [GraphConnection], for next: GraphDescription) -> GraphDescription {
    let names = Set(gone.map(ObjectIdentifier.init))
    var result = self
    result.connections.removeAll { names.contains(ObjectIdentifier($0)) }
    result.leaving = gone
    result.taps.removeAll { tap in !next.taps.contains { $0.tap === tap.tap } }
    return result
  }

  /// Connections that are no longer wanted but lead to some that leave.
  private(set) var supply: [GraphConnection] = []

  /// Everything that is rendered.
  var all: [GraphConnection] { connections + leaving + supply }
}
