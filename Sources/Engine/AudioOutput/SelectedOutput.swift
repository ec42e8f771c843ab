public import AudioModel
internal import Platform
public import Realtime

/// An output that is chosen from a list when it is opened, and is then that output.
public final class SelectedOutput: OutputDevice {
  private let selector: OutputSelector
  private let list: String
  private let onSelection: @Sendable (OutputSelector.Selection) -> Void
  private let selection = Monitor<OutputSelector.Selection?>(nil)

  /// Makes an output that is still to be chosen.
  /// - Parameters:
  ///   - list: Names, tried in order; see ``OutputSelector``.
  ///   - registrations: The outputs there are.
  ///   - onSelection: Hears which one was chosen, on the thread that opens it. It must be quick.
  /// - Throws: ``AudioModel/AudioError/Code/usage`` for a name or target that is not known.
  public init(
    _ list: String, among registrations: [OutputRegistration],
    onSelection: @escaping @Sendable (OutputSelector.Selection) -> Void = { _ in }
  ) throws(AudioError) {
    selector = OutputSelector(registrations)
    try selector.validate(list)
    self.list = list
    self.onSelection = onSelection
  }

  /// Name of the output that was opened, as its registration says it; `nil` before.
  public var name: String? { selection.withLock { $0?.name } }

  private var device: (any OutputDevice)? { selection.withLock { $0?.device } }

  public func open(
    _ request: OutputRequest, source: any RenderSource, events: @escaping OutputEventHandler
  ) throws(AudioError) -> PCMFormat {
    let chosen = try selector.open(list, request, source: source, events: events)
    selection.withLock { $0 = chosen }
    onSelection(chosen)
    return chosen.format
  }

  public func start() throws(AudioError) {
    guard let device else { throw AudioError(.noOutput, "the output is not open") }
    try device.start()
  }

  public func pause() { device?.pause() }
  public func resume() { device?.resume() }
  public func withdraw() { device?.withdraw() }
  public var isPaced: Bool { device?.isPaced ?? true }
  public var timing: OutputTiming { device?.timing ?? OutputTiming(rendered: 0, pending: 0) }
  public func close() { device?.close() }
}
