internal import AudioModel
internal import ByteSource
internal import CFFmpeg

/// Lets libavformat read a ``ByteSource``, and nothing else.
///
/// What the source throws is kept in ``failure`` and thrown again by the demuxer: libavformat only hears that reading
/// failed. Belongs to the demuxer's thread.
final class SourceIO {
  /// Bytes in the buffer between libavformat and us.
  private static let bufferSize = 64 << 10
  /// A jump forward over fewer bytes is cheaper to read than to ask for.
  private static let shortJump: Int64 = 128 << 10

  /// What the source threw.
  private(set) var failure: AudioError?
  /// The context to hand to libavformat; lives as long as this object.
  let context: UnsafeMutablePointer<AVIOContext>
  /// Length of what libavformat sees.
  let length: Int64?

  private let functions: UnsafePointer<CFFmpegTable>
  private let source: any ByteSource
  private let seeking: SourceFacts.Seeking
  private let head: [UInt8]
  private let headStart: Int64
  private let start: Int64
  private var position: Int64
  private var sourcePosition: Int64

  /// - Parameters:
  ///   - head: Bytes that were read already, from `headStart` on; the source stands behind them.
  ///   - start: What libavformat is to see as position 0.
  init(
    _ functions: UnsafePointer<CFFmpegTable>, source: any ByteSource, facts: SourceFacts, head: [UInt8],
    headStart: Int64, start: Int64
  ) throws(AudioError) {
    self.functions = functions
    self.source = source
    self.head = head
    self.headStart = headStart
    self.start = start
    seeking = facts.seeking
    length = facts.length.map { max($0 - start, 0) }
    position = start
    sourcePosition = headStart + Int64(head.count)
    let buffer = functions.pointee.av_malloc(Self.bufferSize)
    guard
      let buffer,
      let made = functions.pointee.avio_alloc_context(
        buffer.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferSize), 0, nil,
        { opaque, bytes, count in
          guard let opaque, let bytes, count > 0 else { return CFFMPEG_IO_ERROR }
          let io = Unmanaged<SourceIO>.fromOpaque(opaque).takeUnretainedValue()
          return io.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)))
        }, nil,
        { opaque, offset, whence in
          guard let opaque else { return Int64(CFFMPEG_IO_ERROR) }
          return Unmanaged<SourceIO>.fromOpaque(opaque).takeUnretainedValue().seek(offset, whence & ~AVSEEK_FORCE)
        })
    else {
      functions.pointee.av_free(buffer)
      throw AudioError(.decoderFailed, "There is not enough memory to open the file")
    }
    context = made
    context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
    context.pointee.seekable = jumps ? AVIO_SEEKABLE_NORMAL : 0
  }

  deinit {
    functions.pointee.av_free(context.pointee.buffer)
    var context: UnsafeMutablePointer<AVIOContext>? = context
    functions.pointee.avio_context_free(&context)
  }

  /// Jumping costs a request at most: libavformat may jump as it likes.
  private var jumps: Bool { seeking == .cheap || seeking == .request }

  /// Reads some bytes of a source that can be sought, without moving what libavformat reads.
  func bytes(at offset: Int64, count: Int) -> [UInt8]? {
    guard jumps, offset >= 0, offset < .max - start else { return nil }
    let before = position
    defer { position = before }
    position = start + offset
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let got = bytes.withUnsafeMutableBytes { read(into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...])) }
      guard got > 0 else { return nil }
      filled += Int(got)
    }
    return bytes
  }

  /// Makes reading possible again where it was only interrupted; a seek has to follow.
  func forgetInterruption() {
    guard failure?.code == .interrupted else { return }
    failure = nil
    context.pointee.error = 0
    context.pointee.eof_reached = 0
  }

  private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
    guard failure == nil else { return CFFMPEG_IO_ERROR }
    do throws(AudioError) {
      let count = try readBytes(into: buffer)
      position += Int64(count)
      return count > 0 ? Int32(count) : CFFMPEG_END_OF_FILE
    } catch {
      failure = error
      return CFFMPEG_IO_ERROR
    }
  }

  private func readBytes(into buffer: UnsafeMutableRawBufferPointer) throws(AudioError) -> Int {
    let headEnd = headStart + Int64(head.count)
    if position >= headStart && position < headEnd {
      let from = Int(position - headStart)
      let count = min(buffer.count, head.count - from)
      head.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[from..<from + count])) }
      return count
    }
    if position != sourcePosition {
      let gap = position - sourcePosition
      // Back, a source without jumps may still get by reading from its start again; it says if it can't.
      if gap > 0 && (!jumps || (seeking == .request && gap <= Self.shortJump)) {
        while sourcePosition < position {
          let part = UnsafeMutableRawBufferPointer(
            rebasing: buffer[..<min(buffer.count, Int(min(position - sourcePosition, 1 << 30)))])
          let skipped = try source.read(into: part)
          if skipped == 0 { return 0 }
          sourcePosition += Int64(skipped)
        }
      } else {
        try source.seek(to: position)
        sourcePosition = position
      }
    }
    let count = try source.read(into: buffer)
    sourcePosition += Int64(count)
    return count
  }

  private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    if whence == AVSEEK_SIZE { return length ?? Int64(CFFMPEG_NOT_SUPPORTED) }
    let base: Int64
    switch whence {
    case 0: base = start
    case 1: base = position
    case 2:
      guard let length else { return Int64(CFFMPEG_NOT_SUPPORTED) }
      base = start + length
    default: return Int64(CFFMPEG_NOT_SUPPORTED)
    }
    let (target, overflow) = base.addingReportingOverflow(offset)
    guard !overflow, target >= start else { return Int64(CFFMPEG_NOT_SUPPORTED) }
    position = target
    return target - start
  }
}
