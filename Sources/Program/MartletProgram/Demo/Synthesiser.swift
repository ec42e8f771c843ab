package import AudioModel

/// Plays the score: block by block, always the same samples.
package final class Synthesiser {
  /// The format of the sound.
  package static let format = PCMFormat(sampleRate: .studio, layout: .stereo)
  /// Frames in all.
  package static let frameCount = Int(Score.duration * Double(format.sampleRate.hertz))
  /// Frames of one block.
  package static let blockFrames = 512

  private static let gain: Float = 1.0
  private let rate = Double(Synthesiser.format.sampleRate.hertz)
  private var waiting: ArraySlice<Score.Note>
  private var voices: [Voice] = []
  private let room: Room
  private let mono = UnsafeMutablePointer<Float>.allocate(capacity: Synthesiser.blockFrames)
  /// Dry left and right, echo send left and right, room send left and right.
  private let buses = UnsafeMutablePointer<Float>.allocate(capacity: Synthesiser.blockFrames * 6)

  /// Frames played so far.
  package private(set) var position = 0

  /// Begins the piece.
  package init() {
    waiting = Score().notes[...]
    room = Room(rate: rate)
  }

  deinit {
    mono.deallocate()
    buses.deallocate()
  }

  /// Plays the next frames.
  /// - Parameter samples: Room for `blockFrames` interleaved stereo frames.
  /// - Returns: How many frames there were; 0 at the end.
  package func play(into samples: UnsafeMutablePointer<Float>) -> Int {
    let count = min(Self.blockFrames, Self.frameCount - position)
    guard count > 0 else { return 0 }
    buses.update(repeating: 0, count: Self.blockFrames * 6)
    // A note begins at its frame, wherever the block begins.
    while let note = waiting.first, Int((note.time * rate).rounded()) < position + count {
      voices.append(Voice(note, rate: rate))
      waiting.removeFirst()
    }
    for index in voices.indices { mix(&voices[index], count: count) }
    voices.removeAll { $0.end <= position + count }
    for frame in 0..<count {
      let bus = buses + frame * 6
      let wet = room.process(echo: (bus[2], bus[3]), room: (bus[4], bus[5]))
      let fade = Self.gain * Self.fade(position + frame)
      samples[2 * frame] = (bus[0] + wet.0) * fade
      samples[2 * frame + 1] = (bus[1] + wet.1) * fade
    }
    position += count
    return count
  }

  private func mix(_ voice: inout Voice, count: Int) {
    let first = max(voice.start - position, 0)
    mono.update(repeating: 0, count: count)
    voice.add(to: mono + first, count: count - first)
    // Equal power.
    let left = ((1 - voice.pan) / 2).squareRoot()
    let right = ((1 + voice.pan) / 2).squareRoot()
    let (echo, room) = (voice.echo, voice.room)
    var frame = first
    while frame < count {
      let bus = buses + frame &* 6
      let (l, r) = (mono[frame] * left, mono[frame] * right)
      bus[0] += l
      bus[1] += r
      bus[2] += l * echo
      bus[3] += r * echo
      bus[4] += l * room
      bus[5] += r * room
      frame &+= 1
    }
  }

  /// The last three seconds fade away.
  private static func fade(_ frame: Int) -> Float {
    let left = Float(frameCount - frame) / (3 * Float(format.sampleRate.hertz))
    return left >= 1 ? 1 : left * left
  }
}
