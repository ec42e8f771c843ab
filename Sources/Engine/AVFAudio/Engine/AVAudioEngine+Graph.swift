internal import AudioModel
internal import CoreAudioTypes
internal import Foundation
internal import Platform
internal import RenderGraph

extension AVAudioEngine {
  // MARK: Nodes

  /// Takes a node into the engine. One that is in it already stays as it is.
  ///
  /// Differs: here as everywhere, wrong calls end the program with a sentence that names both sides, since Swift has no
  /// exceptions that could be caught.
  /// - Parameter node: Of no other engine: detach it there first.
  public func attach(_ node: AVAudioNode) {
    lock.withLock {
      if node.owner === self { return }
      require(
        node.owner == nil, "attach: \(node) is attached to another engine, \(String(describing: node.owner))")
      node.owner = self
      nodes.append(node)
      if let manualMode { node.setSynchronous(manualMode.mode == .offline) }
      pumped.withLock { $0 = nodes }
    }
  }

  /// Takes a node out of the engine, disconnected. A player stops, and the handlers of what it had are called.
  public func detach(_ node: AVAudioNode) {
    lock.withLock {
      require(node.owner === self, "detach: \(node) is not attached to \(self)")
      links.removeAll { $0.source === node || $0.destination === node }
      nodes.removeAll { $0 === node }
      graphChanged()
      node.owner = nil
    }
    node.leave(self)
  }

  // MARK: Connections

  /// Connects the first output of a node to an input of another: of a mixer the first that is free, else the only one.
  ///
  /// What was connected there before, on either side, is disconnected. Differs: while the engine runs, what comes to a
  /// mixer or to the output fades in and what goes fades out, and a node that gets another format is silent for a moment
  /// between the two.
  /// - Parameters:
  ///   - node1: Where the sound comes from; attached.
  ///   - node2: Where it goes; attached.
  ///   - format: Format of the output from now on; `nil` leaves it as it is.
  public func connect(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) {
    lock.withLock {
      // Taken before the old connection goes: connecting again to the same mixer keeps the place.
      let same = links.first { $0.source === node1 && $0.sourceBus == 0 && $0.destination === node2 }
      let bus = same?.destinationBus ?? (node2 as? AVAudioMixerNode).map { freeInput(of: $0) } ?? 0
      connect(node1, to: node2, fromBus: 0, toBus: bus, format: format)
    }
  }

  /// Connects an output to an input.
  public func connect(
    _ node1: AVAudioNode, to node2: AVAudioNode, fromBus bus1: AVAudioNodeBus, toBus bus2: AVAudioNodeBus,
    format: AVAudioFormat?
  ) {
    lock.withLock {
      links.removeAll { link in
        link.source === node1 && link.sourceBus == bus1
          && !(link.destination === node2 && link.destinationBus == bus2)
      }
      link(node1, bus1, node2, bus2, format)
      graphChanged()
    }
  }

  /// Connects an output to several inputs: all get the same sound.
  /// - Parameters:
  ///   - sourceNode: Where the sound comes from; attached.
  ///   - destNodes: The inputs. What the output was connected to before and is not among them is disconnected.
  ///   - sourceBus: The output.
  ///   - format: Format of the output from now on; `nil` leaves it as it is.
  public func connect(
    _ sourceNode: AVAudioNode, to destNodes: [AVAudioConnectionPoint], fromBus sourceBus: AVAudioNodeBus,
    format: AVAudioFormat?
  ) {
    lock.withLock {
      links.removeAll { link in
        link.source === sourceNode && link.sourceBus == sourceBus
          && !destNodes.contains { $0.node === link.destination && $0.bus == link.destinationBus }
      }
      for point in destNodes {
        guard let node = point.node else { continue }
        link(sourceNode, sourceBus, node, point.bus, format)
      }
      graphChanged()
    }
  }

  private func link(
    _ source: AVAudioNode, _ sourceBus: AVAudioNodeBus, _ destination: AVAudioNode, _ destinationBus: AVAudioNodeBus,
    _ format: AVAudioFormat?
  ) {
    require(source.owner === self, "connect: \(source) is not attached to this engine; attach it first")
    require(
      destination.owner === self, "connect: \(destination) is not attached to this engine; attach it first")
    require(
      sourceBus >= 0 && sourceBus < source.numberOfOutputs, "connect: \(source) has no output \(sourceBus)")
    let inputs = destination is AVAudioMixerNode ? .max : destination.numberOfInputs
    require(
      destinationBus >= 0 && destinationBus < inputs, "connect: \(destination) has no input \(destinationBus)")
    if let format {
      require(
        format.isLinearPCM && format.sampleRate > 0,
        "connect: \(format) is no format for a connection of \(source) to \(destination); linear PCM is")
      source.setOutputFormat(format, bus: sourceBus)
    }
    let isThere = links.contains {
      $0.source === source && $0.sourceBus == sourceBus && $0.destination === destination
        && $0.destinationBus == destinationBus
    }
    if !isThere {
      links.removeAll { $0.destination === destination && $0.destinationBus == destinationBus }
      links.append(EngineLink(source, sourceBus, destination, destinationBus))
    }
    require(!isCyclic, "connect: \(source) to \(destination) makes a circle")
    source.refreshTaps()
    destination.refreshTaps()
  }

  private var isCyclic: Bool {
    var done: Set<ObjectIdentifier> = []
    var path: Set<ObjectIdentifier> = []
    func goesRound(_ node: AVAudioNode) -> Bool {
      let name = ObjectIdentifier(node)
      if path.contains(name) { return true }
      guard done.insert(name).inserted else { return false }
      path.insert(name)
      defer { path.remove(name) }
      return links.contains { $0.destination === node && goesRound($0.source) }
    }
    return nodes.contains { goesRound($0) }
  }

  /// Disconnects all inputs of a node.
  public func disconnectNodeInput(_ node: AVAudioNode) { disconnect { $0.destination === node } }

  /// Disconnects an input of a node.
  public func disconnectNodeInput(_ node: AVAudioNode, bus: AVAudioNodeBus) {
    disconnect { $0.destination === node && $0.destinationBus == bus }
  }

  /// Disconnects all outputs of a node.
  public func disconnectNodeOutput(_ node: AVAudioNode) { disconnect { $0.source === node } }

  /// Disconnects an output of a node.
  public func disconnectNodeOutput(_ node: AVAudioNode, bus: AVAudioNodeBus) {
    disconnect { $0.source === node && $0.sourceBus == bus }
  }

  private func disconnect(_ isGone: (EngineLink) -> Bool) {
    lock.withLock {
      links.removeAll(where: isGone)
      graphChanged()
    }
  }

  /// What is connected to an input; `nil` where nothing is.
  public func inputConnectionPoint(for node: AVAudioNode, inputBus bus: AVAudioNodeBus) -> AVAudioConnectionPoint? {
    source(of: node, bus: bus).map { AVAudioConnectionPoint(node: $0.node, bus: $0.bus) }
  }

  /// What an output is connected to.
  public func outputConnectionPoints(for node: AVAudioNode, outputBus bus: AVAudioNodeBus) -> [AVAudioConnectionPoint]
  {
    lock.withLock {
      links.filter { $0.source === node && $0.sourceBus == bus }
        .map { AVAudioConnectionPoint(node: $0.destination, bus: $0.destinationBus) }
    }
  }

  // MARK: The nodes' side

  func source(of node: AVAudioNode, bus: AVAudioNodeBus) -> (node: AVAudioNode, bus: AVAudioNodeBus)? {
    lock.withLock {
      links.first { $0.destination === node && $0.destinationBus == bus }.map { ($0.source, $0.sourceBus) }
    }
  }

  func inputs(of node: AVAudioNode) -> [AVAudioNodeBus] {
    lock.withLock { links.filter { $0.destination === node }.map(\.destinationBus) }
  }

  func freeInput(of node: AVAudioNode) -> AVAudioNodeBus {
    let taken = Set(inputs(of: node))
    return (0...taken.count).first { !taken.contains($0) } ?? taken.count
  }

  /// Whether a node's output is connected, or is the end itself.
  func isRendered(_ node: AVAudioNode) -> Bool {
    lock.withLock { node === outputNode || links.contains { $0.source === node || $0.destination === node } }
  }

  func setMix(_ mix: GraphConnection.Mix, of node: AVAudioNode) {
    lock.withLock { for link in links where link.source === node { link.setMix(mix) } }
  }

  // MARK: The graph

  /// The graph as the renderer takes it.
  func describe(_ format: PCMFormat, isSounding: Bool) -> GraphDescription {
    guard let end = outputNode.core as? OutputNode else { fatalError("the output is the graph's end") }
    var graph = GraphDescription(
      output: end, format: format, connections: links.compactMap { $0.connection(isSounding: isSounding) })
    for node in nodes {
      guard let core = node.core else { continue }
      for tap in node.taps.all { graph.taps.append((core, tap)) }
      if let mixer = core as? Mixer { graph.formats.append((mixer, node.outputFormat(forBus: 0).pcmFormat)) }
    }
    return graph
  }

  /// Finds what can't be rendered.
  func checkConnections() throws {
    let isUsed = links.contains { link in
      link.destination === outputNode || link.destination is AVAudioSinkNode || link.source is AVAudioInputNode
    }
    guard isUsed || nodes.contains(where: { $0 is AVAudioInputNode && !$0.taps.all.isEmpty }) else {
      throw EngineError.make(
        kAudioUnitErr_FailedInitialization,
        "Nothing is connected to the engine's output, and nothing takes its input")
    }
    for node in nodes {
      guard let unit = node as? AVAudioUnit, let wanted = unit.connectedFormat else { continue }
      let given = unit.outputFormat(forBus: 0)
      guard wanted.sampleRate != given.sampleRate || wanted.channelCount != given.channelCount else { continue }
      throw EngineError.make(
        kAudioUnitErr_FormatNotSupported,
        "\(unit.name) gets \(given) and was connected to give \(wanted); units change no formats, mixers do")
    }
  }
}
