import Glibc
import Platform
import Realtime
import Synchronization
import Testing

/// For types that cannot be copied into a closure.
private final class Shared<Value: ~Copyable & Sendable>: Sendable {
  let value: Value
  init(_ value: consuming Value) { self.value = value }
}

// `== true` where a plain call would do: the macro takes a call apart, and can't copy what it is called on.
@Suite("Rings")
struct RingTests {
  // MARK: One thread

  @Test("a ring keeps order and says when it is full or empty")
  func order() {
    let ring = SPSCRing<Int>(minimumCapacity: 3)
    #expect(ring.capacity == 4)
    #expect(ring.pop() == nil)
    for round in 0..<5 {
      for number in 0..<4 { #expect(ring.push(round * 10 + number) == true) }
      #expect(ring.hasRoom == false)
      #expect(ring.push(99) == false)
      for number in 0..<4 { #expect(ring.pop() == round * 10 + number) }
      #expect(ring.pop() == nil)
    }
  }

  @Test("of a mailbox only the latest value is taken, and once")
  func latest() {
    let mailbox = LatestValue<Int>(blank: -1)
    #expect(mailbox.take() == nil)
    mailbox.store(1)
    mailbox.store(2)
    #expect(mailbox.take() == 2)
    #expect(mailbox.take() == nil)
    mailbox.store(3)
    #expect(mailbox.take() == 3)
  }

  private final class Counted: Sendable {
    let alive: Shared<Atomic<Int>>
    init(_ alive: Shared<Atomic<Int>>) {
      self.alive = alive
      alive.value.add(1, ordering: .relaxed)
    }
    deinit { alive.value.subtract(1, ordering: .relaxed) }
  }

  @Test("an object given is freed on the control side, wherever it is when all ends")
  func handOver() {
    let alive = Shared(Atomic<Int>(0))
    do {
      let handOver = HandOver<Counted>(capacity: 2)
      #expect(handOver.give(Counted(alive)) == true)
      #expect(handOver.give(Counted(alive)) == true)
      #expect(handOver.give(Counted(alive)) == false, "two are under way")
      let first = handOver.take()!
      #expect(handOver.give(Counted(alive)) == false, "one of the two is in use")
      handOver.retire(first)
      #expect(alive.value.load(ordering: .relaxed) == 2)
      handOver.collect()
      #expect(alive.value.load(ordering: .relaxed) == 1)
      #expect(handOver.give(Counted(alive)) == true)
      handOver.retire(handOver.take()!)
    }
    #expect(alive.value.load(ordering: .relaxed) == 0)
  }

  @Test("of objects only the latest is taken, and each is freed on the control side")
  func latestObject() {
    let alive = Shared(Atomic<Int>(0))
    func living() -> Int { alive.value.load(ordering: .relaxed) }
    do {
      let mailbox = LatestObject<Counted>()
      #expect((mailbox.take() == nil) == true)
      mailbox.put(Counted(alive))
      mailbox.put(Counted(alive))
      #expect(living() == 1, "nobody took the first")
      let second = mailbox.take()!
      #expect((mailbox.take() == nil) == true)
      mailbox.put(Counted(alive))
      mailbox.retire(second)
      #expect(living() == 2, "retired is not freed")
      mailbox.collect()
      #expect(living() == 1)
      mailbox.retire(mailbox.take()!)
      mailbox.put(Counted(alive))
      #expect(living() == 1)
    }
    #expect(living() == 0)
  }

  @Test("a log drops what finds no room, and counts it")
  func log() {
    let log = RealtimeLog(minimumCapacity: 2)
    for number in 0..<5 { log.write("frames late:", Int64(number)) }
    #expect(log.take()?.description == "frames late: 0")
    #expect(log.take()?.description == "frames late: 1")
    #expect(log.take() == nil)
    #expect(log.takeDropped() == 3)
    #expect(log.takeDropped() == 0)
  }

  @Test("peaks are the greatest value since the last look")
  func peaks() {
    let peaks = AtomicPeaks()
    peaks.raise(63, to: 0.5)
    peaks.raise(63, to: 0.25)
    #expect(peaks.take(63) == 0.5)
    #expect(peaks.take(63) == 0)
    #expect(peaks.take(0) == 0)
  }

  @Test("a PCM ring takes what fits, and gives it back in order round its end")
  func pcm() {
    let ring = PCMRing(channels: 2, capacity: 5, history: 2)
    var next: Float = 0
    var read: [Float] = []
    for _ in 0..<10 {
      let source = (0..<8).map { next + Float($0) }
      let written = source.withUnsafeBufferPointer { source in ring.write({ _ in source.baseAddress! }, count: 8) }
      #expect(written == 5)
      #expect(ring.writableFrames == 0)
      next += Float(written)
      var planes = [Float](repeating: .nan, count: 16)
      let count = planes.withUnsafeMutableBufferPointer {
        ring.read(into: $0.baseAddress!, stride: 8, count: 8)
      }
      #expect(count == 5)
      #expect(planes[0..<5] == planes[8..<13])
      read += planes[0..<5]
    }
    #expect(read == (0..<50).map { Float($0) })
    #expect(ring.rewind(9) == 2)
    #expect(ring.readableFrames == 2)
    #expect(ring.framesRead == 48)
    #expect(ring.framesWritten == 50)
  }

  // MARK: Two threads

  @Test("between two threads every element arrives, once and in order")
  func twoThreads() {
    let ring = Shared(SPSCRing<Int>(minimumCapacity: 8))
    let count = 20_000
    let producer = NamedThread("test-producer") {
      for number in 0..<count { while !ring.value.push(number) { sched_yield() } }
    }
    var isInOrder = true
    for number in 0..<count {
      var element = ring.value.pop()
      while element == nil {
        sched_yield()
        element = ring.value.pop()
      }
      if element != number { isInOrder = false }
    }
    producer.join()
    #expect(isInOrder)
    #expect(ring.value.pop() == nil)
  }

  private struct Pair: BitwiseCopyable, Sendable {
    var a: Int, b: Int, c: Int
  }

  @Test("a mailbox never shows half a value, nor an older one after a newer")
  func latestOfTwoThreads() {
    let mailbox = Shared(LatestValue<Pair>(blank: Pair(a: 0, b: 0, c: 0)))
    let count = 20_000
    let writer = NamedThread("test-writer") {
      for number in 1...count { mailbox.value.store(Pair(a: number, b: -number, c: 2 * number)) }
    }
    var last = 0
    var isWhole = true
    while last < count {
      guard let pair = mailbox.value.take() else {
        sched_yield()
        continue
      }
      if pair.b != -pair.a || pair.c != 2 * pair.a || pair.a <= last { isWhole = false }
      last = pair.a
    }
    writer.join()
    #expect(isWhole)
  }

  @Test("a PCM ring under two threads, with a reader that steps back, loses nothing")
  func pcmOfTwoThreads() {
    let ring = Shared(PCMRing(channels: 2, capacity: 64, history: 16))
    let frames = 30_000
    let writer = NamedThread("test-writer") {
      var block = [Float](repeating: 0, count: 24)
      var written = 0
      while written < frames {
        let size = min(1 + written % 24, frames - written)
        for index in 0..<size { block[index] = Float(written + index) }
        let count = block.withUnsafeBufferPointer { block in
          ring.value.write({ _ in block.baseAddress! }, count: size)
        }
        written += count
        if count == 0 { sched_yield() }
      }
    }
    var planes = [Float](repeating: .nan, count: 2 * 40)
    var position = 0
    var isRight = true
    var calls = 0
    while position < frames {
      let count = planes.withUnsafeMutableBufferPointer {
        ring.value.read(into: $0.baseAddress!, stride: 40, count: 1 + calls % 40)
      }
      for index in 0..<count where planes[index] != Float(position + index) || planes[40 + index] != planes[index] {
        isRight = false
      }
      if count == 0 { sched_yield() }
      position += count
      calls += 1
      if calls % 5 == 0 && count > 0 { position -= ring.value.rewind(calls % 17) }
    }
    writer.join()
    #expect(isRight)
  }

  @Test("objects cross two threads and come back")
  func handOverOfTwoThreads() {
    let alive = Shared(Atomic<Int>(0))
    let handOver = Shared(HandOver<Counted>(capacity: 4))
    let count = 2000
    let device = NamedThread("test-device") {
      var done = 0
      while done < count {
        guard let object = handOver.value.take() else {
          sched_yield()
          continue
        }
        handOver.value.retire(object)
        done += 1
      }
    }
    for _ in 0..<count {
      let object = Counted(alive)
      while !handOver.value.give(object) {
        sched_yield()
        handOver.value.collect()
      }
    }
    device.join()
    handOver.value.collect()
    #expect(alive.value.load(ordering: .relaxed) == 0)
  }
}
