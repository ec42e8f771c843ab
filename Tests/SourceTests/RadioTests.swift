import AudioModel
import ByteSource
import Testing

@Suite struct RadioTests {
  /// A stream with blocks, its audio, and where each block that says something belongs.
  private func stream(interval: Int, blocks: [[UInt8]]) -> (stream: [UInt8], audio: [UInt8], wanted: [Block]) {
    let audio = noise(interval * blocks.count + 5)
    var stream: [UInt8] = []
    var wanted: [Block] = []
    for (index, block) in blocks.enumerated() {
      stream += audio[index * interval..<(index + 1) * interval]
      let units = (block.count + 15) / 16
      stream += [UInt8(units)] + block + [UInt8](repeating: 0, count: 16 * units - block.count)
      if block.contains(where: { $0 != 0 }) {
        wanted.append(Block(bytes: block, position: Int64((index + 1) * interval)))
      }
    }
    return (stream + audio.suffix(5), audio, wanted)
  }

  private struct Block: Equatable {
    var bytes: [UInt8]
    var position: Int64
  }

  @Test(arguments: [1, 2, 3, 16, 17, 1000, 100_000])
  func splitterTakesAnyChunking(_ size: Int) throws {
    let blocks: [[UInt8]] = [
      Array("StreamTitle='a';".utf8), [], [UInt8](repeating: 65, count: 4080), [0, 0, 0], [1],
    ]
    let (stream, audio, wanted) = stream(interval: 37, blocks: blocks)
    var splitter = try #require(ICYSplitter(interval: 37))
    var found: (audio: [UInt8], blocks: [Block]) = ([], [])
    for start in Swift.stride(from: 0, to: stream.count, by: size) {
      Array(stream[start..<min(start + size, stream.count)]).withUnsafeBytes { bytes in
        splitter.split(bytes) { piece in
          switch piece {
          case .audio(let bytes): found.audio += bytes
          case .metadata(let bytes, let position): found.blocks.append(Block(bytes: bytes, position: position))
          }
        }
      }
    }
    #expect(found.audio == audio)
    #expect(found.blocks == wanted)
    #expect(splitter.position == Int64(audio.count))
  }

  @Test func splitterRefusesIntervalsOfNoSense() {
    #expect(ICYSplitter(interval: 0) == nil)
    #expect(ICYSplitter(interval: -1) == nil)
    #expect(ICYSplitter(interval: 16 << 20 + 1) == nil)
  }

  @Test(arguments: [
    ("StreamTitle='A - B';", "A - B", nil),
    ("StreamTitle='A=B; C's & D';StreamUrl='';", "A=B; C's & D", ""),
    ("StreamTitle='It's 'quoted'; isn't it; StreamUrl='x';", "It's 'quoted'; isn't it; StreamUrl='x", nil),
    ("StreamTitle='a';StreamUrl='http://x/?a=b;c';\0\0", "a", "http://x/?a=b;c"),
    ("StreamUrl='u';StreamTitle='t';", "t", "u"),
    ("StreamTitle='';", "", nil),
    ("StreamTitle='';StreamUrl='';", "", ""),
    ("streamtitle='t';", "t", nil),
    ("StreamTitle='t';   \0", "t", nil),
    ("StreamTitle='t';StreamURL='u';Custom|tag", "t", "u"),
    ("StreamTitle='';adw_ad='true';durationMilliseconds='29994';adId='';", "", nil),
    ("StreamTitle='a; b';insertionType='midroll';StreamUrl='u';", "a; b", "u"),
    ("StreamTitle='he said 'x'; y='z' and left';", "he said 'x'; y='z' and left", nil),
    ("StreamTitle='t'", "t", nil),
    ("StreamTitle='t", "t", nil),
    ("StreamTitle='before\0after';StreamUrl='u';", "before", "u"),
    ("StreamTitle=t;", "", nil),
    ("garbage", "", nil),
    ("", "", nil),
    ("='x';", "", nil),
    ("Björk – Jóga ♫", "", nil),
    ("StreamTitle='Björk – Jóga ♫';", "Björk – Jóga ♫", nil),
  ])
  func metadata(_ block: String, _ title: String, _ url: String?) {
    let found = StreamMetadata(block: Array(block.utf8))
    #expect(found.title == title)
    #expect(found.url == url)
  }

  @Test func metadataInOldCharacterSets() {
    let latin = Array("StreamTitle='Caf".utf8) + [0xE9, 0x20, 0x80, 0x20, 0x9F] + Array("';\0\0".utf8)
    let found = StreamMetadata(block: latin)
    #expect(found.title == "Café € Ÿ")
    #expect(found.raw == latin.dropLast(2))
  }
}
