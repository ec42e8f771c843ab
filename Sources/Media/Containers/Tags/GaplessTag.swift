import AudioModel

/// How many frames iTunes put before and behind the sound, as its comment `iTunSMPB` tells.
struct GaplessTag: Hashable, Sendable {
  /// The comment's name.
  static let name = "iTunSMPB"

  /// Frames in front, and behind, that an encoder added; the decoder's own delay is not counted.
  var delay: Int
  var padding: Int
  /// Frames of the sound itself.
  var frames: Int64

  /// Reads the text: hexadecimal numbers, of which the second to fourth count.
  init?(_ text: String) {
    let numbers = text.split(separator: " ").prefix(4).map { Int64($0, radix: 16) }
    guard numbers.count == 4, let delay = numbers[1], let padding = numbers[2], let frames = numbers[3],
      (0..<1 << 16).contains(delay), (0..<1 << 16).contains(padding), (1..<1 << 48).contains(frames)
    else { return nil }
    (self.delay, self.padding, self.frames) = (Int(delay), Int(padding), frames)
  }
}

extension GaplessTag {
  /// Makes a statement.
  init(delay: Int, padding: Int, frames: Int64) {
    (self.delay, self.padding, self.frames) = (delay, padding, frames)
  }

  /// The text that iTunes would write; of one length, whatever it says.
  var text: String {
    func hexadecimal(_ number: Int64, _ digits: Int) -> String {
      let text = String(number, radix: 16, uppercase: true)
      return String(repeating: "0", count: max(digits - text.count, 0)) + text
    }
    let zero = hexadecimal(0, 8)
    return " " + zero + " " + hexadecimal(Int64(delay), 8) + " " + hexadecimal(Int64(padding), 8) + " "
      + hexadecimal(frames, 16) + String(repeating: " " + zero, count: 8)
  }

  /// Takes off the length of a stream what is not to be heard. What was cut since the comment was written has no padding at
  /// its end.
  func trim(_ facts: inout StreamFacts) {
    facts.encoderDelay = delay
    guard var duration = facts.duration else { return }
    let isWhole = !duration.isExact || duration.frames == frames + Int64(delay + padding)
    if isWhole { facts.encoderPadding = padding }
    duration.frames = max(duration.frames - Int64(delay + (isWhole ? padding : 0)), 0)
    facts.duration = duration
  }
}
