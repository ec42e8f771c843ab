import AudioModel
import Containers
import MartletTestSupport
import Testing

/// MP4 files in fragments.
@Suite struct MP4FragmentTests {
  private static func made(_ change: (inout MP4Fixture.Fragments) -> Void = { _ in }) -> (
    bytes: [UInt8], positions: [Int]
  ) {
    var file = MP4Fixture.Fragments(entry: MP4Fixture.aac())
    file.fragments = (0..<12).map { index in MP4ParserTests.samples(10 + index % 3, size: 20) }
    change(&file)
    return file.parts
  }

  private static let count = 12 * 11

  @Test(arguments: [false, true], [0, 13])
  func everySampleIsFound(hasOtherTrack: Bool, gap: Int) throws {
    let (bytes, _) = Self.made { ($0.hasOtherTrack, $0.gap) = (hasOtherTrack, gap) }
    let whole = try MP4ParserTests.steps(bytes)
    #expect(whole.packets.count == Self.count)
    #expect(whole.packets.map(\.frame) == (0..<Int64(Self.count)).map { 1024 * $0 })
    #expect(whole.packets.dropFirst().allSatisfy { !$0.isDiscontinuous })
    let samples = (0..<12).flatMap { MP4ParserTests.samples(10 + $0 % 3, size: 20) }
    for (packet, sample) in zip(whole.packets, samples) {
      #expect(Array(bytes[Int(packet.position)..<Int(packet.position) + packet.byteCount]) == sample)
    }
    // Without an index the length is known at the end, or where looking costs nothing.
    let exact = MediaDuration(frames: Int64(Self.count) * 1024, isExact: true)
    #expect(whole.facts.map(\.duration) == [nil, exact])
    let cheap = try MP4ParserTests.steps(bytes, isCheap: true)
    #expect(cheap.facts.map(\.duration) == [exact] && cheap.packets == whole.packets)
    for chunk in [1, 7, 4096] {
      #expect(try MP4ParserTests.steps(bytes, chunk: chunk) == whole)
      #expect(try MP4ParserTests.steps(bytes, chunk: chunk, isCheap: true) == cheap)
      #expect(try MP4ParserTests.steps(bytes, chunk: chunk, tellsLength: false) == whole)
    }
  }

  @Test func sizesAndDurationsOfTheHeader() throws {
    let (bytes, _) = Self.made { file in
      file.isSpelledOut = false
      file.fragments = (0..<4).map { _ in [[UInt8]](repeating: [1, 2, 3, 4, 5], count: 6) }
    }
    let packets = try MP4ParserTests.steps(bytes).packets
    #expect(packets.map(\.byteCount) == [Int](repeating: 5, count: 24))
    #expect(packets.last?.frame == Int64(23 * 1024))
  }

  @Test func framesOfPCMGoTogether() throws {
    let (bytes, _) = Self.made { file in
      file.entry = MP4Fixture.entry("sowt")
      (file.isSpelledOut, file.ticks) = (false, 1)
      file.fragments = (0..<2).map { _ in [[UInt8]](repeating: [1, 2, 3, 4], count: 5000) }
    }
    let packets = try MP4ParserTests.steps(bytes).packets
    #expect(packets.map(\.frameCount) == [4096, 904, 4096, 904])
    #expect(packets.map(\.frame) == [0, 4096, 5000, 9096])
  }

  @Test func partsOfALongerStream() throws {
    // Cut out of the middle: the first fragment's time is where it begins.
    let middle = try MP4ParserTests.steps(
      Self.made { file in
        file.times = (0..<12).map { 1_000_000 + [0, 10, 21, 33, 43, 54, 66, 76, 87, 99, 109, 120][$0] * 1024 }
      }.bytes)
    #expect(middle.packets.map(\.frame) == (0..<Int64(Self.count)).map { 1024 * $0 })
    // A hole is a gap, a little less than a packet is none, and a clock that goes back is not believed.
    var times = [0, 10, 21, 33, 43, 54, 66, 76, 87, 99, 109, 120].map { $0 * 1024 }
    times[3] += 1000
    for index in 6..<12 { times[index] += 50_000 }
    times[11] = 5
    let holed = try MP4ParserTests.steps(Self.made { $0.times = times }.bytes).packets
    #expect(holed[33].frame == 33 * 1024 && !holed[33].isDiscontinuous)
    #expect(holed[66].frame == 66 * 1024 + 50_000 && holed[66].isDiscontinuous)
    #expect(holed[120].frame == 120 * 1024 + 50_000)
    // No clocks at all.
    let silent = try MP4ParserTests.steps(Self.made { $0.times = [] }.bytes)
    #expect(silent.packets.map(\.frame) == (0..<Int64(Self.count)).map { 1024 * $0 })
  }

  @Test func theEditListCutsTheDelayOff() throws {
    let steps = try MP4ParserTests.steps(Self.made { $0.edits = [(duration: 0, time: 2112)] }.bytes)
    #expect(steps.packets.first?.frame == -2112)
    #expect(steps.facts.first?.encoderDelay == 2112)
    #expect(steps.facts.last?.duration == MediaDuration(frames: Int64(Self.count) * 1024 - 2112, isExact: true))
  }

  @Test func statedDurations() throws {
    let stated = try MP4ParserTests.steps(Self.made { $0.duration = 3_000 }.bytes)
    #expect(stated.facts.first?.duration == MediaDuration(frames: 132_300, isExact: false))
    let indexed = try MP4ParserTests.steps(Self.made { $0.hasIndex = true }.bytes)
    let frames = Int64(Self.count) * 1024
    let trimmed = try MP4ParserTests.steps(
      Self.made { ($0.hasIndex, $0.edits) = (true, [(duration: 0, time: 2112)]) }.bytes)
    #expect(trimmed.facts.map { $0.duration?.frames } == [frames - 2112, frames - 2112])
    #expect(indexed.facts.first?.duration == MediaDuration(frames: frames, isExact: false, errorSeconds: 0.1))
    #expect(indexed.facts.last?.duration == MediaDuration(frames: frames, isExact: true))
  }

  @Test(arguments: ["none", "sidx", "mfra"], [false, true])
  func seeks(index: String, isCheap: Bool) throws {
    let (bytes, positions) = Self.made { file in
      (file.hasIndex, file.hasRandomAccess) = (index == "sidx", index == "mfra")
      file.edits = [(duration: 0, time: 1024)]
    }
    let all = try MP4ParserTests.steps(bytes).packets
    for target in [0, 70_000, 5_000, 134_000, 1 << 40] as [Int64] {
      var feed = MemoryFeed(bytes, chunk: 256, isCheap: isCheap)
      var parser = MP4Parser(start: 0)
      _ = try feed.next(&parser)
      let before = feed.fed
      guard case .at(_, true) = parser.seek(to: target, sourceIsCheap: isCheap) else {
        throw AudioError(.notSeekable, "no seek")
      }
      let rest = try feed.all(&parser).packets
      guard target < 1 << 40 else {
        #expect(rest.count <= 12)
        continue
      }
      let first = try #require(rest.first)
      #expect(first.isDiscontinuous)
      #expect(first.frame <= max(target - 4096, -1024) && first.frame > target - 4096 - 2048)
      #expect(rest.dropFirst().elementsEqual(all.suffix(rest.count - 1)))
      // An index in front leads there: what lies before is not read. That at the end comes with much of this small file.
      if index == "sidx" && target == 134_000 && !isCheap { #expect(feed.fed - before < positions[3]) }
    }
  }

  @Test func aFragmentWithoutAHeaderIsRefused() throws {
    let (bytes, positions) = Self.made()
    #expect(throws: AudioError.self) { try MP4ParserTests.steps(Array(bytes[positions[0]...])) }
  }

  @Test func truncatedFragments() throws {
    let (bytes, positions) = Self.made()
    let steps = try MP4ParserTests.steps(Array(bytes[..<(positions[5] + 30)]))
    #expect(steps.packets.count == 54)
    #expect(steps.packets.last?.frame == Int64(53 * 1024))
  }
}
