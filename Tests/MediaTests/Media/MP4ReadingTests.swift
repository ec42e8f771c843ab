import AudioModel
import ByteSource
import MartletTestSupport
import Media
import Testing

/// MP4 files from sources of different kinds, to the sample.
@Suite struct MP4ReadingTests {
  /// PCM in which every frame says its own number, in chunks of odd sizes.
  private static func ruler(frames: Int = 30_000, change: (inout MP4Fixture) -> Void = { _ in }) -> [UInt8] {
    var track = MP4Fixture.Track(entry: MP4Fixture.entry("in24", channels: 1))
    track.samples = (0..<frames).map { MP4Fixture.big($0, 3) }
    (track.ticks, track.samplesPerChunk, track.constantSize) = ([1], 1_777, 3)
    var movie = MP4Fixture([track])
    change(&movie)
    return movie.file
  }

  private func frames(_ block: PCMBlock) -> [Int?] {
    (0..<block.frameCount).map { LosslessRuler.frame(of: block.plane(0)[$0]) }
  }

  private func countsUp(_ block: PCMBlock, from first: Int) -> Bool {
    frames(block).enumerated().allSatisfy { $1 == first + $0 }
  }

  @Test func everyFrameInItsPlace() throws {
    for isHeaderLast in [false, true] {
      let reader = MediaReader(source: MemorySource(Self.ruler { $0.isHeaderLast = isHeaderLast }))
      defer { reader.close() }
      try reader.open()
      #expect(reader.facts.duration == MediaDuration(frames: 30_000, isExact: true))
      let all = try MediaBench.rest(reader)
      #expect(all.frameCount == 30_000 && countsUp(all, from: 0))
      for target in [29_999, 0, 1_777, 4_096, 17_771] as [Int64] {
        #expect(try reader.seek(toFrame: target) == target)
        let part = try MediaBench.rest(reader, limit: 3_000)
        #expect(countsUp(part, from: Int(target)))
      }
    }
  }

  @Test func theEditListCutsToTheFrame() throws {
    let bytes = Self.ruler { movie in
      movie.movieTimescale = 44_100
      movie.tracks[0].edits = [(duration: 10_001, time: 12_345)]
    }
    let reader = MediaReader(source: MemorySource(bytes))
    defer { reader.close() }
    try reader.open()
    let all = try MediaBench.rest(reader)
    #expect(all.frameCount == 10_001 && countsUp(all, from: 12_345))
    #expect(try reader.seek(toFrame: 10_000) == 10_000)
    #expect(countsUp(try MediaBench.rest(reader), from: 22_345))
  }

  @Test func aHeaderAtTheEndTakesTwoRequests() throws {
    var script = ScriptedByteSource.Script()
    let bytes = Self.ruler(frames: 400_000) { $0.isHeaderLast = true }
    script.facts = SourceFacts(length: Int64(bytes.count), seeking: .request)
    let source = ScriptedByteSource(bytes, script)
    let reader = MediaReader(source: source)
    defer { reader.close() }
    try reader.open()
    let part = try MediaBench.rest(reader, limit: 5_000)
    #expect(countsUp(part, from: 0))
    #expect(source.account.seeks.count == 2)
    #expect(source.account.bytesRead < 300_000)
    // A seek takes one more.
    #expect(try reader.seek(toFrame: 333_333) == 333_333)
    #expect(countsUp(try MediaBench.rest(reader, limit: 100), from: 333_333))
    #expect(source.account.seeks.count == 3)
  }

  @Test func aPipeWithItsHeaderInFront() throws {
    let bytes = Self.ruler(frames: 9_000)
    var script = ScriptedByteSource.Script()
    script.pieces = [1, 700, 3, 4_096]
    script.facts = SourceFacts(length: nil, seeking: .none)
    let reader = MediaReader(source: ScriptedByteSource(bytes, script))
    defer { reader.close() }
    try reader.open()
    let all = try MediaBench.rest(reader)
    #expect(all.frameCount == 9_000 && countsUp(all, from: 0))
    // With the header behind the sound, what lies in front of it is kept.
    let last = MediaReader(source: ScriptedByteSource(Self.ruler(frames: 60_000) { $0.isHeaderLast = true }, script))
    defer { last.close() }
    try last.open()
    let kept = try MediaBench.rest(last)
    #expect(kept.frameCount == 60_000 && countsUp(kept, from: 0))
  }

  @Test func factsWithoutADecoder() throws {
    var track = MP4Fixture.Track(entry: MP4Fixture.entry("ac-4"))
    track.samples = [[1, 2, 3], [4, 5, 6]]
    let bytes = MP4Fixture([track]).file
    let refusing = MediaReader(source: MemorySource(bytes))
    defer { refusing.close() }
    #expect(throws: AudioError(.unsupportedCodec, "There is no decoder for ac4")) { try refusing.open() }
    let reader = MediaReader(source: MemorySource(bytes))
    defer { reader.close() }
    try reader.open(needsDecoder: false)
    #expect(reader.facts.duration?.frames == 2_048 && reader.decoderName == "none")
    #expect(throws: AudioError(.unsupportedCodec, "There is no decoder for ac4")) { _ = try MediaBench.rest(reader) }
  }

  @Test func factsOfAFileWhoseSoundIsMissing() throws {
    var track = MP4Fixture.Track(entry: MP4Fixture.aac())
    track.samples = (0..<40).map { _ in [UInt8](repeating: 0x21, count: 200) }
    let bytes = Array(MP4Fixture([track]).file.dropLast(40 * 200))
    let reader = MediaReader(source: MemorySource(bytes))
    defer { reader.close() }
    try reader.open()
    #expect(reader.facts.duration?.frames == 40 * 1_024 && reader.isTruncated)
    #expect(throws: AudioError(.malformed, "The file ends before its sound begins")) {
      _ = try MediaBench.rest(reader)
    }
  }
}
