internal import AudioModel
internal import AudioOutput
internal import Foundation
internal import GraphHost
internal import RenderGraph

/// The microphone of an engine while it is open.
final class EngineRecording {
  private let device: any InputDevice
  private let session: StreamSession
  private let node: AVAudioInputNode

  /// Opens the microphone.
  /// - Parameter onFailure: Called where it is lost for good, on a thread of the device's.
  init(
    _ node: AVAudioInputNode, session: StreamSession, onFailure: @escaping @Sendable (AudioError) -> Void,
    make: (_ target: String?) throws(AudioError) -> any InputDevice
  ) throws(AudioError) {
    self.node = node
    self.session = session
    let device = try make(session.wishes.inputTarget)
    self.device = device
    let wanted = node.outputFormat(forBus: 0).pcmFormat
    let latency = session.wishes.latency ?? 0.02
    let slot = CaptureSlot()
    let format = try device.open(
      InputRequest(format: wanted, latency: latency, role: session.wishes.inputRole), sink: slot
    ) { [weak device] event in
      if let device { session.report(event, from: device) }
      if case .failed(let error) = event { onFailure(error) }
    }
    // Two clocks meet here: some frames wait, so that neither side is ever short of them.
    let rate = format.sampleRate.hertz
    let cushion = max(rate / 50, Int(latency * Double(rate)))
    let source = CaptureSource(format: format, cushion: cushion, limit: cushion + rate / 2)
    slot.fill(source)
    node.capture(source, format: AVAudioFormat(format))
  }

  func start() throws(AudioError) { try device.start() }
  func pause() { device.pause() }
  func resume() { device.resume() }

  func close() {
    device.close()
    session.forget(device)
    node.capture(nil, format: nil)
  }
}

extension AVAudioEngine {
  /// Format of the microphone, before it is open; at the session's rate, if it wishes one.
  var microphoneFormat: AVAudioFormat? {
    let own = DefaultInputs.registrations.lazy
      .compactMap { $0.devices().first(where: \.isDefault)?.route.format }.first.map { AVAudioFormat($0) }
    guard let rate = session.wishes.sampleRate, rate > 0 else { return own }
    let format = own ?? AVAudioNode.usualFormat
    if let layout = format.channelLayout {
      return AVAudioFormat(standardFormatWithSampleRate: rate, channelLayout: layout)
    }
    return AVAudioFormat(standardFormatWithSampleRate: rate, channels: format.channelCount) ?? own
  }
}
