internal import CoreAudioTypes
internal import Foundation
internal import GraphHost
internal import RenderGraph
internal import Synchronization

/// Renders an engine's graph into lists of the application's. One object for an engine's life, so that a block may be
/// fetched before manual rendering is turned on.
final class ManualRenderer: @unchecked Sendable {
  /// What a mode needs; made on the control side while the engine stands.
  final class Setup: @unchecked Sendable {
    let renderer: GraphRenderer
    let format: AVAudioFormat
    let maximum: AVAudioFrameCount
    let input: ManualInput?
    // Planes for the renderer, and views of the application's memory.
    let planes: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    let channels: Int
    let order: [Int]

    init(_ renderer: GraphRenderer, format: AVAudioFormat, maximum: AVAudioFrameCount, input: ManualInput?) {
      self.renderer = renderer
      self.format = format
      self.maximum = maximum
      self.input = input
      channels = Int(format.channelCount)
      order = format.channelOrder
      planes = .allocate(capacity: channels)
      for channel in 0..<channels {
        (planes + channel).initialize(to: .allocate(capacity: Int(maximum)))
        planes[channel].initialize(repeating: 0, count: Int(maximum))
      }
    }

    deinit {
      for channel in 0..<channels { planes[channel].deallocate() }
      planes.deallocate()
    }
  }

  private let isBusy = Atomic<Bool>(false)
  private let frames = Atomic<Int64>(0)
  // Changed only while `isBusy` is held.
  private var setup: Setup?
  private var isRunning = false

  /// Frames rendered since the mode was turned on or the engine was stopped.
  var sampleTime: Int64 { frames.load(ordering: .relaxed) }

  /// Runs `body` while no render call is under way.
  /// - Returns: Whether it could.
  func withoutRendering(_ body: () -> Void) -> Bool {
    guard isBusy.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged else { return false }
    body()
    isBusy.store(false, ordering: .releasing)
    return true
  }

  func install(_ setup: Setup?) {
    whileIdle { self.setup = setup }
  }

  func setRunning(_ isRunning: Bool) { whileIdle { self.isRunning = isRunning } }

  func resetTime() { frames.store(0, ordering: .relaxed) }

  private func whileIdle(_ body: () -> Void) {
    // A render call takes a moment at most, and only changes of the engine's state wait here.
    while !withoutRendering(body) { sched_yield() }
  }

  /// Renders into a list.
  func render(
    _ count: AVAudioFrameCount, _ list: UnsafeMutablePointer<AudioBufferList>,
    _ error: UnsafeMutablePointer<OSStatus>?
  ) -> AVAudioEngineManualRenderingStatus {
    guard isBusy.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged else {
      return .cannotDoInCurrentContext
    }
    defer { isBusy.store(false, ordering: .releasing) }
    guard let setup else { return Self.fail(AVAudioEngineManualRenderingError.invalidMode.rawValue, error) }
    guard isRunning else { return Self.fail(AVAudioEngineManualRenderingError.notRunning.rawValue, error) }
    guard count <= setup.maximum else { return Self.fail(kAudioUnitErr_TooManyFramesToProcess, error) }
    let buffers = UnsafeMutableAudioBufferListPointer(list)
    let bytes = Int(count) * Int(setup.format.streamDescription.pointee.mBytesPerFrame)
    guard buffers.count == (setup.format.isInterleaved ? 1 : setup.channels) else {
      return Self.fail(kAudioUnitErr_FormatNotSupported, error)
    }
    // By their numbers: an iterator takes memory in a debug build.
    for index in buffers.indices where buffers[index].mData == nil || Int(buffers[index].mDataByteSize) < bytes {
      return Self.fail(kAudioUnitErr_FormatNotSupported, error)
    }
    setup.renderer.render(planes: setup.planes, frames: Int(count))
    store(setup, Int(count), buffers)
    for index in buffers.indices { buffers[index].mDataByteSize = UInt32(bytes) }
    frames.add(Int64(count), ordering: .relaxed)
    return setup.input?.takeEmptiness() == true ? .insufficientDataFromInputNode : .success
  }

  private static func fail(
    _ code: OSStatus, _ error: UnsafeMutablePointer<OSStatus>?
  ) -> AVAudioEngineManualRenderingStatus {
    error?.pointee = code
    return .error
  }

  private func store(_ setup: Setup, _ frames: Int, _ buffers: UnsafeMutableAudioBufferListPointer) {
    for channel in 0..<setup.channels {
      let place = setup.order[channel]
      let step = setup.format.isInterleaved ? setup.channels : 1
      guard let data = (setup.format.isInterleaved ? buffers[0] : buffers[place]).mData else { return }
      let offset = setup.format.isInterleaved ? place : 0
      let source = setup.planes[channel]
      switch setup.format.commonFormat {
      case .pcmFormatFloat32:
        let target = data.assumingMemoryBound(to: Float.self) + offset
        for frame in 0..<frames { target[frame * step] = source[frame] }
      case .pcmFormatFloat64:
        let target = data.assumingMemoryBound(to: Double.self) + offset
        for frame in 0..<frames { target[frame * step] = Double(source[frame]) }
      case .pcmFormatInt16:
        let target = data.assumingMemoryBound(to: Int16.self) + offset
        for frame in 0..<frames { target[frame * step] = Int16(rounding: source[frame]) }
      case .pcmFormatInt32:
        let target = data.assumingMemoryBound(to: Int32.self) + offset
        for frame in 0..<frames { target[frame * step] = Int32(rounding: source[frame]) }
      case .otherFormat: return
      }
    }
  }
}
