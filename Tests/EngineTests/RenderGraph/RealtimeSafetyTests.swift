import AudioModel
import Glibc
import MartletTestSupport
import Realtime
import RenderGraph
import Testing

@Suite("Real-time safety", .enabled(if: AllocationGuard.isAvailable, "a sanitizer holds the allocator"))
struct RealtimeSafetyTests {
  /// Does in `render` what a source must not do.
  private final class DirtySource: RenderSource, @unchecked Sendable {
    enum Sin: CaseIterable { case allocation, lock }
    private let sin: Sin
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var kept: [Int] = []

    init(_ sin: Sin) {
      self.sin = sin
      pthread_mutex_init(lock, nil)
    }

    deinit { lock.deallocate() }

    func render(_ samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
      switch sin {
      case .allocation: kept = Array(repeating: frames, count: frames)
      case .lock:
        pthread_mutex_lock(lock)
        pthread_mutex_unlock(lock)
      }
      return frames
    }

    func rewind(frames: Int) -> Int { 0 }
  }

  /// Calls the source as a device would, with `control` in between.
  private func drive(_ source: any RenderSource, calls: Int, control: (Int) -> Void) -> AllocationGuard {
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: 512 * 2)
    defer { samples.deallocate() }
    _ = source.render(samples, frames: 64)
    _ = source.rewind(frames: 1)
    var counts = AllocationGuard()
    for call in 0..<calls {
      control(call)
      counts.watch {
        _ = source.render(samples, frames: 1 + call % 512)
        if call % 13 == 0 { _ = source.rewind(frames: call % 70) }
      }
    }
    return counts
  }

  @Test("10 000 render calls under every command allocate, free and lock nothing")
  func renderer() {
    let formats = [1, 2].map { PCMFormat(sampleRate: .studio, layout: ChannelLayout(count: $0)!) }
    let renderer = Renderer(format: formats[1], maximumFrames: 256, rampFrames: 96)
    let block = PCMBlock(channels: 2, capacity: 4096)
    block.appendSilence(4096)
    var buffer = StreamBuffer(format: formats[1], capacity: 4096, history: 512, generation: 0)
    var kinds: Set<RenderEvent.Kind> = []
    // What one stream was asked to do in vain before it was given: the first use of each path makes its metadata.
    func control(_ call: Int) {
      switch call % 40 {
      case 0, 24:
        let format = formats[call % 400 == 0 ? 0 : 1]
        buffer = StreamBuffer(format: format, capacity: 4096, history: 512, generation: call)
        renderer.replace(buffer, ramp: call % 80 != 0)
        if call % 200 == 0 { renderer.install(renderer.makePlan(format: format, maximumFrames: 256)) }
      case 8, 32: renderer.run()
      case 17: renderer.pause()
      case 20: renderer.run()
      case 21: renderer.setGain(Float(call % 100) / 100)
      case 36 where call % 120 == 36: buffer.finish()
      case 38 where call % 280 == 38: renderer.replace(nil, ramp: true)
      default: break
      }
      if call % 7 != 6, !buffer.isFinished {
        block.reshape(channels: buffer.format.channels, capacity: 2048)
        block.appendSilence(512)
        _ = buffer.write(block, from: 0, count: min(512, buffer.writableFrames))
      }
      renderer.takeEvents { kinds.insert($0.kind) }
      renderer.collectRetired()
    }
    _ = drive(renderer, calls: 400, control: control)
    let counts = drive(renderer, calls: 10_000, control: control)
    #expect(counts == AllocationGuard())
    #expect(kinds == [.running, .holding, .starved, .finished, .rewound], "the run took every path")
  }

  @Test("10 000 render calls with effects that come, change and go allocate, free and lock nothing")
  func effects() {
    let format = PCMFormat(sampleRate: .studio, layout: .stereo)
    let renderer = Renderer(format: format, maximumFrames: 256, rampFrames: 96)
    let block = PCMBlock(channels: 2, capacity: 512)
    var buffer = StreamBuffer(format: format, capacity: 4096, history: 512, generation: 0)
    renderer.replace(buffer, ramp: false)
    renderer.run()
    renderer.isSounding = true
    var settings = EffectSettings()
    var stages: Set<Bool> = []
    func control(_ call: Int) {
      let step = call / 10
      switch call % 120 {
      case 0: settings.reverb = ReverbSettings(preset: ReverbPreset.allCases[step % 13], mix: Double(step % 100))
      case 10: settings.equalizer = EqualizerPreset.allCases[step % 6].settings
      case 20: settings.delay = DelaySettings(time: Double(step % 20) / 100, feedback: 50, mix: 40)
      case 30: settings.distortion = DistortionSettings(preset: DistortionPreset.allCases[step % 22], mix: 30)
      case 40: settings.reverb?.mix = 0
      case 50: renderer.setGain(1.5)
      case 60: settings.equalizer = .graphic([Decibels(Double(step % 9))])
      case 70: settings.time = TimePitchSettings(rate: 1 + Double(step % 5) / 4, pitch: Double(step % 3) * 100)
      case 80: renderer.pause()
      case 85: renderer.run()
      case 90: settings = EffectSettings()
      case 91: renderer.setGain(1)
      case 100 where call % 360 == 100: buffer.finish()
      case 115 where call % 360 == 115:
        buffer = StreamBuffer(format: format, capacity: 4096, history: 512, generation: call + 1)
        renderer.replace(buffer, ramp: true)
      default: break
      }
      renderer.setEffects(settings)
      if !buffer.isFinished {
        block.removeAll()
        block.appendSilence(512)
        for frame in 0..<512 { block.plane(0)[frame] = Float(frame % 64) / 64 - 0.5 }
        _ = buffer.write(block, from: 0, count: min(512, buffer.writableFrames))
      }
      renderer.takeEvents { _ in }
      renderer.collectRetired()
      stages.insert(renderer.fadeFrames > 0)
    }
    _ = drive(renderer, calls: 720, control: control)
    let counts = drive(renderer, calls: 10_000, control: control)
    #expect(counts == AllocationGuard())
    #expect(stages == [true, false], "effects came and went")
  }

  @Test("the count notices an allocation and a lock", arguments: [0, 1])
  func canary(index: Int) {
    let dirty: [DirtySource] = [DirtySource(.allocation), DirtySource(.lock)]
    let counts = drive(dirty[index], calls: 100) { _ in }
    if index == 0 {
      #expect(counts.allocations >= 100)
      #expect(counts.frees >= 99)
    } else {
      #expect(counts.locks >= 100)
    }
    #expect(!counts.isClean)
  }
}
