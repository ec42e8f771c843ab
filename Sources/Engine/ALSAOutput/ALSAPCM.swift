internal import AudioModel
internal import CALSA
internal import Glibc

/// An opened PCM of the library, which never blocks. Used by one thread at a time.
final class ALSAPCM {
  /// A negative errno of the library.
  struct Failure: Error { let code: Int32 }

  enum Direction {
    case playing, recording

    fileprivate var stream: snd_pcm_stream_t {
      self == .playing ? SND_PCM_STREAM_PLAYBACK : SND_PCM_STREAM_CAPTURE
    }
  }

  let format: PCMFormat
  let sample: ALSASample
  /// Frames that the device's buffer holds.
  let bufferFrames: Int
  /// What is nearer to being heard than this can't be taken back.
  let marginFrames: Int
  private let canPause: Bool
  private let pcm: OpaquePointer
  private let channelOrder: [Int]
  private let staging: UnsafeMutableRawPointer

  /// Opens a device at the nearest format that it can.
  /// - Parameters:
  ///   - direction: Whether it is to play or to record.
  ///   - configuration: Where the name is defined; `nil` is the system's and the user's configuration.
  ///   - samples: What to try, in order.
  init(
    _ direction: Direction, _ name: String, _ configuration: String?, _ wanted: PCMFormat, latency: Double,
    samples: [ALSASample], maximumFrames: Int
  ) throws(AudioError) {
    martlet_alsa_silence()
    var handle: OpaquePointer?
    let status = Self.open(direction, name, configuration, &handle)
    guard status >= 0, let handle else { throw Self.openFailure(name, status) }
    var parameters: OpaquePointer?
    snd_pcm_hw_params_malloc(&parameters)
    defer { snd_pcm_hw_params_free(parameters) }
    do {
      try Self.check(snd_pcm_hw_params_any(handle, parameters))
      try Self.check(snd_pcm_hw_params_set_access(handle, parameters, SND_PCM_ACCESS_RW_INTERLEAVED))
      let possible = samples.first { snd_pcm_hw_params_test_format(handle, parameters, $0.format) == 0 }
      guard let possible else { throw Failure(code: -EINVAL) }
      sample = possible
      try Self.check(snd_pcm_hw_params_set_format(handle, parameters, possible.format))
      var channels = UInt32(wanted.channels)
      try Self.check(snd_pcm_hw_params_set_channels_near(handle, parameters, &channels))
      var rate = UInt32(wanted.sampleRate.hertz)
      try Self.check(snd_pcm_hw_params_set_rate_near(handle, parameters, &rate, nil))
      var bufferTime = UInt32(latency * 1e6)
      try Self.check(snd_pcm_hw_params_set_buffer_time_near(handle, parameters, &bufferTime, nil))
      var periodTime = bufferTime / 4
      try Self.check(snd_pcm_hw_params_set_period_time_near(handle, parameters, &periodTime, nil))
      try Self.check(snd_pcm_hw_params(handle, parameters))
      guard let sampleRate = SampleRate(hertz: Int(rate)), let layout = ChannelLayout(count: Int(channels)) else {
        throw Failure(code: -EINVAL)
      }
      format = PCMFormat(
        sampleRate: sampleRate, layout: layout.count == wanted.channels ? wanted.layout : layout)
      var buffer: snd_pcm_uframes_t = 0
      var period: snd_pcm_uframes_t = 0
      try Self.check(snd_pcm_hw_params_get_buffer_size(parameters, &buffer))
      try Self.check(snd_pcm_hw_params_get_period_size(parameters, &period, nil))
      bufferFrames = max(1, Int(buffer))
      // A device that works in batches says where it is only to the period.
      let isBatch = snd_pcm_hw_params_is_batch(parameters) == 1
      marginFrames = Int(sampleRate.frames(0.01)) + (isBatch ? Int(period) : 0)
      canPause = snd_pcm_hw_params_can_pause(parameters) == 1
      try Self.startByHand(handle)
    } catch {
      snd_pcm_close(handle)
      let code = (error as? Failure)?.code ?? -EINVAL
      throw AudioError(
        .outputFormat,
        "The ALSA device \(name) \(direction == .playing ? "plays" : "records") no \(wanted): \(Self.text(code))",
        detail: Int(code))
    }
    pcm = handle
    channelOrder = Self.order(format.layout)
    staging = .allocate(byteCount: maximumFrames * format.channels * sample.bytes, alignment: 16)
  }

  deinit {
    snd_pcm_close(pcm)
    staging.deallocate()
  }

  private static func open(
    _ direction: Direction, _ name: String, _ configuration: String?, _ handle: inout OpaquePointer?
  ) -> Int32 {
    guard let configuration else {
      return snd_pcm_open(&handle, name, direction.stream, Int32(SND_PCM_NONBLOCK))
    }
    var top: OpaquePointer?
    var input: OpaquePointer?
    guard snd_config_top(&top) >= 0, let top else { return -ENOMEM }
    defer { snd_config_delete(top) }
    guard snd_input_buffer_open(&input, configuration, -1) >= 0 else { return -ENOMEM }
    defer { snd_input_close(input) }
    let status = snd_config_load(top, input)
    if status < 0 { return status }
    return snd_pcm_open_lconf(&handle, name, direction.stream, Int32(SND_PCM_NONBLOCK), top)
  }

  private static func openFailure(_ name: String, _ status: Int32) -> AudioError {
    let message = "The ALSA device \(name) can't be opened: \(text(status))"
    return AudioError(status == -EBUSY ? .outputBusy : .noOutput, message, recovery: .retry, detail: Int(status))
  }

  /// It starts when we say so, be the sound ever so short.
  private static func startByHand(_ handle: OpaquePointer) throws {
    var parameters: OpaquePointer?
    snd_pcm_sw_params_malloc(&parameters)
    defer { snd_pcm_sw_params_free(parameters) }
    try check(snd_pcm_sw_params_current(handle, parameters))
    var boundary: snd_pcm_uframes_t = 0
    try check(snd_pcm_sw_params_get_boundary(parameters, &boundary))
    try check(snd_pcm_sw_params_set_start_threshold(handle, parameters, boundary))
    try check(snd_pcm_sw_params(handle, parameters))
  }

  private static func check(_ status: Int32) throws { if status < 0 { throw Failure(code: status) } }

  static func text(_ status: Int32) -> String {
    let text = snd_strerror(status).map { String(cString: $0) } ?? "error \(status)"
    return text.prefix(1).lowercased() + text.dropFirst()
  }

  /// Which of our channels goes where: ALSA puts the rear pair before centre and low frequency.
  private static func order(_ layout: ChannelLayout) -> [Int] {
    switch layout.mask {
    case 0x37: [0, 1, 3, 4, 2]
    case 0x607: [0, 1, 3, 4, 2]
    case 0x3F, 0x60F: [0, 1, 4, 5, 2, 3]
    case 0x63F: [0, 1, 4, 5, 2, 3, 6, 7]
    default: Array(0..<layout.count)
    }
  }

  // MARK: Both

  /// Frames that can be written or read now, or a negative errno.
  func available() -> Int { Int(snd_pcm_avail_update(pcm)) }

  /// Frames written and not heard yet, or captured and not read yet; 0 where the device does not say.
  func delay() -> Int {
    var frames: snd_pcm_sframes_t = 0
    guard snd_pcm_delay(pcm, &frames) == 0 else { return 0 }
    return max(0, Int(frames))
  }

  /// Makes it ready to begin anew, with nothing queued.
  @discardableResult
  func prepare() -> Int32 { snd_pcm_prepare(pcm) }

  /// After the system slept: `-EAGAIN` while the device does.
  func wake() -> Int32 {
    let status = snd_pcm_resume(pcm)
    return status == 0 || status == -EAGAIN ? status : snd_pcm_prepare(pcm)
  }

  /// Begins to play what was written, or to capture, unless it does already.
  func startIfReady() { if snd_pcm_state(pcm) == SND_PCM_STATE_PREPARED { snd_pcm_start(pcm) } }

  /// Drops what is queued, and stands still.
  func drop() {
    snd_pcm_drop(pcm)
    snd_pcm_prepare(pcm)
  }

  // MARK: Recording

  /// Reads interleaved frames, at most as many as at the opening were said to be the most.
  /// - Returns: Frames read, or a negative errno.
  func read(_ samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let count = Int(snd_pcm_readi(pcm, staging, snd_pcm_uframes_t(frames)))
    if count > 0 { sample.convert(staging, frames: count, channels: channelOrder, to: samples) }
    return count
  }

  // MARK: Playing

  /// Writes interleaved frames, at most as many as at the opening were said to be the most.
  /// - Returns: Frames written, or a negative errno.
  func write(_ samples: UnsafePointer<Float>, frames: Int) -> Int {
    sample.convert(samples, frames: frames, channels: channelOrder, to: staging)
    return Int(snd_pcm_writei(pcm, staging, snd_pcm_uframes_t(frames)))
  }

  var isDraining: Bool { snd_pcm_state(pcm) == SND_PCM_STATE_DRAINING }

  /// - Returns: 0 when all was heard, `-EAGAIN` while not, or another negative errno.
  func drain() -> Int32 {
    switch snd_pcm_state(pcm) {
    case SND_PCM_STATE_DRAINING: return -EAGAIN
    case SND_PCM_STATE_SETUP, SND_PCM_STATE_XRUN: return 0
    default: return snd_pcm_drain(pcm)
    }
  }

  /// Stands still, keeping what is queued.
  /// - Returns: Whether the device can.
  func pause() -> Bool { canPause && snd_pcm_state(pcm) == SND_PCM_STATE_RUNNING && snd_pcm_pause(pcm, 1) == 0 }

  /// Goes on after `pause`.
  func unpause() { if snd_pcm_state(pcm) == SND_PCM_STATE_PAUSED { snd_pcm_pause(pcm, 0) } }

  /// Takes back frames from the end of the queue: of hardware's, for plug-ins may say yes to it though they have passed
  /// the frames on already.
  /// - Returns: How many it did.
  func rewind(_ frames: Int) -> Int {
    guard snd_pcm_type(pcm) == SND_PCM_TYPE_HW else { return 0 }
    let possible = min(frames, Int(snd_pcm_rewindable(pcm)))
    return possible > 0 ? max(0, Int(snd_pcm_rewind(pcm, snd_pcm_uframes_t(possible)))) : 0
  }

  /// Puts back what `rewind` took.
  func forward(_ frames: Int) { if frames > 0 { snd_pcm_forward(pcm, snd_pcm_uframes_t(frames)) } }
}
