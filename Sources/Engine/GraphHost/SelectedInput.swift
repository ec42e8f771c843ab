package import AudioModel
package import AudioOutput
internal import Platform
package import Realtime

/// A microphone that is chosen when it is opened: the first of the automatic inputs that works.
package final class SelectedInput: InputDevice {
  private let target: String?
  private let device = Monitor<(any InputDevice)?>(nil)

  private init(_ target: String?) { self.target = target }

  /// Makes an input.
  /// - Parameter target: A device of the first automatic input; `nil` is the default one.
  package static func make(_ target: String?) throws(AudioError) -> any InputDevice { SelectedInput(target) }

  package func open(
    _ request: InputRequest, sink: any CaptureSink, events: @escaping InputEventHandler
  ) throws(AudioError) -> PCMFormat {
    let registrations = DefaultInputs.registrations
    var list = "auto"
    if let target, let first = registrations.first(where: \.isAutomatic) { list = "\(first.name):\(target),auto" }
    let chosen = try InputSelector(registrations).open(list, request, sink: sink, events: events)
    device.withLock { $0 = chosen.device }
    return chosen.format
  }

  package func start() throws(AudioError) {
    guard let device = device.withLock({ $0 }) else { throw AudioError(.noOutput, "the input is not open") }
    try device.start()
  }

  package func pause() { device.withLock { $0 }?.pause() }
  package func resume() { device.withLock { $0 }?.resume() }
  package var timing: InputTiming { device.withLock { $0 }?.timing ?? InputTiming(delivered: 0, latency: 0) }
  package func close() { device.withLock { $0 }?.close() }
}
