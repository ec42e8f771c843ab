import AudioModel

/// Reads a tag of any kind that tells its length where it begins: ID3v2, or APE with a header.
enum TagReader {
  case id3(ID3v2Reader)
  case ape(APETagReader)

  /// Bytes that must be there to recognise one.
  static let headerSize = 32

  /// Makes a reader for the tag at a position, whose first ``headerSize`` bytes are in the window unless the source ends.
  init?(_ window: ByteWindow, at position: Int64) {
    if let reader = ID3v2Reader(window, at: position) {
      self = .id3(reader)
    } else if let reader = APETagReader(window, at: position) {
      self = .ape(reader)
    } else {
      return nil
    }
  }

  /// Position behind the tag.
  var end: Int64 {
    switch self {
    case .id3(let reader): reader.end
    case .ape(let reader): reader.end
    }
  }

  /// What it says; complete after `done`.
  var tags: TagSet {
    switch self {
    case .id3(let reader): reader.tags
    case .ape(let reader): reader.tags
    }
  }

  /// Takes steps until bytes are missing or the tag is read.
  mutating func next(in window: ByteWindow) -> ID3v2Reader.Step {
    switch self {
    case .id3(var reader):
      defer { self = .id3(reader) }
      return reader.next(in: window)
    case .ape(var reader):
      defer { self = .ape(reader) }
      return reader.next(in: window)
    }
  }
}
