internal import AudioModel

/// The player's effects as its plan has them: which stages there are, and what each is told. Belongs to the control side.
///
/// An effect that is off is not in the plan. One that comes into sound fades in; one that goes fades out first and leaves
/// with the next plan.
final class EffectRack {
  private let transport: Transport
  private var settings = EffectSettings()
  private var isLoud = false
  private var distortion = Slot<DistortionKernel>()
  private var equalizer = Slot<EqualizerKernel>()
  private var delay = Slot<DelayKernel>()
  private var reverb = Slot<ReverbKernel>()
  private var limiter = Slot<LimiterKernel>()
  private var ends: (tail: TailNode, edge: EdgeNode)?

  private var rate = SampleRate.studio

  /// Whether the stages are others than when a plan was made last.
  private(set) var hasChanged = false

  /// The longest time that effects sound on behind the last frame, in seconds: a delay can repeat for ever.
  static let longestTail = 12

  init(_ transport: Transport) { self.transport = transport }

  // MARK: Settings

  /// Lets other settings hold.
  /// - Parameter isSounding: Something may be heard: what comes and goes fades.
  func set(_ settings: EffectSettings, isSounding: Bool) {
    self.settings = settings
    tell(isSounding)
  }

  /// Says whether the volume raises samples, so that they could go over full scale.
  func setLoud(_ isLoud: Bool, isSounding: Bool) {
    guard isLoud != self.isLoud else { return }
    self.isLoud = isLoud
    tell(isSounding)
  }

  private func tell(_ isSounding: Bool) {
    let equalizer = settings.equalizer.flatMap { $0.isFlat ? nil : $0 }
    note(distortion.set(settings.distortion, isSounding))
    note(self.equalizer.set(equalizer, isSounding))
    note(delay.set(settings.delay, isSounding))
    note(reverb.set(settings.reverb, isSounding))
    note(limiter.set(isLoud || !settings.isIdentity ? LimiterSettings() : nil, isSounding))
    refresh()
  }

  /// Takes out what has faded, or, where nothing sounds, what is to go.
  func dropLeft(isSounding: Bool) {
    note(distortion.drop(isSounding))
    note(equalizer.drop(isSounding))
    note(delay.drop(isSounding))
    note(reverb.drop(isSounding))
    note(limiter.drop(isSounding))
  }

  private func note(_ isOther: Bool) {
    guard isOther else { return }
    hasChanged = true
    if isEmpty {
      ends = nil
    } else if ends == nil {
      let tail = TailNode(transport)
      ends = (tail, EdgeNode(transport, tail))
    }
  }

  // MARK: The plan

  /// Whether no effect is in the plan.
  var isEmpty: Bool { stages.isEmpty }

  /// What stands in front of the volume, in the order of sound.
  var effects: [GraphNode] {
    guard let ends else { return [] }
    let inFront = [distortion.stage, equalizer.stage, delay.stage, reverb.stage].compactMap { $0 }
    return [ends.tail] + inFront + [ends.edge]
  }

  /// What stands behind the volume.
  var limiters: [GraphNode] { limiter.stage.map { [$0] } ?? [] }

  private var stages: [EffectStage] {
    [distortion.stage, equalizer.stage, delay.stage, reverb.stage, limiter.stage].compactMap { $0 }
  }

  /// A plan with these stages was made: what they need for its format is known now.
  func isPrepared(for rate: SampleRate) {
    hasChanged = false
    self.rate = rate
    refresh()
  }

  /// Looks up how late and how long the stages are, as they are set now.
  private func refresh() {
    latency = stages.reduce(0) { $0 + $1.kernel.latency }
    // Filters ring too, but not so that anybody would miss it; of distortions, those with an echo count.
    var tails = [delay.stage, reverb.stage].compactMap { $0?.kernel.tail }
    if let echo = distortion.stage?.kernel.tail, echo > rate.hertz / 4 { tails.append(echo) }
    let tail = tails.reduce(0) { $0 + min($1, 1 << 40) }
    ends?.tail.setFrames(latency + min(tail, Self.longestTail * rate.hertz))
  }

  /// Frames by which the sound comes out later than it went in.
  private(set) var latency = 0

  /// Lets all effects forget what they have heard.
  func reset() {
    for stage in stages { stage.reset() }
    ends?.edge.reset()
  }
}

/// One place of the rack.
private struct Slot<Kernel: SettingsKernel> {
  private var kernel: Kernel?
  private var settings: Kernel.Settings?
  private(set) var stage: EffectStage?

  /// - Returns: Whether the stage is another one.
  mutating func set(_ wanted: Kernel.Settings?, _ isSounding: Bool) -> Bool {
    guard wanted != settings else { return false }
    settings = wanted
    guard let wanted else {
      stage?.isBypassed = true
      return drop(isSounding)
    }
    if let stage, let kernel {
      kernel.settings = wanted
      stage.isBypassed = false
      return false
    }
    let kernel = Kernel(wanted)
    self.kernel = kernel
    stage = EffectStage(kernel, fadesIn: isSounding)
    return true
  }

  /// - Returns: Whether the stage is gone.
  mutating func drop(_ isSounding: Bool) -> Bool {
    guard settings == nil, let stage, !isSounding || stage.hasLeft else { return false }
    self.stage = nil
    kernel = nil
    return true
  }
}
