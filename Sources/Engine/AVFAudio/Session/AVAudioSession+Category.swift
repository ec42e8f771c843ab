internal import AudioOutput
internal import Foundation
internal import GraphHost
internal import Platform

extension AVAudioSession {
  /// Sets what the sound is for; the mode becomes ``Mode/default``.
  /// - Throws: ``ErrorCode/badParam`` where options don't go with the category.
  public func setCategory(_ category: Category) throws {
    try setCategory(category, mode: .default, policy: .default, options: [])
  }

  /// Sets what the sound is for; the mode stays.
  /// - Throws: ``ErrorCode/badParam`` where options don't go with the category.
  public func setCategory(_ category: Category, options: CategoryOptions) throws {
    try setCategory(category, mode: mode, policy: .default, options: options)
  }

  /// Sets what the sound is for.
  /// - Throws: ``ErrorCode/badParam`` where options don't go with the category.
  public func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
    try setCategory(category, mode: mode, policy: .default, options: options)
  }

  /// Sets what the sound is for. Streams that are open keep their role.
  /// - Parameters:
  ///   - category: In general.
  ///   - mode: In particular.
  ///   - policy: Kept and answered, but for its rules.
  ///   - options: Kept and answered, but for their rules.
  /// - Throws: ``ErrorCode/badParam`` for a category or mode that there is not, for ``CategoryOptions/defaultToSpeaker``
  ///   without ``Category/playAndRecord``, and for a policy of long sounds without ``Category/playback`` or with options.
  public func setCategory(
    _ category: Category, mode: Mode, policy: RouteSharingPolicy, options: CategoryOptions = []
  ) throws {
    guard availableCategories.contains(category) else {
      throw failure(.badParam, "there is no category named \(category.rawValue)")
    }
    guard availableModes.contains(mode) else { throw failure(.badParam, "there is no mode named \(mode.rawValue)") }
    if options.contains(.defaultToSpeaker), category != .playAndRecord {
      throw failure(
        .badParam, "the option defaultToSpeaker needs the category playAndRecord, not \(category.rawValue)")
    }
    if policy == .longFormAudio || policy == .longFormVideo, category != .playback || !options.isEmpty {
      throw failure(.badParam, "a policy of long sounds needs the category playback and no options")
    }
    let role = category.role(mode)
    streams.wishes.outputRole = role.output
    streams.wishes.inputRole = role.input
    let (old, routes, preferred) = state.withLock { state in
      defer {
        state.category = category
        state.mode = mode
        state.policy = policy
        state.options = options
      }
      return (state.category, state.routes, state.preferredInput?.uid)
    }
    guard old != category else { return }
    postLater(.categoryChange, previous: AVAudioSessionRouteDescription(routes, old, preferred))
  }

  /// Sets what the sound is for in particular.
  /// - Throws: ``ErrorCode/badParam`` for a mode that there is not.
  public func setMode(_ mode: Mode) throws {
    let (category, policy, options) = state.withLock { ($0.category, $0.policy, $0.options) }
    try setCategory(category, mode: mode, policy: policy, options: options)
  }

  /// What the sound is for in general. Default ``Category/soloAmbient``.
  public var category: Category { state.withLock { $0.category } }
  /// What the sound is for in particular. Default ``Mode/default``.
  public var mode: Mode { state.withLock { $0.mode } }
  /// How it goes along with others' sound. Default none.
  public var categoryOptions: CategoryOptions { state.withLock { $0.options } }
  /// Which device long sounds go to. Default ``RouteSharingPolicy/default``.
  public var routeSharingPolicy: RouteSharingPolicy { state.withLock { $0.policy } }

  /// All categories.
  public var availableCategories: [Category] {
    [.ambient, .soloAmbient, .playback, .record, .playAndRecord, .multiRoute]
  }

  /// All modes.
  public var availableModes: [Mode] {
    [
      .default, .voiceChat, .gameChat, .videoRecording, .measurement, .moviePlayback, .videoChat, .spokenAudio,
      .voicePrompt,
    ]
  }
}

extension AVAudioSession.Category {
  /// The roles of streams that play and that record.
  func role(_ mode: AVAudioSession.Mode) -> (output: StreamRole, input: StreamRole) {
    switch mode {
    case .voiceChat, .gameChat, .videoChat: (.phone, .phone)
    case .moviePlayback: (.video, .production)
    case .voicePrompt: (.accessibility, .production)
    case .videoRecording, .measurement: (.production, .production)
    default:
      switch self {
      case .ambient: (.game, .production)
      case .record, .playAndRecord, .multiRoute: (.production, .production)
      default: (.music, .production)
      }
    }
  }
}
