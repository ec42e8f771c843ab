internal import Realtime

/// What a kernel needs for frames of one format: delay lines, coefficients, buffers.
class KernelState: @unchecked Sendable {
  /// Frames a second.
  final let rate: Int
  /// Number of planes.
  final let channels: Int

  init(rate: Int, channels: Int) {
    self.rate = rate
    self.channels = channels
  }

  // MARK: Real-time

  /// Whether a call is of its format.
  @_noLocks @_noAllocation
  final func fits(_ call: BlockCall) -> Bool {
    guard rate == call.rate else { return false }
    return channels == call.channels
  }
}

/// The state of a kernel, made on the control side for the format that the next plan has, while the plan before may
/// still be rendering with the state it knows.
struct FormatState: ~Copyable, @unchecked Sendable {
  private let mailbox = LatestObject<KernelState>()
  // Belongs to the control side, one thread at a time: of which format the latest state is.
  private let latest = UnsafeMutablePointer<(rate: Int, channels: Int)>.allocate(capacity: 1)
  // Belong to the thread that renders: the state in use, and one that waits for the first call with its format.
  private let held = UnsafeMutablePointer<Unmanaged<KernelState>?>.allocate(capacity: 2)

  init() {
    latest.initialize(to: (0, 0))
    held.initialize(repeating: nil, count: 2)
  }

  deinit {
    held[0]?.release()
    held[1]?.release()
    held.deallocate()
    latest.deallocate()
  }

  /// Makes a state for a format, unless the latest is of that format. Control side, one thread at a time.
  borrowing func prepare(rate: Int, channels: Int, make: () -> KernelState) {
    guard latest.pointee != (rate, channels) else { return }
    put(make())
  }

  /// Leaves a state in place of the latest. Control side, one thread at a time.
  borrowing func put(_ state: KernelState) {
    latest.pointee = (state.rate, state.channels)
    mailbox.put(state)
  }

  // MARK: Real-time

  /// The state for a call, or `nil` where none was made for its format. The kernel knows its type, and says it by
  /// `Unmanaged.fromOpaque`.
  @_noLocks @_noAllocation
  borrowing func state(for call: BlockCall) -> Unmanaged<KernelState>? {
    if waiting(for: call) != nil { install() }
    return current(for: call)
  }

  /// The state in use, where it is one for a call.
  @_noLocks @_noAllocation
  borrowing func current(for call: BlockCall) -> Unmanaged<KernelState>? {
    guard let state = held[0], state._withUnsafeGuaranteedRef({ $0.fits(call) }) else { return nil }
    return state
  }

  /// The state in use, whatever its format.
  var inUse: Unmanaged<KernelState>? {
    @_noLocks @_noAllocation
    get { held[0] }
  }

  /// The state that waits for a call like this one, if there is one: ``install()`` makes it the one in use.
  @_noLocks @_noAllocation
  borrowing func waiting(for call: BlockCall) -> Unmanaged<KernelState>? {
    if let fresh = mailbox.take() {
      if let waiting = held[1] { mailbox.retire(waiting) }
      held[1] = fresh
    }
    guard let waiting = held[1], waiting._withUnsafeGuaranteedRef({ $0.fits(call) }) else { return nil }
    return waiting
  }

  /// Retires the state in use, and uses the one that waits.
  @_noLocks @_noAllocation
  borrowing func install() {
    if let old = held[0] { mailbox.retire(old) }
    held[0] = held[1]
    held[1] = nil
  }
}
