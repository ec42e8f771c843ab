package import AudioModel
internal import DSP

/// The work of a render call, laid out beforehand: who pulls whom, and all memory that it needs.
///
/// Made on the control side and never changed; the thread that renders runs it. A plan keeps every object alive that it
/// names; who frees a plan has taken it back from that thread.
package final class RenderPlan: @unchecked Sendable {
  // After `init` what the pointers lead to belongs to the thread that renders, from taking the plan to retiring it.
  private let nodes: UnsafeMutableBufferPointer<PlanNode>
  private let edges: UnsafeMutableBufferPointer<PlanEdge>
  private let drains: UnsafeMutableBufferPointer<PlanDrain>
  private let taps: UnsafeMutableBufferPointer<Unmanaged<Tap>>
  private let memory: UnsafeMutablePointer<Float>
  private let kept: [AnyObject]
  let channels: Int
  /// Whether frames can be taken back: what the nodes remember goes back with them.
  let canRewind: Bool

  /// Format of the output.
  package let format: PCMFormat
  /// Frames that are rendered at a time: longer calls are rendered in pieces.
  package let maximumFrames: Int

  /// Takes over what a compiler has laid out. The last node is the output.
  /// - Parameters:
  ///   - memory: What the nodes and edges point into.
  ///   - kept: What they name.
  init(
    format: PCMFormat, maximumFrames: Int, nodes: [PlanNode], edges: [PlanEdge], drains: [PlanDrain],
    taps: [Unmanaged<Tap>], memory: UnsafeMutablePointer<Float>, kept: [AnyObject]
  ) {
    self.format = format
    self.maximumFrames = maximumFrames
    channels = format.channels
    self.memory = memory
    self.kept = kept
    self.nodes = Self.copy(nodes)
    self.edges = Self.copy(edges)
    self.drains = Self.copy(drains)
    self.taps = Self.copy(taps)
    canRewind = !nodes.contains { if case .effect = $0.kind { true } else { false } }
  }

  deinit {
    nodes.deallocate()
    edges.deallocate()
    drains.deallocate()
    taps.deallocate()
    memory.deallocate()
  }

  private static func copy<Element: BitwiseCopyable>(_ array: [Element]) -> UnsafeMutableBufferPointer<Element> {
    let buffer = UnsafeMutableBufferPointer<Element>.allocate(capacity: array.count)
    _ = buffer.initialize(from: array)
    return buffer
  }

  // MARK: Real-time

  /// Renders at most ``maximumFrames``.
  /// - Returns: The frames; fewer than wanted mean that the sound has ended.
  @_noLocks @_noAllocation
  func render(_ context: RenderContext) -> RenderedBlock {
    let block = render(nodes.count &- 1, context.frames, context)
    var index = 0
    while index < drains.count {
      drain(drains[index], context)
      index &+= 1
    }
    return block
  }

  /// Makes a node render.
  @_noLocks @_noAllocation
  private func render(_ index: Int, _ frames: Int, _ context: RenderContext) -> RenderedBlock {
    let node = nodes[index]
    var block = RenderedBlock(planes: node.planes, stride: node.capacity, count: frames)
    switch node.kind {
    case .transport(let transport):
      block.count = transport._withUnsafeGuaranteedRef {
        $0.fill(node.planes, stride: node.capacity, channels: node.channels, frames: frames)
      }
    case .gain(let gain):
      block = pull(node.firstEdge, frames, context)
      gain._withUnsafeGuaranteedRef { $0.apply(to: block, channels: node.channels, rate: node.rate) }
    case .meter(let meter):
      block = pull(node.firstEdge, frames, context)
      meter._withUnsafeGuaranteedRef { $0.measure(block, channels: node.channels) }
    case .player(let player):
      guard let clock = node.clock else { return block }
      player._withUnsafeGuaranteedRef {
        $0.render(
          block, clock, channels: node.channels, rate: node.rate, edge: node.ramp, latency: node.latency, context)
      }
    case .source(let source):
      let call = blockCall(block, node, context)
      let isSound = source._withUnsafeGuaranteedRef { $0.render(call) }
      if !isSound { Mixing.clear(block.planes, stride: block.stride, channels: node.channels, count: frames) }
    case .capture(let capture):
      capture._withUnsafeGuaranteedRef { $0.render(node.planes, stride: node.capacity, frames: frames) }
    case .mixer(let mixer):
      mix(node, frames, context)
      mixer._withUnsafeGuaranteedRef {
        $0.finish(node.planes, stride: node.capacity, channels: node.channels, frames: frames, rate: node.rate)
      }
    case .converter: mix(node, frames, context)
    case .time(let stage, let stretcher):
      stage._withUnsafeGuaranteedRef { $0.begin(stretcher) }
      stretch(block, by: stretcher, of: stage, node, context)
    case .effect(let stage):
      block = pull(node.firstEdge, frames, context)
      guard block.count > 0 else { return block }
      let call = blockCall(block, node, context)
      stage._withUnsafeGuaranteedRef { $0.process(call, scratch: node.scratch) }
    case .tail(let tail):
      let input = pull(node.firstEdge, frames, context)
      block = tail._withUnsafeGuaranteedRef { $0.pass(input, or: block, channels: node.channels, rate: node.rate) }
    case .edge(let edge):
      block = pull(node.firstEdge, frames, context)
      edge._withUnsafeGuaranteedRef { $0.apply(to: block, channels: node.channels, rate: node.rate) }
    case .silence: Mixing.clear(block.planes, stride: block.stride, channels: node.channels, count: frames)
    }
    finish(node, block, context)
    return block
  }

  /// Lets taps listen, and counts.
  @_noLocks @_noAllocation
  private func finish(_ node: PlanNode, _ block: RenderedBlock, _ context: RenderContext) {
    guard let clock = node.clock else { return }
    var isPlayer = false
    if case .player = node.kind { isPlayer = true }
    // A player has counted its frames already.
    let first = clock.pointee.frame &- (isPlayer ? Int64(block.count) : 0)
    var index = 0
    while index < node.taps {
      taps[node.firstTap &+ index]._withUnsafeGuaranteedRef {
        $0.write(block, sampleTime: first, hostTime: context.hostTime)
      }
      index &+= 1
    }
    if !isPlayer { clock.pointee.advance(block.count, context, rate: node.rate) }
  }

  @_noLocks @_noAllocation
  private func blockCall(_ block: RenderedBlock, _ node: PlanNode, _ context: RenderContext) -> BlockCall {
    var first: Int64 = 0
    if let clock = node.clock { first = clock.pointee.frame }
    return BlockCall(
      planes: block.planes, stride: block.stride, channels: node.channels, frames: block.count, rate: node.rate,
      sampleTime: first, hostTime: context.hostTime)
  }

  /// Adds a mixer's inputs on its planes.
  @_noLocks @_noAllocation
  private func mix(_ node: PlanNode, _ frames: Int, _ context: RenderContext) {
    var isFirst = true
    var index = 0
    while index < node.edges {
      let edge = edges[node.firstEdge &+ index]
      if let input = edge.input {
        if edge.isLeaving { input._withUnsafeGuaranteedRef { $0.leave(over: node.ramp) } }
        let wanted = input._withUnsafeGuaranteedRef { $0.sourceFrames(for: frames) }
        var block = RenderedBlock(planes: node.planes, stride: node.capacity, count: 0)
        if wanted > 0 {
          block = pull(node.firstEdge &+ index, wanted, context)
          input._withUnsafeGuaranteedRef { $0.push(block) }
        }
        input._withUnsafeGuaranteedRef {
          $0.mix(block, onto: node.planes, stride: node.capacity, frames: frames, isFirst: isFirst)
        }
        isFirst = false
        if edge.isLeaving {
          edge.connection?._withUnsafeGuaranteedRef { if $0.state.pointee.isSilent { $0.tellLeft() } }
        }
      }
      index &+= 1
    }
    if isFirst { Mixing.clear(node.planes, stride: node.capacity, channels: node.channels, count: frames) }
  }

  /// Fills a block with frames whose time passes at another speed than that of what leads to it.
  @_noLocks @_noAllocation
  private func stretch(
    _ block: RenderedBlock, by stretcher: Unmanaged<TimeStretcher>, of stage: Unmanaged<TimeStage>, _ node: PlanNode,
    _ context: RenderContext
  ) {
    let edge = edges[node.firstEdge]
    let most = stretcher._withUnsafeGuaranteedRef { $0.maximumFrames }
    var done = 0
    while done < block.count {
      let left = block.count &- done
      let count = stage._withUnsafeGuaranteedRef { $0.piece(of: left < most ? left : most) }
      while true {
        let wanted = stretcher._withUnsafeGuaranteedRef { $0.wanted(for: count) }
        guard wanted > 0 else { break }
        let source = pull(node.firstEdge, wanted < edge.capacity ? wanted : edge.capacity, context)
        guard source.count > 0 else { return clear(block, from: done, node) }
        stretcher._withUnsafeGuaranteedRef { $0.push(source.planes, stride: source.stride, count: source.count) }
      }
      let planes = block.planes + done
      let made = stretcher._withUnsafeGuaranteedRef { $0.pull(into: planes, stride: block.stride, count: count) }
      stage._withUnsafeGuaranteedRef {
        $0.end(stretcher, planes, stride: block.stride, channels: node.channels, made: made, of: count)
      }
      done &+= count
    }
  }

  @_noLocks @_noAllocation
  private func clear(_ block: RenderedBlock, from frame: Int, _ node: PlanNode) {
    Mixing.clear(
      block.planes + frame, stride: block.stride, channels: node.channels, count: block.count &- frame)
  }

  /// Gets frames of what leads to an input.
  @_noLocks @_noAllocation
  private func pull(_ index: Int, _ frames: Int, _ context: RenderContext) -> RenderedBlock {
    let edge = edges[index]
    guard let fanOut = nodes[edge.producer].fanOut, let connection = edge.connection else {
      return render(edge.producer, frames, context)
    }
    let known = connection._withUnsafeGuaranteedRef { $0.cursor }
    let cursor = fanOut._withUnsafeGuaranteedRef { $0.place(known, outputFrame: context.outputFrame) }
    let end = cursor &+ Int64(frames)
    while true {
      let missing = end &- fanOut._withUnsafeGuaranteedRef { $0.produced }
      guard missing > 0 else { break }
      let block = render(edge.producer, Int(missing), context)
      guard block.count > 0 else { break }
      fanOut._withUnsafeGuaranteedRef { $0.append(block) }
    }
    fanOut._withUnsafeGuaranteedRef { $0.read(cursor, into: edge.planes, stride: edge.stride, count: frames) }
    connection._withUnsafeGuaranteedRef { $0.setCursor(end) }
    return RenderedBlock(planes: edge.planes, stride: edge.stride, count: frames)
  }

  @_noLocks @_noAllocation
  private func drain(_ drain: PlanDrain, _ context: RenderContext) {
    // In whole numbers, so that a sink at another rate keeps pace for good.
    let before = context.outputFrame
    let after = before &+ Int64(context.frames)
    let rate = Int64(drain.rate)
    let own = Int64(format.sampleRate.hertz)
    let count = Int((after &* rate) / own &- (before &* rate) / own)
    // Of a shared output, a call without a frame marks where this reader begins.
    let isShared = nodes[edges[drain.edge].producer].fanOut != nil
    if count == 0, !isShared { return }
    let block = pull(drain.edge, count < drain.capacity ? count : drain.capacity, context)
    guard count > 0, let sink = drain.sink, let clock = drain.clock else { return }
    let call = BlockCall(
      planes: block.planes, stride: block.stride, channels: drain.channels, frames: block.count, rate: drain.rate,
      sampleTime: clock.pointee.frame, hostTime: context.hostTime)
    sink._withUnsafeGuaranteedRef { $0.take(call) }
    clock.pointee.advance(block.count, context, rate: drain.rate)
  }
}
