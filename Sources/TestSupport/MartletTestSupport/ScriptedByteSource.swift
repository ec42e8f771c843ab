public import AudioModel
public import ByteSource
internal import Platform

/// A source that behaves as a test tells it to: pieces of chosen sizes, failures at chosen places, waiting at a gate.
public final class ScriptedByteSource: ByteSource, Sendable {
  /// What it does.
  public struct Script: Sendable {
    /// Sizes of the pieces that reads give, over and over; empty gives all that fits.
    public var pieces: [Int] = []
    /// Failures by position: each is thrown once, by the read that stands there. Pieces end in front of them.
    public var failures: [Int64: AudioError] = [:]
    /// Reads that stand here wait for ``ScriptedByteSource/openGate()``. Pieces end in front of it.
    public var gate: Int64?
    /// What ``ByteSource/open()`` throws.
    public var openFailure: AudioError?
    /// What ``ByteSource/open()`` answers; the length is that of the bytes unless told otherwise.
    public var facts: SourceFacts?

    /// A source without faults.
    public init() {}
  }

  /// What was asked of it.
  public struct Account: Hashable, Sendable {
    /// Bytes given out.
    public internal(set) var bytesRead: Int64 = 0
    /// Targets of seeks, in order.
    public internal(set) var seeks: [Int64] = []
    /// Whether a read waits at the gate now.
    public internal(set) var isWaiting = false
    /// Whether it was closed.
    public internal(set) var isClosed = false
  }

  private struct State {
    var script: Script
    var position: Int64 = 0
    var pieceCount = 0
    var isCancelled = false
    var isInterrupted = false
    var account = Account()
  }

  private let bytes: [UInt8]
  private let state: Monitor<State>

  /// Makes a source of `bytes`.
  public init(_ bytes: [UInt8], _ script: Script = Script()) {
    self.bytes = bytes
    state = Monitor(State(script: script))
  }

  /// What was asked of it so far.
  public var account: Account { state.withLock { $0.account } }

  /// Lets the read go on that waits at the gate, and removes the gate.
  public func openGate() { state.signal { $0.script.gate = nil } }

  /// Waits until a read waits at the gate, 10 seconds at most.
  /// - Returns: Whether one does.
  public func waitsAtGate() -> Bool {
    state.wait(until: .now.advanced(bySeconds: 10)) { $0.account.isWaiting ? true : nil } ?? false
  }

  /// Answers as the script says.
  public func open() throws(AudioError) -> SourceFacts {
    try state.withLock { state throws(AudioError) in
      if state.isCancelled { throw AudioError(.cancelled, "cancelled") }
      if let failure = state.script.openFailure { throw failure }
      return state.script.facts ?? SourceFacts(length: Int64(bytes.count), seeking: .cheap)
    }
  }

  /// Gives a piece, fails, or waits.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(AudioError) -> Int {
    let result: Result<Int, AudioError>? = state.wait { state in
      if state.isCancelled { return .failure(AudioError(.cancelled, "cancelled")) }
      state.account.isWaiting = state.script.gate == state.position
      if state.account.isWaiting {
        return state.isInterrupted ? .failure(AudioError(.interrupted, "interrupted")) : nil
      }
      if let failure = state.script.failures.removeValue(forKey: state.position) { return .failure(failure) }
      return .success(self.give(buffer, &state))
    }
    return try (result ?? .success(0)).get()
  }

  private func give(_ buffer: UnsafeMutableRawBufferPointer, _ state: inout State) -> Int {
    guard state.position < bytes.count else { return 0 }
    let (position, script) = (state.position, state.script)
    let stops = Array(script.failures.keys) + [script.gate].compactMap { $0 } + [Int64(bytes.count)]
    var count = min(buffer.count, Int((stops.filter { $0 > position }.min() ?? position) - position))
    if !script.pieces.isEmpty {
      count = min(count, max(1, script.pieces[state.pieceCount % script.pieces.count]))
      state.pieceCount += 1
    }
    buffer.copyBytes(from: bytes[Int(position)..<Int(position) + count])
    state.position += Int64(count)
    state.account.bytesRead += Int64(count)
    return count
  }

  /// Moves, unless the script's facts say that it can't.
  public func seek(to position: Int64) throws(AudioError) {
    try state.withLock { state throws(AudioError) in
      if state.isCancelled { throw AudioError(.cancelled, "cancelled") }
      guard position >= 0 else { throw AudioError(.usage, "negative") }
      guard position != state.position else { return }
      if state.script.facts?.seeking == SourceFacts.Seeking.none { throw AudioError(.notSeekable, "can't jump") }
      state.account.seeks.append(position)
      state.position = position
    }
  }

  /// Makes a read that waits at the gate give up.
  public func setInterrupted(_ isInterrupted: Bool) { state.signal { $0.isInterrupted = isInterrupted } }

  /// Makes waiting and later calls throw.
  public func cancel() { state.signal { $0.isCancelled = true } }

  /// Notes it.
  public func close() { state.withLock { $0.account.isClosed = true } }
}
