// Reads all packets of a file by Martlet's own parsers, as playing does, and decodes none: parse-bench FILE.
// Prints what it has read as JSON, so that a run that read less than another is seen.

internal import AudioModel
internal import ByteSource
internal import Containers
internal import Glibc
internal import Media

func parse(_ path: String) throws(AudioError) {
  let media = MediaReader(source: FileSource(path: path), registry: .builtIn)
  try media.open(needsDecoder: false)
  defer { media.close() }
  let reader = media.packets
  var packets = 0
  var bytes = 0
  var frames: Int64 = 0
  while let packet = try reader.nextPacket() {
    try reader.withPacketBytes { bytes += $0.count }
    packets += 1
    frames += Int64(packet.frameCount)
  }
  let seconds = Double(frames) / Double(reader.facts.format.sampleRate.hertz)
  print(#"{"packets":\#(packets),"bytes":\#(bytes),"seconds":\#(seconds)}"#)
}

func fail(_ sentence: String, status: Int32) -> Never {
  sentence.withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
  exit(status)
}

guard CommandLine.arguments.count == 2 else { fail("usage: MartletParseBench FILE\n", status: 64) }
do throws(AudioError) {
  try parse(CommandLine.arguments[1])
} catch {
  fail("\(error.message)\n", status: 65)
}
