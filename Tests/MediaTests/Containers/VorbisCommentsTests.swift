import AudioModel
import Containers
import Testing

@Suite struct VorbisCommentsTests {
  private func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

  private func block(_ comments: [String], vendor: String = "maker", count: Int? = nil) -> [UInt8] {
    block(comments.map { Array($0.utf8) }, vendor: vendor, count: count)
  }

  private func block(_ comments: [[UInt8]], vendor: String = "maker", count: Int? = nil) -> [UInt8] {
    number(vendor.utf8.count) + Array(vendor.utf8) + number(count ?? comments.count)
      + comments.flatMap { number($0.count) + $0 }
  }

  private func read(_ comments: [String]) -> TagSet { VorbisComments.read(block(comments)[...]) }

  private func base64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for at in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[at..<min(at + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for digit in 0...group.count { text.append(digits[bits >> (18 - 6 * digit) & 63]) }
      text += String(repeating: "=", count: 3 - group.count)
    }
    return text
  }

  private func picture(_ bytes: Int, type: UInt8 = 3, stated: Int? = nil) -> [UInt8] {
    let size = stated ?? bytes
    return [0, 0, 0, type, 0, 0, 0, 9] + Array("image/png".utf8) + [0, 0, 0, 2, 0x68, 0x69]
      + [UInt8](repeating: 0, count: 16) + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }
      + [UInt8](repeating: 0x55, count: bytes)
  }

  @Test func namesAndSeveralValues() {
    let set = read([
      "TITLE=a", "Artist=b", "artist=c", "TrackNumber=3", "DISCNUMBER=1", "ALBUM ARTIST=d", "DATE=1999",
      "DESCRIPTION=words", "mood=x=y", "empty=", "=nameless", "no mark",
    ])
    #expect(
      set.tags == [
        Tag("title", "a"), Tag("artist", "b"), Tag("artist", "c"), Tag("track", "3"), Tag("disc", "1"),
        Tag("albumartist", "d"), Tag("date", "1999"), Tag("comment", "words"), Tag("mood", "x=y"),
      ])
  }

  @Test func textThatIsNotUTF8IsRepaired() {
    let set = VorbisComments.read(block([Array("TITLE=a".utf8) + [0xC0, 0x80, 0x62]])[...])
    #expect(set.tags.first?.value.hasPrefix("a\u{FFFD}") == true && set.tags.first?.value.hasSuffix("b") == true)
  }

  @Test func loudness() {
    let gains = read(["REPLAYGAIN_TRACK_GAIN=-6.54 dB", "replaygain_album_gain=+1,5dB", "REPLAYGAIN_TRACK_PEAK=0.98"])
    #expect(gains.loudness.trackGain == -6.54 && gains.loudness.albumGain == 1.5 && gains.loudness.trackPeak == 0.98)
    #expect(gains.tags.isEmpty)
    let r128 = read(["R128_TRACK_GAIN=-1280", "R128_ALBUM_GAIN=256"])
    #expect(r128.loudness.r128Track == -5 && r128.loudness.r128Album == 1)
    #expect(r128.loudness.trackGain == 0 && r128.loudness.albumGain == 6)
    #expect(read(["R128_TRACK_GAIN=99999", "REPLAYGAIN_TRACK_GAIN=inf dB"]).loudness == LoudnessTags())
    #expect(read(["R128_TRACK_GAIN=0", "REPLAYGAIN_TRACK_GAIN=2"]).loudness.trackGain == 2)
  }

  @Test func chapters() {
    let set = read([
      "CHAPTER002NAME=second", "CHAPTER002=00:01:02.500", "CHAPTER001=00:00:00.000", "CHAPTER001NAME=first",
      "CHAPTER003=nonsense", "CHAPTER004NAME=nowhere", "CHAPTER001URL=http://a", "chapters=many",
    ])
    #expect(
      set.chapters == [Chapter(start: 0, end: nil, title: "first"), Chapter(start: 62.5, end: nil, title: "second")])
    #expect(set.tags == [Tag("chapters", "many")])
  }

  @Test func pictures() {
    let small = read(["METADATA_BLOCK_PICTURE=" + base64(picture(100))])
    #expect(small.pictures == [Picture(type: 3, mime: "image/png", position: nil, byteCount: 100)])
    // Only the head of a large one is looked at.
    let large = read(["METADATA_BLOCK_PICTURE=" + base64(picture(300_000, type: 4)), "TITLE=behind"])
    #expect(large.pictures == [Picture(type: 4, mime: "image/png", position: nil, byteCount: 300_000)])
    #expect(large.tags == [Tag("title", "behind")])
    // What it claims beyond its bytes is not believed.
    let lie = read(["METADATA_BLOCK_PICTURE=" + base64(picture(99, stated: 1 << 30))])
    #expect(lie.pictures.map(\.byteCount) == [99])
    #expect(read(["METADATA_BLOCK_PICTURE=", "METADATA_BLOCK_PICTURE=AAAA", "METADATA_BLOCK_PICTURE=%"]).isEmpty)
  }

  @Test func coverArt() {
    let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]
    #expect(
      read(["COVERART=" + base64(jpeg)]).pictures
        == [Picture(type: 3, mime: "image/jpeg", position: nil, byteCount: 7)])
    #expect(read(["COVERARTMIME=image/x", "COVERART=" + base64(jpeg)]).pictures.first?.mime == "image/x")
    #expect(read(["COVERART=" + base64(jpeg), "METADATA_BLOCK_PICTURE=" + base64(picture(5))]).pictures.count == 1)
  }

  @Test func brokenBlocksGiveWhatIsWhole() {
    let whole = block(["TITLE=a", "ARTIST=b"])
    for count in 0..<whole.count {
      let tags = VorbisComments.read(whole[..<count]).tags
      #expect(tags == (count >= 13 + 11 ? [Tag("title", "a")] : []))
    }
    #expect(VorbisComments.read(block(["TITLE=a"], count: 1 << 31)[...]).tags == [Tag("title", "a")])
    #expect(VorbisComments.read((block(["TITLE=a"], count: 2) + number(1 << 31))[...]).tags == [Tag("title", "a")])
    #expect(VorbisComments.read(([0xFF, 0xFF, 0xFF, 0xFF] + whole)[...]).isEmpty)
    let many = (0..<20_000).map { "x\($0)=1" }
    #expect(read(many).tags.count == 512)
    let long = (0..<100).map { "x\($0)=" + String(repeating: "y", count: 60_000) }
    #expect(read(long).tags.count == 17)
  }

  @Test(arguments: [1, 7, 4096]) func anyChunking(chunk: Int) throws {
    let bytes = block(["TITLE=a", "METADATA_BLOCK_PICTURE=" + base64(picture(200_000)), "ARTIST=b"])
    let padded = [UInt8](repeating: 9, count: 50) + bytes + [UInt8](repeating: 9, count: 50)
    var feed = MemoryFeed(padded, chunk: chunk)
    var reader = VorbisComments(start: 50, end: Int64(50 + bytes.count))
    while case .need(let request) = reader.next(in: feed.window) { try feed.serve(request) }
    #expect(reader.tags == VorbisComments.read(bytes[...]) && reader.vendor == "maker" && !reader.overruns)
    #expect(reader.position == Int64(50 + bytes.count))
    #expect(feed.fed <= 20_000 || chunk == 1 << 20)
  }
}
