internal import AudioModel

extension OggParser {
  /// Facts about the link that is read, unless they were sent already.
  mutating func freshFacts() -> StreamFacts? {
    guard let link = walker.link, let format = link.coding.format else { return nil }
    var facts = StreamFacts(container: "ogg", codec: link.coding.codec, format: firstFormat ?? format)
    firstFormat = facts.format
    facts.decoderConfiguration = link.headers.configuration
    facts.sampleCoding = link.coding.sampleCoding
    facts.seekPreroll = walker.index < chain.entries.count ? chain.entries[walker.index].preroll : link.preroll
    if link.coding.preSkip > 0 { facts.encoderDelay = Int(link.coding.preSkip) }
    facts.duration = duration(link)
    facts.bitRate = link.headers.nominalBitRate
    if facts.bitRate == nil, let length = sourceLength, let duration = facts.duration, duration.frames > 0 {
      let bits = Double(length) * 8 / facts.format.sampleRate.seconds(duration.frames)
      facts.bitRate = bits < 1e12 ? Int(bits.rounded()) : nil
    }
    var tags = leading
    tags.complete(with: link.headers.tags)
    facts.take(tags)
    sentIndex = walker.index
    guard facts != sentFacts else { return nil }
    sentFacts = facts
    return facts
  }

  /// The length as far as it is known: of all links, or by what was read so far.
  private func duration(_ link: OggLink) -> MediaDuration? {
    if let frames = chain.frames { return MediaDuration(frames: frames, isExact: true) }
    if let last = chain.entries.last, let frames = last.frames {
      return MediaDuration(frames: last.timelineStart.addingSaturating(chain.scale(frames, last)), isExact: false)
    }
    guard let length = sourceLength, let rate = firstFormat?.sampleRate, let entry = chain.entries.last else {
      return chain.entries.isEmpty && chain.isComplete ? MediaDuration(frames: 0, isExact: true) : nil
    }
    let bytes = Double(max(walker.pageEnd - begin.cursor, 1))
    let rest = Double(max(length - begin.cursor, 0))
    var frames = Double(max(link.frame, 0)) * rest / bytes
    if let bitRate = link.headers.nominalBitRate, walker.pageEnd < 4 * Self.remoteScanLimit {
      frames = rest * 8 / Double(bitRate) * Double(entry.rate.hertz)
    }
    guard frames < 1e15 else { return nil }
    let sum = entry.timelineStart.addingSaturating(entry.rate.convert(Int64(frames), to: rate))
    return sum > 0 ? MediaDuration(frames: sum, isExact: false) : nil
  }
}
