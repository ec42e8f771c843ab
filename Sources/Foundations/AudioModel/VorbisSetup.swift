/// As much of Vorbis's headers as tells how long packets are: the identification header, and the modes at the end of the
/// setup header (Vorbis I §4.2.2, §4.2.4).
package struct VorbisSetup: Hashable, Sendable {
  /// Channels, 1…255, in Vorbis's own order.
  package let channels: Int
  /// Frames per second.
  package let rate: Int
  /// Bits per second that the encoder aimed for; `nil` when not stated.
  package let nominalBitRate: Int?
  /// Samples of a short block.
  package let shortBlock: Int
  /// Samples of a long block.
  package let longBlock: Int
  /// For each mode, whether its blocks are long.
  package private(set) var modes: [Bool] = []

  /// Reads an identification header.
  /// - Returns: `nil` where the bytes are none, or of another version, or forbidden.
  package init?(identification bytes: [UInt8]) {
    guard bytes.count >= 30, bytes[0] == 1, bytes[1..<7].elementsEqual("vorbis".utf8),
      bytes[7..<11].allSatisfy({ $0 == 0 }), bytes[11] > 0
    else { return nil }
    func number(_ at: Int) -> UInt32 { (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << (8 * UInt32($1)) } }
    channels = Int(bytes[11])
    rate = Int(number(12))
    let nominal = Int32(bitPattern: number(20))
    nominalBitRate = nominal > 0 ? Int(nominal) : nil
    shortBlock = 1 << Int(bytes[28] & 15)
    longBlock = 1 << Int(bytes[28] >> 4)
    guard rate > 0, (64...8192).contains(shortBlock), (shortBlock...8192).contains(longBlock) else { return nil }
  }

  /// Reads the modes of a setup header.
  ///
  /// All that stands in front of them would have to be taken apart to find their beginning. Instead they are read from
  /// the end: behind each mode's 41 bits stands the next one, behind the last the framing bit, in front of the first their
  /// number. Window and transform types are always 0, and that ends the search; the longest run that fits is right.
  /// - Returns: Whether there were any.
  package mutating func takeModes(setup bytes: [UInt8]) -> Bool {
    guard bytes.count >= 7, bytes[0] == 5, bytes[1..<7].elementsEqual("vorbis".utf8) else { return false }
    func bits(_ at: Int, _ count: Int) -> Int {
      (0..<count).reduce(0) { $0 | Int(bytes[(at + $1) >> 3] >> UInt8((at + $1) & 7) & 1) << $1 }
    }
    var end = bytes.count * 8
    let begin = 7 * 8
    while end > begin && bits(end - 1, 1) == 0 { end -= 1 }
    end -= 1
    var found: [Bool] = []
    var run: [Bool] = []
    while run.count < 64, end - 41 * (run.count + 1) >= begin + 6 {
      let at = end - 41 * (run.count + 1)
      guard bits(at + 1, 32) == 0, bits(at + 33, 8) < 64 else { break }
      run.append(bits(at, 1) == 1)
      if bits(at - 6, 6) + 1 == run.count { found = run.reversed() }
    }
    modes = found
    return !found.isEmpty
  }

  /// Samples of the block in a packet that begins with `first`; `nil` where it is no audio packet or its mode is unknown.
  package func block(_ first: UInt8) -> Int? {
    guard first & 1 == 0, !modes.isEmpty else { return nil }
    let width = modes.count > 1 ? Int.bitWidth - (modes.count - 1).leadingZeroBitCount : 0
    let mode = Int(first >> 1) & ((1 << width) - 1)
    guard mode < modes.count else { return nil }
    return modes[mode] ? longBlock : shortBlock
  }
}
