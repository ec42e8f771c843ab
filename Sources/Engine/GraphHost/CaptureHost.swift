package import AudioModel
package import AudioOutput
internal import Platform
internal import Realtime

/// Takes sound from a microphone to whoever keeps it, without a graph: there is but one clock, the microphone's, and every
/// frame arrives.
///
/// All methods but ``stop()`` belong to one thread at a time. What is given to the initializer is called on a thread of the host's.
package final class CaptureHost: @unchecked Sendable {
  /// What is told of the microphone.
  package struct Client: Sendable {
    /// Takes sound, which is valid for the call.
    /// - Parameter hostNanoseconds: When the first frame was captured, on the monotonic clock.
    package var take: @Sendable (_ block: PCMBlock, _ hostNanoseconds: Int64) -> Void
    /// The microphone is gone for good, or frames were lost since the machine was too busy. Called once.
    package var fail: @Sendable (AudioError) -> Void

    /// Makes a client.
    package init(
      take: @escaping @Sendable (_ block: PCMBlock, _ hostNanoseconds: Int64) -> Void,
      fail: @escaping @Sendable (AudioError) -> Void
    ) {
      self.take = take
      self.fail = fail
    }
  }

  private struct Loop {
    /// The device is being closed; and there is nothing more to come.
    var isClosing = false
    var isEnding = false
    var wantsLook = false
    var failure: AudioError?
  }

  /// Makes a microphone.
  /// - Parameter target: Which; `nil` is the default.
  package typealias Maker = @Sendable (_ target: String?) throws(AudioError) -> any InputDevice

  /// How often it looks, in seconds, and how much can wait meanwhile.
  private static let interval = 0.02
  private static let patience = 5.0

  /// What is captured.
  package let format: PCMFormat
  private let device: any InputDevice
  private let session: StreamSession
  private let client: Client
  private let ring: CaptureRing
  private let loop = Monitor(Loop())
  private var thread: NamedThread?

  /// Opens a microphone. Nothing is captured yet.
  /// - Throws: 5xxx.
  package init(
    _ device: any InputDevice, request: InputRequest, session: StreamSession, client: Client
  ) throws(AudioError) {
    self.device = device
    self.session = session
    self.client = client
    let slot = CaptureRelay()
    let loop = loop
    format = try device.open(request, sink: slot) { [weak device] event in
      if let device { session.report(event, from: device) }
      guard case .failed(let error) = event else { return }
      loop.signal {
        $0.failure = error
        $0.wantsLook = true
      }
    }
    ring = CaptureRing(format: format, seconds: Self.patience)
    slot.fill(ring)
  }

  deinit { stop() }

  /// Begins to capture, or goes on after ``pause()``.
  package func start() throws(AudioError) {
    guard thread == nil else { return device.resume() }
    try device.start()
    thread = NamedThread("martlet-capture") { [loop, ring, format, client] in
      let block = PCMBlock(channels: format.channels, capacity: 4096)
      var hasFailed = false
      while true {
        let (isEnding, failure) = loop.withLock { ($0.isEnding, $0.failure) }
        while let time = ring.take(into: block) { client.take(block, time) }
        let dropped = ring.takeDropped()
        if !hasFailed, let error = failure ?? Self.loss(dropped) {
          hasFailed = true
          client.fail(error)
        }
        if isEnding { return }
        _ = loop.wait(until: .now.advanced(bySeconds: Self.interval)) { loop -> Bool? in
          guard loop.isEnding || loop.wantsLook else { return nil }
          loop.wantsLook = false
          return true
        }
      }
    }
  }

  private static func loss(_ frames: Int64) -> AudioError? {
    guard frames > 0 else { return nil }
    return AudioError(.outputLost, "\(frames) frames of the recording were lost: the machine is too busy")
  }

  /// Captures nothing until ``start()``. What was captured before still arrives.
  package func pause() { device.pause() }

  /// Closes the microphone. Any thread. All that was captured has arrived when it returns, unless it is the client that
  /// calls; nothing comes later.
  package func stop() {
    let isFirst = loop.withLock { loop -> Bool in
      defer { loop.isClosing = true }
      return !loop.isClosing
    }
    guard isFirst else { return }
    device.close()
    session.forget(device)
    loop.signal { $0.isEnding = true }
    if let thread, !thread.isCurrent { thread.join() }
  }
}

/// Stands for a ring until the format is known that it is to be made for; no frame comes before.
private final class CaptureRelay: CaptureSink, @unchecked Sendable {
  // Filled once, before the device starts.
  private var ring: Unmanaged<CaptureRing>?

  deinit { ring?.release() }

  func fill(_ ring: CaptureRing) { self.ring = .passRetained(ring) }

  // MARK: Real-time

  @_noLocks @_noAllocation
  func receive(_ samples: UnsafePointer<Float>, frames: Int, at time: CaptureTime) {
    ring?._withUnsafeGuaranteedRef { $0.receive(samples, frames: frames, at: time) }
  }
}
