internal import AudioModel
internal import AudioOutput
internal import Platform
internal import Realtime

/// The first output of a list that works, chosen when it is opened.
final class SelectingOutput: OutputDevice {
  private let list: String
  private let selector: OutputSelector
  private let selected = Monitor<OutputSelector.Selection?>(nil)
  private let onSelection: @Sendable (OutputSelector.Selection) -> Void

  /// Makes an output.
  /// - Parameters:
  ///   - list: Names, separated by commas.
  ///   - registrations: The outputs there are.
  ///   - onSelection: Hears which one was chosen; called on the player's control thread, must be quick.
  /// - Throws: ``AudioError/Code/usage`` for a name that is not known.
  init(
    _ list: String, among registrations: [OutputRegistration],
    onSelection: @escaping @Sendable (OutputSelector.Selection) -> Void
  ) throws(AudioError) {
    self.list = list
    self.onSelection = onSelection
    selector = OutputSelector(registrations)
    try selector.validate(list)
  }

  func open(
    _ request: OutputRequest, source: any RenderSource, events: @escaping OutputEventHandler
  ) throws(AudioError) -> PCMFormat {
    let selection = try selector.open(list, request, source: source, events: events)
    selected.withLock { $0 = selection }
    onSelection(selection)
    return selection.format
  }

  func start() throws(AudioError) { try device?.start() }
  func pause() { device?.pause() }
  func resume() { device?.resume() }
  func withdraw() { device?.withdraw() }
  var timing: OutputTiming { device?.timing ?? OutputTiming(rendered: 0, pending: 0) }
  func close() { device?.close() }

  private var device: (any OutputDevice)? { selected.withLock { $0?.device } }
}
