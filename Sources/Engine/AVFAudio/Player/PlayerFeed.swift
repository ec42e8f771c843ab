internal import ByteSource
internal import Foundation

/// Reads sound in pieces, over and over where it loops. Used by one thread at a time.
final class PlayerFeed {
  /// What to play next.
  struct Piece {
    var buffer: AVAudioPCMBuffer
    /// Frames of it that come before the first beginning anew; `nil` where it doesn't begin anew in this piece.
    var framesBeforeLoop: Int?
    /// Nothing comes after it.
    var isLast: Bool
    /// Why nothing comes after it, when the sound has not come to its end.
    var error: (any Error)?
  }

  /// What the pieces are.
  let format: AVAudioFormat
  private let file: FileReading
  private let capacity: Int
  /// The file gives no more.
  private var isAtEnd = false
  /// The last piece ended with the sound, and the next begins with it.
  private var beginsAnew = false

  /// Opens a source, and goes through all of it where nothing says how long it is.
  /// - Parameter seconds: The length of a piece.
  /// - Throws: Where there is nothing that can be read.
  init(_ source: any ByteSource, seconds: Double) throws {
    file = try FileReading(source)
    format = AVAudioFormat(file.format)
    capacity = max(1, Int(seconds * format.sampleRate))
  }

  deinit { file.close() }

  /// What the file holds.
  var fileFormat: AVAudioFormat { file.fileFormat }
  /// Frames in all, without loops.
  var length: Int64 { file.length }

  /// Goes to a frame. Where the source can't, the next piece says so.
  func seek(_ frame: Int64) {
    beginsAnew = false
    isAtEnd = false
    file.seek(to: min(max(0, frame), length))
  }

  /// Nothing, for a time.
  func silence(seconds: Double) -> AVAudioPCMBuffer {
    let frames = AVAudioFrameCount(max(1, seconds * format.sampleRate))
    guard let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: frames) else {
      fatalError("no memory for a moment of silence")
    }
    buffer.frameLength = frames
    return buffer
  }

  /// Reads a piece.
  /// - Parameter loop: Asked at the end whether to begin anew.
  /// - Returns: At least one frame: silence where there is nothing at all.
  func next(loop: () -> Bool) -> Piece {
    guard let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(capacity)) else {
      fatalError("no memory for a quarter of a second of sound")
    }
    var piece = Piece(buffer: buffer, framesBeforeLoop: beginsAnew ? 0 : nil, isLast: false, error: nil)
    beginsAnew = false
    var filled = 0
    while !piece.isLast {
      if isAtEnd || file.position >= length {
        guard length > 0, loop() else {
          piece.isLast = true
          break
        }
        seek(0)
        if filled == capacity {
          beginsAnew = true
          break
        }
        if piece.framesBeforeLoop == nil { piece.framesBeforeLoop = filled }
      }
      if filled == capacity { break }
      do {
        let count = try file.read(into: buffer, from: filled, upTo: capacity - filled)
        isAtEnd = count == 0
        // Damage may leave nothing of a sound that says it has some.
        if isAtEnd, file.position == 0 { piece.isLast = true }
        filled += count
      } catch {
        piece.error = error
        piece.isLast = true
      }
    }
    buffer.frameLength = AVAudioFrameCount(max(1, filled))
    return piece
  }
}
