internal import AudioModel
internal import ByteSource
internal import CFFmpeg
internal import Codecs

/// What is found out when a stream is opened: its facts, and how its timestamps lie on the trimmed timeline.
///
/// libavformat's own numbers are a beginning only: it decodes nothing here (no video decoder is ever opened), and what
/// containers say about trimming is completed: Matroska's codec delay.
struct FFmpegOpening {
  private(set) var facts: StreamFacts
  private(set) var timeline: PacketTimeline
  /// Position of the first packet in the container.
  private(set) var firstPosition: Int64 = -1
  let isVorbis: Bool

  /// Most packets that are decoded in search of the format.
  private static let sniffLimit = 64
  /// Most packets, and bytes, whose average size an estimate of the duration rests on.
  private static let averageLimit = 128
  private static let averageBytes = 48 << 10
  /// The same where bytes have to be waited for.
  private static let averageBytesOfRequests = 8 << 10

  init(
    input: FormatInput, stream index: Int, format: FFmpegFormat, queue: PacketQueue, shared: SharedPacket,
    head: [UInt8], seeking: SourceFacts.Seeking
  ) throws(AudioError) {
    let functions = input.functions
    guard let stream = input.stream(index), let parameters = stream.pointee.codecpar,
      stream.pointee.time_base.den > 0,
      stream.pointee.time_base.num > 0
    else { throw AudioError(.malformed, "The file's audio stream is broken") }
    let id = parameters.pointee.codec_id
    isVorbis = id == AV_CODEC_ID_VORBIS

    let hasPacket = try queue.peek(input, stream: index, shared) != nil
    let isCoarse = format.timestamps == .coarse
    var decoded: Sniffed?
    let isUnknown = parameters.pointee.sample_rate <= 0 || parameters.pointee.ch_layout.nb_channels <= 0
    if hasPacket && (isUnknown || FFmpegCodecs.isSurprising(id) || (isCoarse && !isVorbis)) {
      decoded = try Self.sniff(input, index, queue, shared)
      // A stream that was cut out of a longer one begins with pieces of frames.
      if isCoarse, let decoded { queue.removeFirst(decoded.index) }
    }
    let stated = SampleRate(hertz: Int(parameters.pointee.sample_rate)).flatMap { rate in
      FFmpegDecoder.layout(of: parameters.pointee.ch_layout).map { PCMFormat(sampleRate: rate, layout: $0) }
    }
    guard let pcm = decoded?.format ?? stated else {
      if hasPacket { throw AudioError(.noAudio, "Nothing in the file can be decoded") }
      throw AudioError(.noAudio, "There is no audio in the file")
    }

    let first = hasPacket ? queue[0].pointee.pts : 0
    if hasPacket { firstPosition = queue[0].pointee.pos }
    timeline = PacketTimeline(
      rate: Int64(pcm.sampleRate.hertz), tick: stream.pointee.time_base,
      firstTimestamp: first == CFFMPEG_NO_TIMESTAMP ? 0 : first, firstFrame: 0,
      isExact: !isCoarse,
      packetFrames: isCoarse && FFmpegCodecs.hasConstantPackets(id) ? Int64(decoded?.frames ?? 0) : 0)

    let descriptor = functions.pointee.avcodec_get_name(id).map { String(cString: $0) } ?? ""
    facts = StreamFacts(
      container: Self.containerName(format, head: head), codec: FFmpegCodecs.codec(id, functions), format: pcm)
    facts.sampleCoding = FFmpegCodecs.coding(parameters.pointee, name: descriptor)
    facts.seekPreroll = FFmpegCodecs.preroll(id)
    if let extra = parameters.pointee.extradata, (1...1 << 20).contains(parameters.pointee.extradata_size) {
      facts.decoderConfiguration = Array(
        UnsafeBufferPointer(start: extra, count: Int(parameters.pointee.extradata_size)))
    }
    var tags = FFmpegTags(functions)
    tags.add(input.context.pointee.metadata)
    tags.add(stream.pointee.metadata)
    facts.tags = tags.tags
    facts.loudness = tags.loudness
    facts.chapters = FFmpegTags.chapters(input.context, functions)
    facts.pictures = FFmpegTags.pictures(input.context, functions)

    timeline.firstFrame = -Int64(decoded?.delay ?? 0)
    placeFirstPacket(stream.pointee, format)
    facts.duration = duration(stream.pointee, format, input, head: head)
    if facts.duration == nil, hasPacket, format.isRaw || (isCoarse && seeking == .cheap) {
      let bytes = seeking == .cheap ? Self.averageBytes : Self.averageBytesOfRequests
      facts.duration = try Self.estimate(timeline, input, index, queue, shared, averageBytes: bytes)
    }
    if !hasPacket && facts.duration == nil && input.io.length != nil {
      facts.duration = MediaDuration(frames: 0, isExact: true)
    }
    let stated64 = parameters.pointee.bit_rate > 0 ? parameters.pointee.bit_rate : input.context.pointee.bit_rate
    facts.bitRate = stated64 > 0 ? Int(stated64) : nil
    if facts.bitRate == nil, let bytes = input.io.length, let duration = facts.duration, duration.frames > 0 {
      let seconds = pcm.sampleRate.seconds(duration.frames)
      facts.bitRate = Int(exactly: (Double(bytes) * 8 / seconds).rounded())
    }
    switch seeking {
    case .none, .reread: facts.seekability = .no
    case .cheap: facts.seekability = .exact
    case .request: facts.seekability = timeline.isTrusted ? .exact : .estimated
    }
  }

  // MARK: Trimming

  /// Finds the frame of the first packet.
  private mutating func placeFirstPacket(_ stream: AVStream, _ format: FFmpegFormat) {
    switch format.demuxer {
    case "matroska":
      if stream.codecpar.pointee.initial_padding > 0 {
        timeline.firstFrame = -Int64(stream.codecpar.pointee.initial_padding)
      }
    default: break
    }
    if timeline.firstFrame < 0 && !isVorbis { facts.encoderDelay = Int(-timeline.firstFrame) }
  }

  /// How long it plays.
  private func duration(
    _ stream: AVStream, _ format: FFmpegFormat, _ input: FormatInput, head: [UInt8]
  ) -> MediaDuration? {
    let isStated = stream.duration != CFFMPEG_NO_TIMESTAMP && stream.duration > 0
    let stated = isStated ? timeline.frames(stream.duration) : nil
    switch format.demuxer {
    case "dsf": return DSFHeader.frames(head).map { MediaDuration(frames: $0, isExact: true) }
    case "tta", "ape", "wv", "au", "wav":
      return stated.map { MediaDuration(frames: $0, isExact: true) }
    case _ where format.isRaw: return nil
    default:
      return stated.map { MediaDuration(frames: $0, isExact: false, errorSeconds: 0.1) } ?? containerDuration(input)
    }
  }

  /// What the container as a whole states, in microseconds; more than a week is nonsense.
  private func containerDuration(_ input: FormatInput) -> MediaDuration? {
    let microseconds = input.context.pointee.duration
    guard microseconds > 0, microseconds < 7 * 86_400 * 1_000_000 else { return nil }
    let frames = Double(microseconds) * 1e-6 * Double(timeline.rate)
    return MediaDuration(frames: Int64(frames.rounded()), isExact: false, errorSeconds: 0.1)
  }

  // MARK: Looking ahead

  private struct Sniffed {
    var format: PCMFormat
    var frames: Int
    /// The packet that gave it, counted from 0.
    var index: Int
    /// Frames of it that the decoder says are not to be heard.
    var delay: Int
  }

  /// Decodes until a packet gives sound, with a decoder of its own.
  private static func sniff(
    _ input: FormatInput, _ stream: Int, _ queue: PacketQueue, _ shared: SharedPacket
  ) throws(AudioError) -> Sniffed? {
    guard let parameters = input.stream(stream)?.pointee.codecpar else { return nil }
    let decoder = try FFmpegDecoder(input.functions, parameters: parameters, format: nil, shared: nil)
    let block = PCMBlock(channels: decoder.format.channels, capacity: 8_192)
    for index in 0..<sniffLimit {
      if index == queue.count, try !queue.append(input, stream: stream, shared) { return nil }
      let raw = queue[index].pointee
      let bytes = UnsafeRawBufferPointer(start: raw.data, count: raw.data == nil ? 0 : Int(raw.size))
      let packet = Packet(position: 0, byteCount: bytes.count, frame: 0, frameCount: 0)
      do throws(AudioError) {
        while try decoder.decode(bytes, packet: packet, into: block) == .formatChanged {
          block.reshape(channels: decoder.format.channels, capacity: 8_192)
        }
      } catch {
        if error.recovery != .conceal { throw error }
      }
      if block.frameCount > 0 {
        return Sniffed(
          format: decoder.format, frames: block.frameCount, index: index, delay: min(decoder.initialDelay, 65_536))
      }
    }
    return nil
  }

  /// A duration out of the average size of the first packets.
  private static func estimate(
    _ timeline: PacketTimeline, _ input: FormatInput, _ stream: Int, _ queue: PacketQueue, _ shared: SharedPacket,
    averageBytes: Int
  ) throws(AudioError) -> MediaDuration? {
    guard let length = input.io.length else { return nil }
    var bytes: Int64 = 0
    var frames: Int64 = 0
    var index = 0
    var isAll = false
    // With video between, positions tell more of the size than the audio packets do.
    var span: (bytes: Int64, frames: Int64) = (0, 0)
    while index < averageLimit, bytes < Int64(averageBytes) {
      if index == queue.count, try !queue.append(input, stream: stream, shared) {
        isAll = true
        break
      }
      let packet = queue[index].pointee
      if packet.pos > queue[0].pointee.pos { span = (packet.pos - queue[0].pointee.pos, frames) }
      bytes += Int64(packet.size)
      frames += timeline.packetFrames > 0 ? timeline.packetFrames : timeline.frames(max(packet.duration, 0))
      index += 1
    }
    if isAll { return frames > 0 ? MediaDuration(frames: frames, isExact: false, errorSeconds: 0.1) : nil }
    let average = span.frames > 0 ? span : (bytes: bytes, frames: frames)
    guard average.bytes > 0, average.frames > 0 else { return nil }
    let estimated = (Double(length) / Double(average.bytes) * Double(average.frames)).rounded()
    return estimated < 1e15 ? MediaDuration(frames: Int64(estimated), isExact: false) : nil
  }

  private static func containerName(_ format: FFmpegFormat, head: [UInt8]) -> String {
    // Matroska's header names the document's type within its first bytes.
    let isWebM = format.demuxer == "matroska" && String(decoding: head.prefix(64), as: UTF8.self).contains("webm")
    return isWebM ? "webm" : format.name
  }
}
