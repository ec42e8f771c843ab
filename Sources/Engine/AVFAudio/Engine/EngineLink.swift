internal import Foundation
internal import Platform
internal import Realtime
internal import RenderGraph

/// A connection of an engine's graph.
final class EngineLink {
  let source: AVAudioNode
  let sourceBus: AVAudioNodeBus
  let destination: AVAudioNode
  let destinationBus: AVAudioNodeBus
  private var made: (connection: GraphConnection, source: GraphNode, destination: GraphNode, format: AVAudioFormat)?

  init(
    _ source: AVAudioNode, _ sourceBus: AVAudioNodeBus, _ destination: AVAudioNode, _ destinationBus: AVAudioNodeBus
  ) {
    self.source = source
    self.sourceBus = sourceBus
    self.destination = destination
    self.destinationBus = destinationBus
  }

  /// What it is in the graph: made anew where a node or the format is another one than before.
  /// - Parameter isSounding: The engine runs, so that what comes in may be in the middle of its sound, and fades in.
  func connection(isSounding: Bool) -> GraphConnection? {
    guard let from = source.core, let to = destination.core else { return nil }
    let format = source.outputFormat(forBus: sourceBus)
    if let made, made.source === from, made.destination === to, made.format == format { return made.connection }
    let fades = isSounding && from.times.frame > 0
    // Counted at the destination, where it is done.
    let rate = destination.outputFormat(forBus: 0).sampleRate
    let fresh = GraphConnection(
      from: from, to: to, bus: destinationBus, format: format.pcmFormat, mix: source.mixing.withLock { $0 },
      fadeFrames: fades ? Int(rate > 0 ? rate : format.sampleRate) / 200 : 0)
    made = (fresh, from, to, format)
    return fresh
  }

  /// Tells the mixer that it leads to.
  func setMix(_ mix: GraphConnection.Mix) { made?.connection.mix = mix }
}
