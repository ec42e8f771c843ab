internal import AudioModel
internal import CFFmpeg

/// Packets that were read ahead of their turn: while opening, and to see where a seek has led.
final class PacketQueue {
  private let functions: UnsafePointer<CFFmpegTable>
  private var packets: [UnsafeMutablePointer<AVPacket>] = []

  init(_ functions: UnsafePointer<CFFmpegTable>) { self.functions = functions }
  deinit { removeAll() }

  var count: Int { packets.count }
  subscript(index: Int) -> UnsafeMutablePointer<AVPacket> { packets[index] }

  func removeAll() { removeFirst(packets.count) }

  func removeFirst(_ count: Int) {
    for packet in packets[..<count] {
      var packet: UnsafeMutablePointer<AVPacket>? = packet
      functions.pointee.av_packet_free(&packet)
    }
    packets.removeFirst(count)
  }

  /// Takes the first packet out.
  func pop(into shared: SharedPacket) -> Bool {
    guard !packets.isEmpty else { return false }
    var packet: UnsafeMutablePointer<AVPacket>? = packets.removeFirst()
    functions.pointee.av_packet_unref(shared.pointer)
    functions.pointee.av_packet_move_ref(shared.pointer, packet)
    functions.pointee.av_packet_free(&packet)
    return true
  }

  /// The first packet, read if there is none; `nil` at the end.
  func peek(
    _ input: FormatInput, stream: Int, _ shared: SharedPacket
  ) throws(AudioError) -> UnsafeMutablePointer<AVPacket>? {
    if packets.isEmpty { _ = try append(input, stream: stream, shared) }
    return packets.first
  }

  /// Reads one more packet of the stream. `false` at the end.
  func append(_ input: FormatInput, stream: Int, _ shared: SharedPacket) throws(AudioError) -> Bool {
    while try input.read(shared.pointer) {
      guard Int(shared.pointer.pointee.stream_index) == stream, shared.pointer.pointee.size > 0 else { continue }
      guard let packet = functions.pointee.av_packet_alloc() else {
        throw AudioError(.decoderFailed, "There is not enough memory for a packet")
      }
      functions.pointee.av_packet_move_ref(packet, shared.pointer)
      packets.append(packet)
      return true
    }
    return false
  }
}
