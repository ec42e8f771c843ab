internal import AVFAudio
internal import AudioOutput
internal import Foundation
internal import MartletTestSupport
internal import Platform
internal import Testing

/// Each handler is called exactly once, in order, on nobody's stack.
@Suite struct CompletionTests {
  @Test func inTheOrderOfScheduling() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    let notes = Notes()
    try rig.engine.start()
    let types: [AVAudioPlayerNodeCompletionCallbackType] = [.dataPlayedBack, .dataRendered, .dataConsumed]
    for number in 0..<9 {
      player.scheduleBuffer(try rig.ruler(100), completionCallbackType: types[number % 3]) { type in
        notes.add("\(number) \(type)")
      }
    }
    player.play()
    try rig.render(450)
    #expect(notes.wait(for: 4) == ["0 dataPlayedBack", "1 dataRendered", "2 dataConsumed", "3 dataPlayedBack"])
    player.stop()
    #expect(notes.wait(for: 9).map { $0.first } == Array("012345678"))
    player.stop()
    try rig.render(100)
    #expect(notes.all.count == 9)
  }

  @Test func notOnTheCallersStack() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    let notes = Notes()
    try rig.engine.start()
    // A handler that takes a lock which its caller holds.
    let lock = NSLock()
    player.scheduleBuffer(try rig.ruler(100)) {
      lock.lock()
      notes.add("called")
      lock.unlock()
    }
    player.play()
    lock.withLock {
      player.stop()
      #expect(notes.all.isEmpty)
    }
    #expect(notes.wait(for: 1) == ["called"])
  }

  @Test func handlersMayCommandThePlayer() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    let notes = Notes()
    try rig.engine.start()
    let next = Once(try rig.ruler(50, from: 100))
    player.scheduleBuffer(try rig.ruler(10)) {
      player.stop()
      player.scheduleBuffer(next.buffer) { notes.add("second") }
      player.play()
      notes.add("first")
    }
    player.play()
    try rig.render(10)
    #expect(notes.wait(for: 1) == ["first"])
    #expect(difference(try rig.render(60), numbers(50, from: 100) + silence(10)) == nil)
    #expect(notes.wait(for: 2) == ["first", "second"])
    let time = try #require(player.lastRenderTime)
    #expect(player.playerTime(forNodeTime: time)?.sampleTime == 60)
  }

  @Test func everyWayOfDroppingCalls() throws {
    let rig = try OfflineRig()
    let notes = Notes()
    func scheduled(_ name: String) throws -> AVAudioPlayerNode {
      let player = rig.player()
      player.scheduleBuffer(try rig.ruler(1000), completionCallbackType: .dataPlayedBack) { _ in notes.add(name) }
      player.play()
      return player
    }
    let stopped = try scheduled("stop")
    stopped.stop()
    #expect(notes.wait(for: 1) == ["stop"])
    let reset = try scheduled("reset")
    reset.reset()
    #expect(notes.wait(for: 2) == ["stop", "reset"])
    #expect(reset.isPlaying)
    try rig.engine.start()
    let interrupted = try scheduled("interrupted")
    try rig.render(10)
    interrupted.scheduleBuffer(try rig.ruler(5), at: nil, options: .interrupts)
    try rig.render(10)
    #expect(notes.wait(for: 3).last == "interrupted")
    let detached = try scheduled("detach")
    try rig.render(10)
    rig.engine.detach(detached)
    #expect(notes.wait(for: 4).last == "detach")
    #expect(detached.engine == nil)
    _ = try scheduled("engine stopped")
    try rig.render(10)
    rig.engine.stop()
    #expect(notes.wait(for: 5).last == "engine stopped")
  }

  @Test func anEngineThatGoesAwayCalls() throws {
    let notes = Notes()
    func run() throws -> AVAudioPlayerNode {
      let rig = try OfflineRig()
      let player = rig.player()
      player.scheduleBuffer(try rig.ruler(1000)) { notes.add("freed") }
      player.play()
      try rig.engine.start()
      try rig.render(10)
      return player
    }
    let player = try run()
    #expect(notes.wait(for: 1) == ["freed"])
    #expect(player.engine == nil)
  }

  @Test func handlersAreReleased() throws {
    final class Witness: Sendable {}
    let rig = try OfflineRig()
    let player = rig.player()
    let notes = Notes()
    try rig.engine.start()
    weak var witness: Witness?
    do {
      let held = Witness()
      witness = held
      player.scheduleBuffer(try rig.ruler(10)) { [held] in
        _ = held
        notes.add("called")
      }
    }
    #expect(witness != nil)
    player.play()
    try rig.render(20)
    _ = notes.wait(for: 1)
    player.drainHandlers()
    #expect(witness == nil)
  }

  @Test func buffersAreReleased() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    try rig.engine.start()
    weak var buffer: AVAudioPCMBuffer?
    do {
      let held = try rig.ruler(10)
      buffer = held
      player.scheduleBuffer(held)
    }
    player.play()
    #expect(buffer != nil)
    try rig.render(20)
    #expect(buffer == nil)
  }

  @Test func heardIsLaterThanRendered() throws {
    let rig = try DeviceRig(queue: 300)
    let player = rig.player()
    let notes = Notes()
    try rig.engine.start()
    let offline = try OfflineRig(rate: 48_000)
    player.scheduleBuffer(try offline.ruler(100), completionCallbackType: .dataRendered) { _ in notes.add("rendered")
    }
    player.scheduleBuffer(try offline.ruler(100), completionCallbackType: .dataPlayedBack) { _ in notes.add("heard") }
    player.play()
    rig.output.pull(frames: 200)
    #expect(notes.wait(for: 1) == ["rendered"])
    // All is rendered, and 300 frames wait in the device.
    rig.output.pull(frames: 200)
    _ = rig.engine.pump(heard: rig.output.timing.heard)
    player.drainHandlers()
    #expect(notes.all == ["rendered"])
    rig.output.pull(frames: 100)
    #expect(notes.wait(for: 2) == ["rendered", "heard"])
  }

  @Test func asyncVariantsReturn() async throws {
    let rig = try OfflineRig()
    let player = rig.player()
    try rig.engine.start()
    player.play()
    let first = Once(try rig.ruler(10))
    async let consumed: Void = player.scheduleBuffer(first.buffer)
    async let type = player.scheduleBuffer(first.buffer, completionCallbackType: .dataPlayedBack)
    // Both are scheduled at some moment; rendering goes on until both have returned.
    let isDone = Monitor(false)
    let rendering = Renderer(rig, until: isDone)
    await consumed
    let result = await type
    isDone.withLock { $0 = true }
    rendering.join()
    #expect(result == .dataPlayedBack)
  }

  /// Renders on a thread until it is told to end.
  private final class Renderer: @unchecked Sendable {
    private let thread: NamedThread
    init(_ rig: OfflineRig, until isDone: Monitor<Bool>) {
      let box = Box(rig)
      thread = NamedThread("render") {
        while !isDone.withLock({ $0 }) { _ = try? box.rig.render(64) }
      }
    }
    func join() { thread.join() }
  }
  private struct Box: @unchecked Sendable {
    let rig: OfflineRig
    init(_ rig: OfflineRig) { self.rig = rig }
  }
  private struct Once: @unchecked Sendable {
    let buffer: AVAudioPCMBuffer
    init(_ buffer: AVAudioPCMBuffer) { self.buffer = buffer }
  }
}
