internal import AudioModel
internal import ByteSource
internal import Containers

/// The pictures of a file on disk, to be taken along.
enum PictureFiles {
  /// Bytes of all pictures that are read.
  private static let limit = 16 << 20

  /// Reads pictures that are stored as they are; those of other inputs than files stay behind.
  static func read(_ pictures: [Picture], of input: String) -> [WrittenPicture] {
    guard !pictures.isEmpty, let location = try? MediaLocation(input), case .file = location,
      let source = location.makeLocalSource(), let facts = try? source.open(), facts.seeking == .cheap
    else { return [] }
    defer { source.close() }
    var left = limit
    return pictures.compactMap { picture in
      guard let position = picture.position, (1...left).contains(picture.byteCount) else { return nil }
      var bytes = [UInt8](repeating: 0, count: picture.byteCount)
      guard fill(&bytes, from: source, at: position) else { return nil }
      left -= bytes.count
      return WrittenPicture(type: picture.type, mime: picture.mime, bytes: bytes)
    }
  }

  private static func fill(_ bytes: inout [UInt8], from source: any ByteSource, at position: Int64) -> Bool {
    do throws(AudioError) {
      try source.seek(to: position)
      var done = 0
      while done < bytes.count {
        var count = 0
        var failure: AudioError?
        bytes.withUnsafeMutableBytes { all in
          do throws(AudioError) {
            count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: all[done...]))
          } catch { failure = error }
        }
        if failure != nil || count == 0 { return false }
        done += count
      }
      return true
    } catch {
      return false
    }
  }
}
