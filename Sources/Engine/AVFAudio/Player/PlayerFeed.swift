internal import Foundation

/// Reads a file in pieces, over and over where it loops. Used by one thread at a time.
final class PlayerFeed {
  /// What to play next.
  struct Piece {
    var buffer: AVAudioPCMBuffer
    /// Frames of it that come before the file's first beginning anew; `nil` where it doesn't begin anew in this piece.
    var framesBeforeLoop: Int?
    /// Nothing comes after it.
    var isLast: Bool
    /// Why nothing comes after it, when the file has not come to its end.
    var error: (any Error)?
  }

  private let file: AVAudioFile
  private let scratch: AVAudioPCMBuffer
  private let capacity: AVAudioFrameCount
  /// The last piece ended with the file, and the next begins with it.
  private var beginsAnew = false

  /// - Parameter seconds: The length of a piece.
  init(_ file: AVAudioFile, seconds: Double) {
    self.file = file
    capacity = max(1, AVAudioFrameCount(seconds * file.processingFormat.sampleRate))
    guard let scratch = AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: capacity) else {
      preconditionFailure("a file's processing format is PCM")
    }
    self.scratch = scratch
  }

  /// Goes to a frame.
  func seek(_ frame: AVAudioFramePosition) {
    file.framePosition = min(max(0, frame), file.length)
    beginsAnew = false
  }

  /// Reads a piece.
  /// - Parameter loop: Asked at the end whether to begin anew.
  /// - Returns: At least one frame: silence where there is nothing at all.
  func next(loop: () -> Bool) -> Piece {
    guard let buffer = AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: capacity) else {
      preconditionFailure("no memory for a quarter of a second of sound")
    }
    var piece = Piece(buffer: buffer, framesBeforeLoop: beginsAnew ? 0 : nil, isLast: false, error: nil)
    beginsAnew = false
    while !piece.isLast {
      if file.framePosition >= file.length {
        guard file.length > 0, loop() else {
          piece.isLast = true
          break
        }
        file.framePosition = 0
        if buffer.frameLength == capacity {
          beginsAnew = true
          break
        }
        if piece.framesBeforeLoop == nil { piece.framesBeforeLoop = Int(buffer.frameLength) }
      }
      if buffer.frameLength == capacity { break }
      do {
        try file.read(into: scratch, frameCount: capacity - buffer.frameLength)
        piece.isLast = scratch.frameLength == 0
        append(to: buffer)
      } catch {
        piece.error = error
        piece.isLast = true
      }
    }
    if buffer.frameLength == 0 { buffer.frameLength = 1 }
    return piece
  }

  private func append(to buffer: AVAudioPCMBuffer) {
    guard let from = scratch.floatChannelData, let to = buffer.floatChannelData else { return }
    let count = Int(scratch.frameLength)
    let start = Int(buffer.frameLength)
    for channel in 0..<Int(file.processingFormat.channelCount) {
      (to[channel] + start).update(from: from[channel], count: count)
    }
    buffer.frameLength += scratch.frameLength
  }
}
