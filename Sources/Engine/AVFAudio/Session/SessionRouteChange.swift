internal import AudioOutput

/// What a change of the machine's devices means to an application.
struct SessionRouteChange {
  let previousRoute: AVAudioSessionRouteDescription
  /// `nil` where nothing changed for it.
  let reason: AVAudioSession.RouteChangeReason?

  /// - Parameter preferredInput: Target of the input that the application prefers.
  init(
    from old: AudioRoutes, to new: AudioRoutes, category: AVAudioSession.Category, preferredInput: String?
  ) {
    previousRoute = AVAudioSessionRouteDescription(old, category, preferredInput)
    let output =
      category.plays ? Self.reason(old.output, new.output, was: old.outputs, are: new.outputs) : nil
    let input =
      category.records
      ? Self.reason(
        old.input(preferring: preferredInput), new.input(preferring: preferredInput), was: old.inputs, are: new.inputs
      )
      : nil
    reason = output ?? input
  }

  private static func reason(
    _ old: AudioRoutes.Device?, _ new: AudioRoutes.Device?, was: [AudioRoutes.Device], are: [AudioRoutes.Device]
  ) -> AVAudioSession.RouteChangeReason? {
    guard let new else { return old == nil ? nil : .noSuitableRouteForCategory }
    guard let old else { return .newDeviceAvailable }
    if old.route.target == new.route.target {
      return old.route == new.route ? nil : .routeConfigurationChange
    }
    if !are.contains(where: { $0.route.target == old.route.target }) { return .oldDeviceUnavailable }
    return was.contains { $0.route.target == new.route.target } ? .override : .newDeviceAvailable
  }
}

extension AudioRoutes {
  /// The input that is taken.
  /// - Parameter target: The one wanted, if it is there.
  func input(preferring target: String?) -> Device? { inputs.first { $0.route.target == target } ?? input }
}

extension AVAudioSession.Category {
  var plays: Bool { self != .record }
  var records: Bool { self == .record || self == .playAndRecord || self == .multiRoute }
}

extension AVAudioSessionRouteDescription {
  convenience init(_ routes: AudioRoutes, _ category: AVAudioSession.Category, _ preferredInput: String?) {
    let input = category.records ? routes.input(preferring: preferredInput) : nil
    let output = category.plays ? routes.output : nil
    self.init(
      inputs: input.map { [AVAudioSessionPortDescription($0.route, isInput: true)] } ?? [],
      outputs: output.map { [AVAudioSessionPortDescription($0.route, isInput: false)] } ?? [])
  }
}
