/// The clips that a player has, in order, on the thread that renders.
struct ClipQueue: BitwiseCopyable {
  private let slots: UnsafeMutablePointer<Unmanaged<Clip>>
  private let mask: Int
  private var head = 0
  private var interrupters = 0
  /// How many clips there are.
  private(set) var count = 0

  /// Takes memory for so many clips, a power of two, which the owner frees by ``deallocate()``.
  init(capacity: Int) {
    precondition(capacity > 0 && capacity & (capacity - 1) == 0)
    slots = .allocate(capacity: capacity)
    mask = capacity - 1
  }

  /// Frees the memory, and the clips that are left.
  mutating func deallocate() {
    while count > 0 { removeFirst().release() }
    slots.deallocate()
  }

  // MARK: Real-time

  /// A clip, counted from the first.
  @_noLocks @_noAllocation
  func clip(_ index: Int) -> Unmanaged<Clip> { slots[(head &+ index) & mask] }

  /// Adds a clip, for which there must be room.
  @_noLocks @_noAllocation
  mutating func append(_ clip: Unmanaged<Clip>) {
    slots[(head &+ count) & mask] = clip
    count &+= 1
    if clip._withUnsafeGuaranteedRef({ $0.options.rawValue & 6 != 0 }) { interrupters &+= 1 }
  }

  /// Takes the first clip out.
  @_noLocks @_noAllocation
  mutating func removeFirst() -> Unmanaged<Clip> {
    let clip = slots[head]
    head = (head &+ 1) & mask
    count &-= 1
    if clip._withUnsafeGuaranteedRef({ $0.options.rawValue & 6 != 0 }) { interrupters &-= 1 }
    return clip
  }

  /// Where behind the first clip one waits for the end of a round; 0 where none does.
  var loopInterrupter: Int {
    @_noLocks @_noAllocation
    get { interrupters > 0 ? first(withOption: 4, from: 1) ?? 0 : 0 }
  }

  /// Where the first clip is that drops those before it; `nil` where none does.
  var interrupter: Int? {
    @_noLocks @_noAllocation
    get { interrupters > 0 ? first(withOption: 2, from: 0) : nil }
  }

  @_noLocks @_noAllocation
  private func first(withOption option: UInt8, from start: Int) -> Int? {
    var index = start
    while index < count {
      if clip(index)._withUnsafeGuaranteedRef({ $0.options.rawValue & option != 0 }) { return index }
      index &+= 1
    }
    return nil
  }
}
