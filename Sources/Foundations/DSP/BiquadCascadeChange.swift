extension BiquadCascade {
  // MARK: Real-time

  /// What another cascade needs to take this one's place; as long as this one lives, and is not used.
  package var past: Past {
    @_noLocks @_noAllocation
    get { Past(self) }
  }

  /// Takes the place of a cascade of the same format, of no more filters, which is not fading: goes on with its sound, and
  /// from its filters to its own.
  @_noLocks @_noAllocation
  package func adopt(_ old: Past) {
    guard old.hasRun, old.channels == channels, old.rate == rate else { return }
    hasRun = true
    phase = old.phase
    inherit(old)
    var (isMoving, isFading) = (false, false)
    var index = 0
    while index < slots.count {
      follow(index, index < old.slots.count ? old.slots[index] : Slot())
      if slots[index].isMoving { isMoving = true }
      if slots[index].isFading { isFading = true }
      index &+= 1
    }
    // Ticks are where the grid has them, so the ramp may begin in between; what it is behind is added.
    rampLeft = isMoving ? rampFrames &+ (tick &- phase % tick) % tick : 0
    fadeLeft = isFading ? fadeFrames : 0
    findActive()
    if isFading { prepareFade() }
  }

  /// Takes over what came to each filter: where one was left out, what came to the next.
  @_noLocks @_noAllocation
  private func inherit(_ old: Past) {
    var pair = 0
    while pair &* 2 < channels {
      var place = old.activeCount
      var index = slots.count
      while index >= 0 {
        while place > 0 {
          if old.active[place &- 1] < index { break }
          place &-= 1
        }
        let from = old.node(pair, old.active[place])
        let to = node(pair, index)
        to[0] = from[0]
        to[1] = from[1]
        index &-= 1
      }
      pair &+= 1
    }
  }

  /// Makes a filter go on from the one before: by a ramp where it is near, else by a fade.
  @_noLocks @_noAllocation
  private func follow(_ index: Int, _ old: Slot) {
    let slot = slots.baseAddress.unsafelyUnwrapped + index
    let goal = slot.pointee.goal
    var isNear = slot.pointee.kind == old.kind
    if slot.pointee.place - old.place > 0.5 { isNear = false }
    if old.place - slot.pointee.place > 0.5 { isNear = false }
    // What lets sound pass has no place of its own.
    if old.kind < 0, slot.pointee.kind < 0 { isNear = true }
    if slot.pointee.isFlat, !old.isActive { isNear = true }
    if slot.pointee.kind >= 0, old.kind == slot.pointee.kind, !old.isActive { isNear = true }
    guard isNear else {
      slot.pointee.isFading = true
      slot.pointee.isActive = true
      slot.pointee.former = old.coefficients
      return
    }
    guard old.isActive else {
      // It comes from where it does nothing, with the poles that it is going to have.
      guard !slot.pointee.isFlat else { return }
      slot.pointee.value = Row(1, goal[3], goal[4], goal[3], goal[4], 0, 0, 0)
      slot.pointee.lead = slot.pointee.value
      slot.pointee.spread()
      slot.pointee.isMoving = true
      return
    }
    slot.pointee.coefficients = old.coefficients
    slot.pointee.value = old.value
    slot.pointee.lead = old.lead
    slot.pointee.step = old.step
    slot.pointee.isMoving = old.isMoving
    if old.goal != goal { slot.pointee.isMoving = true }
    slot.pointee.isActive = true
  }

  /// Lets the former filters go on with what left them, and the new ones begin.
  @_noLocks @_noAllocation
  private func prepareFade() {
    var place = 0
    while place < activeCount {
      let index = active[place]
      if slots[index].isFading {
        // The new one begins as if the sound did: with a past that is not its own it would ring. Its ringing after a
        // beginning is over, or soft, before it is heard.
        var pair = 0
        while pair &* 2 < channels {
          let store = aside + (pair &* slots.count &+ index) &* 6
          let to = node(pair, active[place &+ 1])
          (store[0], store[1]) = (to[0], to[1])
          (store[2], store[3], store[4], store[5]) = (.zero, .zero, .zero, .zero)
          pair &+= 1
        }
      }
      place &+= 1
    }
  }

  /// The former filters go.
  @_noLocks @_noAllocation
  func endFade() {
    var place = 0
    while place < activeCount {
      let index = active[place]
      if slots[index].isFading {
        slots[index].isFading = false
        var pair = 0
        while pair &* 2 < channels {
          // Its own output to the last digit.
          let store = aside + (pair &* slots.count &+ index) &* 6
          let to = node(pair, active[place &+ 1])
          (to[0], to[1]) = (store[2], store[3])
          pair &+= 1
        }
      }
      place &+= 1
    }
  }

  /// Ends the ramp.
  @_noLocks @_noAllocation
  func settle() {
    rampLeft = 0
    var index = 0
    while index < slots.count {
      slots[index].value = slots[index].goal
      slots[index].lead = slots[index].goal
      slots[index].step = .zero
      slots[index].isMoving = false
      slots[index].spread()
      index &+= 1
    }
  }

  /// One tick: the coefficients' way for the next 16 frames.
  @_noLocks @_noAllocation
  func advanceRamp() {
    var place = 0
    while place < activeCount {
      let slot = slots.baseAddress.unsafelyUnwrapped + active[place]
      if slot.pointee.isMoving {
        // The sum of the steps before may be beside the value by a last digit.
        slot.pointee.value += slot.pointee.step * Double(tick)
        slot.pointee.spread()
        slot.pointee.lead += (slot.pointee.goal - slot.pointee.lead) * smoothing
        slot.pointee.step = (slot.pointee.lead - slot.pointee.value) * (smoothing / Double(tick))
      }
      place &+= 1
    }
  }

  /// Moves coefficients by as many steps as there were frames: one by one, as where they are used.
  @_noLocks @_noAllocation
  func moveCoefficients(_ count: Int) {
    var place = 0
    while place < activeCount {
      let slot = slots.baseAddress.unsafelyUnwrapped + active[place]
      if slot.pointee.isMoving {
        let step = slot.pointee.step
        var frame = 0
        while frame < count {
          slot.pointee.coefficients.0 += Pair(repeating: step[0])
          slot.pointee.coefficients.1 += Pair(repeating: step[1])
          slot.pointee.coefficients.2 += Pair(repeating: step[2])
          slot.pointee.coefficients.3 += Pair(repeating: step[3])
          slot.pointee.coefficients.4 += Pair(repeating: step[4])
          frame &+= 1
        }
      }
      place &+= 1
    }
  }

  /// Makes silence of what dies away, before the processor has to handle it in its slow way, and of what is no number;
  /// leaves out filters that have become flat.
  @_noLocks @_noAllocation
  func clean() {
    var place = 0
    while place <= activeCount {
      var pair = 0
      while pair &* 2 < channels {
        let node = node(pair, active[place])
        node[0] = cleaned(node[0])
        node[1] = cleaned(node[1])
        if place < activeCount {
          let store = aside + (pair &* slots.count &+ active[place]) &* 6
          var index = 0
          while index < 6 {
            store[index] = cleaned(store[index])
            index &+= 1
          }
        }
        pair &+= 1
      }
      place &+= 1
    }
    leaveOut()
  }

  @inline(__always) @_noLocks @_noAllocation
  private func cleaned(_ pair: Pair) -> Pair {
    let size = pair.replacing(with: -pair, where: pair .< 0)
    let isSound = (size .> 1e-30) .& (size .< 1e30)
    return Pair.zero.replacing(with: pair, where: isSound)
  }

  /// Leaves out filters that are flat, as soon as what rings on in them is 160 dB down.
  @_noLocks @_noAllocation
  private func leaveOut() {
    var isChanged = false
    var place = 0
    while place < activeCount {
      let slot = slots.baseAddress.unsafelyUnwrapped + active[place]
      var isDone = slot.pointee.isFlat
      if slot.pointee.isMoving { isDone = false }
      if slot.pointee.isFading { isDone = false }
      if isDone, !isSame(place) { isDone = false }
      if isDone {
        isChanged = true
        slot.pointee.isActive = false
        // What came to it takes the place of what left it: the filter before needs its own output to the last digit.
        var pair = 0
        while pair &* 2 < channels {
          let (from, to) = (node(pair, active[place]), node(pair, active[place &+ 1]))
          to[0] = from[0]
          to[1] = from[1]
          pair &+= 1
        }
      }
      place &+= 1
    }
    if isChanged { findActive() }
  }

  /// Whether what left a filter is what came to it.
  @_noLocks @_noAllocation
  private func isSame(_ place: Int) -> Bool {
    var pair = 0
    while pair &* 2 < channels {
      let (from, to) = (node(pair, active[place]), node(pair, active[place &+ 1]))
      let (first, second) = (to[0] - from[0], to[1] - from[1])
      let sum = first * first + second * second
      if sum.x > 1e-16 { return false }
      if sum.y > 1e-16 { return false }
      pair &+= 1
    }
    return true
  }
}

extension BiquadCascade.Slot {
  // MARK: Real-time

  /// One that lets sound pass.
  @_noLocks @_noAllocation
  init() {
    goal = .init(1, 0, 0, 0, 0, 0, 0, 0)
    (value, lead, step) = (goal, goal, .zero)
    coefficients = (.init(repeating: 1), .zero, .zero, .zero, .zero)
    former = coefficients
    kind = -1
    place = 0
    (isMoving, isActive, isFading) = (false, false, false)
  }
}
