internal import AudioModel

/// Lays out a plan for a graph.
struct PlanCompiler {
  /// A node as it is being laid out.
  private struct Draft {
    var kind: PlanNode.Kind
    var owner: GraphNode?
    var format: PCMFormat
    var capacity: Int
    var edges: [EdgeDraft] = []
    var taps: [Tap] = []
    var readers = 0
    var latency = 0
    var needsScratch = false
  }
  private struct EdgeDraft {
    var producer: Int
    var connection: GraphConnection?
    var input: MixerInput?
    var isLeaving = false
    var capacity: Int
  }

  private let graph: GraphDescription
  private let maximumFrames: Int
  private let hasSoftEdges: Bool
  private var incoming: [Int: [GraphConnection]] = [:]
  private let leaving: Set<ObjectIdentifier>
  private var drafts: [Draft] = []
  private var places: [Int: Int] = [:]
  private var kept: [AnyObject] = []

  /// - Parameter hasSoftEdges: Sound that is cut fades over 5 ms.
  init(_ graph: GraphDescription, maximumFrames: Int, hasSoftEdges: Bool) {
    precondition(maximumFrames > 0)
    precondition(!graph.hasCycle, "a graph has no circles")
    self.graph = graph
    self.maximumFrames = maximumFrames
    self.hasSoftEdges = hasSoftEdges
    leaving = Set(graph.leaving.map(ObjectIdentifier.init))
    for connection in graph.all { incoming[connection.destination.id, default: []].append(connection) }
    for id in incoming.keys { incoming[id]?.sort { $0.destinationBus < $1.destinationBus } }
  }

  /// The plan.
  mutating func compile() -> RenderPlan {
    // The output is laid out first, since what it needs is known, and comes last in the plan, behind what it pulls.
    let end = root()
    var drainEdges: [(edge: EdgeDraft, sink: BlockSink?, draft: Int)] = []
    for connection in graph.connections {
      guard let sink = connection.destination as? BlockSink else { continue }
      let capacity = drainCapacity(connection.format)
      let producer = producer(of: connection, capacity: capacity, latency: 0)
      kept.append(sink)
      drainEdges.append(
        (EdgeDraft(producer: producer, connection: connection, capacity: capacity), sink, producer))
    }
    for (node, tap) in graph.taps {
      if places[node.id] == nil, let capture = node as? CaptureSource {
        let capacity = drainCapacity(capture.format)
        let place = self.place(of: node, format: capture.format, capacity: capacity, latency: 0)
        drainEdges.append((EdgeDraft(producer: place, connection: nil, capacity: capacity), nil, place))
      }
      if let place = places[node.id] {
        drafts[place].taps.append(tap)
        kept.append(tap)
      }
    }
    return layOut(end: end, drainEdges)
  }

  private func drainCapacity(_ format: PCMFormat) -> Int {
    maximumFrames * format.sampleRate.hertz / graph.format.sampleRate.hertz + 2
  }

  // MARK: Nodes

  /// The output: what leads to it, where its format fits and nothing fades, else a mixer.
  private mutating func root() -> Int {
    let connections = incoming[graph.output.id] ?? []
    guard let connection = connections.first else {
      return add(Draft(kind: .silence, owner: graph.output, format: graph.format, capacity: maximumFrames))
    }
    kept.append(graph.output)
    let fades = connections.count > 1 || connection.fadesIn || leaving.contains(ObjectIdentifier(connection))
    if connection.format == graph.format, !fades {
      return producer(of: connection, capacity: maximumFrames, latency: 0)
    }
    let place = add(Draft(kind: .converter, owner: graph.output, format: graph.format, capacity: maximumFrames))
    connectInputs(of: graph.output, to: place)
    return place
  }

  private mutating func add(_ draft: Draft) -> Int {
    drafts.append(draft)
    return drafts.count - 1
  }

  private mutating func producer(of connection: GraphConnection, capacity: Int, latency: Int) -> Int {
    kept.append(connection)
    let place = place(of: connection.source, format: connection.format, capacity: capacity, latency: latency)
    drafts[place].readers += 1
    return place
  }

  /// Where a node is in the plan, laid out for at least `capacity` frames at a time.
  private mutating func place(of node: GraphNode, format: PCMFormat, capacity: Int, latency: Int) -> Int {
    if let place = places[node.id] {
      if drafts[place].capacity < capacity {
        drafts[place].capacity = capacity
        connectInputs(of: node, to: place)
      }
      drafts[place].latency = max(drafts[place].latency, latency)
      return place
    }
    kept.append(node)
    if let stage = node as? TimeStage { kept.append(stage.stretcher(for: format)) }
    let own = (node as? Mixer).flatMap { mixer in graph.formats.first { $0.mixer === mixer }?.format } ?? format
    let place = add(
      Draft(kind: kind(of: node, format: own), owner: node, format: own, capacity: capacity, latency: latency))
    places[node.id] = place
    if let effect = node as? EffectStage {
      drafts[place].needsScratch = true
      effect.kernel.prepare(rate: own.sampleRate.hertz, channels: own.channels)
    }
    connectInputs(of: node, to: place)
    return place
  }

  private func kind(of node: GraphNode, format: PCMFormat) -> PlanNode.Kind {
    switch node {
    case let node as ClipPlayer: .player(.passUnretained(node))
    case let node as BlockSource: .source(.passUnretained(node))
    case let node as CaptureSource: .capture(.passUnretained(node))
    case let node as Mixer: .mixer(.passUnretained(node))
    case let node as EffectStage: .effect(.passUnretained(node))
    case let node as TimeStage: .time(.passUnretained(node), .passUnretained(node.stretcher(for: format)))
    case let node as Transport: .transport(.passUnretained(node))
    case let node as GainNode: .gain(.passUnretained(node))
    case let node as MeterNode: .meter(.passUnretained(node))
    case let node as TailNode: .tail(.passUnretained(node))
    case let node as EdgeNode: .edge(.passUnretained(node))
    default: .silence
    }
  }

  /// Lays out what leads to a node, or lays it out anew for more frames.
  private mutating func connectInputs(of node: GraphNode, to place: Int) {
    for edge in drafts[place].edges { drafts[edge.producer].readers -= 1 }
    let capacity = drafts[place].capacity
    let format = drafts[place].format
    var latency = drafts[place].latency
    if let effect = node as? EffectStage { latency += scaled(effect.kernel.latency, format.sampleRate) }
    if let stage = node as? TimeStage { latency += Int(stage.latency * Double(graph.format.sampleRate.hertz)) }
    var edges: [EdgeDraft] = []
    for connection in incoming[node.id] ?? [] {
      if node is Mixer || node is OutputNode {
        let input = connection.mixerInput(to: format, capacity: capacity)
        kept.append(input)
        let wanted = input.sourceCapacity(for: capacity)
        let producer = producer(
          of: connection, capacity: wanted, latency: latency + scaled(input.latency, format.sampleRate))
        let isLeaving = leaving.contains(ObjectIdentifier(connection))
        edges.append(
          EdgeDraft(
            producer: producer, connection: connection, input: input, isLeaving: isLeaving, capacity: wanted))
      } else {
        // What changes time pulls as it needs, and in pieces of this size.
        let capacity = node is TimeStage ? max(capacity, 1024) : capacity
        let producer = producer(of: connection, capacity: capacity, latency: latency)
        edges.append(EdgeDraft(producer: producer, connection: connection, capacity: capacity))
        break
      }
    }
    drafts[place].edges = edges
    let passes =
      node is EffectStage || node is TimeStage || node is GainNode || node is MeterNode || node is TailNode
      || node is EdgeNode
    if edges.isEmpty && passes { drafts[place].kind = .silence }
  }

  /// Frames at a rate as frames of the output, rounded up.
  private func scaled(_ frames: Int, _ rate: SampleRate) -> Int {
    (frames * graph.format.sampleRate.hertz + rate.hertz - 1) / rate.hertz
  }

  // MARK: Memory

  private mutating func layOut(
    end: Int, _ drains: [(edge: EdgeDraft, sink: BlockSink?, draft: Int)]
  ) -> RenderPlan {
    // Sixteen floats are 64 bytes: planes begin at lines of the cache, relative to each other.
    func rounded(_ frames: Int) -> Int { (frames + 15) / 16 * 16 }
    var samples = 0
    func take(_ count: Int) -> Int {
      defer { samples += rounded(count) }
      return samples
    }
    var fanOuts: [Int: FanOut] = [:]
    for place in drafts.indices {
      guard let owner = drafts[place].owner else { continue }
      fanOuts[place] = owner.sharedOutput(
        channels: drafts[place].format.channels, capacity: drafts[place].capacity, readers: drafts[place].readers)
    }
    kept += fanOuts.values.map { $0 as AnyObject }
    var offsets: [(planes: Int, scratch: Int?)] = []
    for draft in drafts {
      let size = draft.format.channels * rounded(draft.capacity)
      offsets.append((take(size), draft.needsScratch ? take(size) : nil))
    }
    let allEdges = drafts.flatMap(\.edges) + drains.map(\.edge)
    let edgeOffsets = allEdges.map { edge in
      fanOuts[edge.producer] == nil ? 0 : take(drafts[edge.producer].format.channels * rounded(edge.capacity))
    }
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: max(16, samples))
    memory.initialize(repeating: 0, count: max(16, samples))

    // The output goes to the end; everything else keeps its place.
    var order = Array(drafts.indices)
    order.removeAll { $0 == end }
    order.append(end)
    var position = [Int](repeating: 0, count: drafts.count)
    for (index, place) in order.enumerated() { position[place] = index }

    let edges = zip(allEdges, edgeOffsets).map { edge, offset in
      PlanEdge(
        producer: position[edge.producer], connection: edge.connection.map { .passUnretained($0) },
        input: edge.input.map { .passUnretained($0) }, isLeaving: edge.isLeaving, planes: memory + offset,
        stride: rounded(edge.capacity), capacity: edge.capacity)
    }
    var firstEdges: [Int] = []
    for draft in drafts { firstEdges.append((firstEdges.last ?? 0) + draft.edges.count) }
    var taps: [Unmanaged<Tap>] = []
    let nodes = order.map { place -> PlanNode in
      let draft = drafts[place]
      var node = PlanNode(
        kind: draft.kind, clock: draft.owner?.clock, channels: draft.format.channels,
        rate: draft.format.sampleRate.hertz, capacity: rounded(draft.capacity),
        planes: memory + offsets[place].planes,
        scratch: memory + (offsets[place].scratch ?? offsets[place].planes))
      node.firstEdge = firstEdges[place] - draft.edges.count
      node.edges = draft.edges.count
      node.firstTap = taps.count
      node.taps = draft.taps.count
      taps += draft.taps.map { .passUnretained($0) }
      node.fanOut = fanOuts[place].map { .passUnretained($0) }
      node.latency = draft.latency
      node.ramp = hasSoftEdges ? draft.format.sampleRate.hertz / 200 : 0
      return node
    }
    let base = edges.count - drains.count
    let planDrains = drains.enumerated().map { index, drain in
      PlanDrain(
        edge: base + index, sink: drain.sink.map { .passUnretained($0) }, clock: drain.sink?.clock,
        channels: drafts[drain.draft].format.channels, rate: drafts[drain.draft].format.sampleRate.hertz,
        capacity: drain.edge.capacity)
    }
    return RenderPlan(
      format: graph.format, maximumFrames: maximumFrames, nodes: nodes, edges: edges, drains: planDrains, taps: taps,
      memory: memory, kept: kept)
  }
}

extension RenderPlan {
  /// Lays out a plan for a graph.
  /// - Parameters:
  ///   - graph: What is connected; without circles.
  ///   - maximumFrames: Frames that are rendered at a time.
  ///   - hasSoftEdges: Sound that is cut fades over 5 ms; otherwise edges are hard and results exact.
  package static func compile(_ graph: GraphDescription, maximumFrames: Int, hasSoftEdges: Bool) -> RenderPlan {
    var compiler = PlanCompiler(graph, maximumFrames: maximumFrames, hasSoftEdges: hasSoftEdges)
    return compiler.compile()
  }
}
