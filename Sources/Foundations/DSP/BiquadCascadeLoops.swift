extension BiquadCascade {
  // MARK: Real-time

  /// Filters one pair of channels.
  /// - Parameter stride: Samples to the second channel; 0 where there is none.
  @_noLocks @_noAllocation
  func filter(_ plane: UnsafeMutablePointer<Float>, stride: Int, _ count: Int, _ pair: Int) {
    let second = plane + stride
    var frame = 0
    while frame < count {
      buffer[frame] = Pair(Double(plane[frame]), Double(second[frame]))
      frame &+= 1
    }
    let nodes = node(pair, 0)
    let all = slots.baseAddress.unsafelyUnwrapped
    // What came to a filter is what left the one before, which may have gone on already.
    var came = (nodes[active[0] &* 2], nodes[active[0] &* 2 &+ 1])
    var first = 0
    while first < activeCount {
      let slot = all + active[first]
      var end = first &+ 1
      if slot.pointee.isFading {
        came = fade(slot, nodes, first, came, aside + (pair &* slots.count &+ active[first]) &* 6, count)
      } else if slot.pointee.isMoving {
        came = slide(slot, nodes, first, came, count)
      } else {
        while end < activeCount {
          let next = all + active[end]
          if next.pointee.isMoving { break }
          if next.pointee.isFading { break }
          end &+= 1
        }
        came = stand(all, nodes, active + first, end &- first, came, count)
      }
      first = end
    }
    frame = 0
    while frame < count {
      let value = buffer[frame]
      plane[frame] = Float(value.x)
      if stride != 0 { second[frame] = Float(value.y) }
      frame &+= 1
    }
  }

  /// Runs filters that stand still, frame by frame through all of them: while the sum of one waits for its last product,
  /// the others go on.
  @inline(__always) @_noLocks @_noAllocation
  private func stand(
    _ slots: UnsafeMutablePointer<Slot>, _ nodes: UnsafeMutablePointer<Pair>, _ list: UnsafeMutablePointer<Int>,
    _ filters: Int, _ came: (Pair, Pair), _ count: Int
  ) -> (Pair, Pair) {
    nodes[list[0] &* 2] = came.0
    nodes[list[0] &* 2 &+ 1] = came.1
    let end = nodes + list[filters] &* 2
    let left = (end[0], end[1])
    var frame = 0
    while frame < count {
      var value = buffer[frame]
      var node = nodes + list[0] &* 2
      var (last, beforeLast) = (node[0], node[1])
      var index = 0
      while index < filters {
        let next = nodes + list[index &+ 1] &* 2
        let (given, beforeGiven) = (next[0], next[1])
        let c = slots + list[index]
        let sum =
          c.pointee.coefficients.0 * value + c.pointee.coefficients.1 * last
          + (c.pointee.coefficients.2 * beforeLast - c.pointee.coefficients.4 * beforeGiven)
        node[0] = value
        node[1] = last
        // Last, since it waits longest.
        value = sum - c.pointee.coefficients.3 * given
        (last, beforeLast, node) = (given, beforeGiven, next)
        index &+= 1
      }
      node[0] = value
      node[1] = last
      buffer[frame] = value
      frame &+= 1
    }
    return left
  }

  /// Runs one filter whose coefficients move with every frame.
  @inline(__always) @_noLocks @_noAllocation
  private func slide(
    _ slot: UnsafeMutablePointer<Slot>, _ nodes: UnsafeMutablePointer<Pair>, _ place: Int, _ came: (Pair, Pair),
    _ count: Int
  ) -> (Pair, Pair) {
    let (node, next) = (nodes + active[place] &* 2, nodes + active[place &+ 1] &* 2)
    var (c0, c1, c2, c3, c4) = slot.pointee.coefficients
    let step = slot.pointee.step
    let (s0, s1, s2) = (Pair(repeating: step[0]), Pair(repeating: step[1]), Pair(repeating: step[2]))
    let (s3, s4) = (Pair(repeating: step[3]), Pair(repeating: step[4]))
    var (last, beforeLast) = came
    var (given, beforeGiven) = (next[0], next[1])
    let left = (given, beforeGiven)
    var frame = 0
    while frame < count {
      c0 += s0
      c1 += s1
      c2 += s2
      c3 += s3
      c4 += s4
      let value = buffer[frame]
      let result = c0 * value + c1 * last + (c2 * beforeLast - c4 * beforeGiven) - c3 * given
      (beforeLast, last) = (last, value)
      (beforeGiven, given) = (given, result)
      buffer[frame] = result
      frame &+= 1
    }
    (node[0], node[1]) = (last, beforeLast)
    (next[0], next[1]) = (given, beforeGiven)
    return left
  }

  /// Runs two filters side by side, and fades from one to the other.
  @inline(__always) @_noLocks @_noAllocation
  private func fade(
    _ slot: UnsafeMutablePointer<Slot>, _ nodes: UnsafeMutablePointer<Pair>, _ place: Int, _ came: (Pair, Pair),
    _ store: UnsafeMutablePointer<Pair>, _ count: Int
  ) -> (Pair, Pair) {
    let (node, next) = (nodes + active[place] &* 2, nodes + active[place &+ 1] &* 2)
    let (a, b) = (slot.pointee.former, slot.pointee.coefficients)
    var (last, beforeLast) = came
    var (old, beforeOld, new, beforeNew) = (store[0], store[1], store[2], store[3])
    var (begun, beforeBegun) = (store[4], store[5])
    var (given, beforeGiven) = (next[0], next[1])
    let left = (given, beforeGiven)
    let first = fadeFrames &- fadeLeft &+ 1
    var frame = 0
    while frame < count {
      let value = buffer[frame]
      let former = a.0 * value + a.1 * last + (a.2 * beforeLast - a.4 * beforeOld) - a.3 * old
      let fresh = b.0 * value + b.1 * begun + (b.2 * beforeBegun - b.4 * beforeNew) - b.3 * new
      // The polynomial of fifth degree from 0 to 1 whose slope and curvature are 0 at both ends.
      let t = Double(first &+ frame) / Double(fadeFrames)
      let weight = t * t * t * (10 + t * (6 * t - 15))
      let result = former + (fresh - former) * weight
      (beforeLast, last) = (last, value)
      (beforeBegun, begun) = (begun, value)
      (beforeOld, old) = (old, former)
      (beforeNew, new) = (new, fresh)
      (beforeGiven, given) = (given, result)
      buffer[frame] = result
      frame &+= 1
    }
    (node[0], node[1]) = (last, beforeLast)
    (next[0], next[1]) = (given, beforeGiven)
    (store[0], store[1], store[2], store[3]) = (old, beforeOld, new, beforeNew)
    (store[4], store[5]) = (begun, beforeBegun)
    return left
  }

  /// Notes the last two frames where nothing is filtered.
  @_noLocks @_noAllocation
  func remember(_ planes: UnsafeMutablePointer<Float>, stride: Int, count: Int) {
    var channel = 0
    while channel < channels {
      let plane = planes + channel &* stride
      let second = channel &+ 1 < channels ? plane + stride : plane
      let end = node(channel / 2, slots.count)
      end[1] = count > 1 ? Pair(Double(plane[count &- 2]), Double(second[count &- 2])) : end[0]
      end[0] = Pair(Double(plane[count &- 1]), Double(second[count &- 1]))
      channel &+= 2
    }
  }
}
