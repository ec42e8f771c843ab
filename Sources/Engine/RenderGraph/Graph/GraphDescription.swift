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

  /// The same graph with what another one had beside it, to mixers that are still there, on its way out.
  package func leaving(from previous: GraphDescription) -> GraphDescription {
    var result = self
    let present = Set(connections.map(ObjectIdentifier.init))
    let heard = Set(connections.map { $0.source.id } + [output.id])
    let known = Set(leaving.map(ObjectIdentifier.init))
    for connection in previous.connections + previous.leaving
    where connection.destination is Mixer && heard.contains(connection.destination.id) {
      let name = ObjectIdentifier(connection)
      if !present.contains(name) && !known.contains(name) && !connection.hasLeft { result.leaving.append(connection) }
    }
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

  /// Connections that are no longer wanted but lead to some that leave.
  private(set) var supply: [GraphConnection] = []

  /// Everything that is rendered.
  var all: [GraphConnection] { connections + leaving + supply }
}
