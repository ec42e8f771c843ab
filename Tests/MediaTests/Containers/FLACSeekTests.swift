import AudioModel
import Containers
import MartletTestSupport
import Testing

@Suite struct FLACSeekTests {
  /// Blocks of very different size.
  private static func file(blocks: Int, total: Int64?, table: Bool = false) -> (
    bytes: [UInt8], places: [Int64: Int64]
  ) {
    var fixture = FLACFixture()
    fixture.blockSize = 1000
    var sound: [UInt8] = []
    var offsets: [Int] = []
    for index in 0..<blocks {
      offsets.append(sound.count)
      sound += fixture.hollowFrame(index, count: index / 50 % 2 == 0 ? 6000 : 1000)
    }
    func number(_ value: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) } }
    var points: [UInt8] = []
    for index in stride(from: 0, to: blocks, by: 100) {
      points += number(index * 1000) + number(offsets[index]) + [3, 0xE8]
    }
    let seekTable = table ? FLACFixture.block(3, points + [UInt8](repeating: 0xFF, count: 18)) : []
    let head = fixture.file(0, total: total ?? Int64(blocks * 1000), blocks: seekTable)
    let places = offsets.indices.map { (Int64($0 * 1000), Int64(head.count + offsets[$0])) }
    return (head + sound, Dictionary(uniqueKeysWithValues: places))
  }

  private func seek(
    _ file: (bytes: [UInt8], places: [Int64: Int64]), to frame: Int64, isCheap: Bool, after packets: Int = 0
  ) throws -> (first: Packet?, jumps: Int, fed: Int) {
    var feed = MemoryFeed(file.bytes, chunk: 16_384, isCheap: isCheap)
    var parser = FLACParser(start: 0)
    var taken = 0
    while taken <= packets {
      if case .packet = try feed.next(&parser) { taken += 1 }
    }
    let (jumps, fed) = (feed.jumps, feed.fed)
    #expect(parser.seek(to: frame, sourceIsCheap: isCheap) != .impossible)
    guard case .packet(let first) = try feed.next(&parser) else { return (nil, feed.jumps - jumps, feed.fed - fed) }
    let cost = (feed.jumps - jumps, feed.fed - fed)
    #expect(first.isDiscontinuous && file.places[first.frame] == first.position)
    let rest = try feed.all(&parser).packets
    #expect(rest.allSatisfy { !$0.isDiscontinuous && file.places[$0.frame] == $0.position })
    return (first, cost.0, cost.1)
  }

  @Test(arguments: [false, true], [nil, 0] as [Int64?])
  func everyTargetIsHit(isCheap: Bool, total: Int64?) throws {
    let file = Self.file(blocks: 700, total: total)
    for target in [0, 1, 999, 1000, 49_999, 50_000, 123_456, 349_000, 600_500, 699_999] as [Int64] {
      let first = try #require(try seek(file, to: target, isCheap: isCheap, after: 20).first)
      #expect(first.frame == target / 1000 * 1000, "at \(target)")
    }
    #expect(try seek(file, to: 5_000_000, isCheap: isCheap).first == nil)
    #expect(try seek(file, to: .max, isCheap: isCheap).first == nil)
  }

  @Test func aTableTakesOneRequest() throws {
    let file = Self.file(blocks: 700, total: nil, table: true)
    let result = try seek(file, to: 660_000, isCheap: false)
    #expect(result.first?.frame == 660_000 && result.jumps == 1 && result.fed < 256 << 10)
  }

  @Test func evenBitRatesTakeOneRequest() throws {
    var fixture = FLACFixture()
    fixture.blockSize = 1000
    let size = fixture.hollowFrame(600, count: 6000).count
    let bytes = fixture.file(0, total: 700_000) + (0..<700).flatMap { fixture.hollowFrame($0, count: 6000) }
    let places = (128..<700).map { (Int64($0 * 1000), Int64(bytes.count - (700 - $0) * size)) }
    let result = try seek((bytes, Dictionary(uniqueKeysWithValues: places)), to: 660_123, isCheap: false)
    #expect(result.first?.frame == 660_000 && result.jumps == 1 && result.fed < 256 << 10)
  }

  @Test func whatHasPassedIsFoundAgain() throws {
    let file = Self.file(blocks: 300, total: 0)
    let result = try seek(file, to: 55_555, isCheap: false, after: 200)
    #expect(result.first?.frame == 55_000 && result.jumps == 1 && result.fed < 64 << 10)
  }

  @Test func targetsBeforeTheFactsAreRemembered() throws {
    let file = Self.file(blocks: 30, total: nil)
    var feed = MemoryFeed(file.bytes, isCheap: true)
    var parser = FLACParser(start: 0)
    _ = parser.seek(to: 12_345, sourceIsCheap: true)
    #expect(try feed.all(&parser).packets.first?.frame == 12_000)
  }

  @Test(arguments: [22_050, 44_100])
  func streamsInARow(rate: Int) throws {
    var other = FLACFixture()
    other.rate = rate
    let bytes = FLACFixture().file(40, total: 0) + other.file(1) + other.file(40)
    var whole = MemoryFeed(bytes)
    let truth = try whole.all().packets
    var parser = FLACParser(start: 0)
    var feed = MemoryFeed(bytes, isCheap: true)
    _ = try feed.next(&parser)
    for target in [20_000, 3_000, 10_300, 15_000] as [Int64] {
      _ = parser.seek(to: target, sourceIsCheap: true)
      guard case .packet(let packet) = try feed.next(&parser) else {
        Issue.record("no packet at \(target)")
        continue
      }
      // Sound that is converted is begun with early enough for the converter's filter.
      let expected = truth.last { $0.frame <= target }
      let early = truth.last { $0.frame <= target - 1024 }
      #expect([expected, early].contains { $0?.frame == packet.frame && $0?.position == packet.position })
      #expect(rate == 22_050 || packet.position == expected?.position)
    }
  }
}
