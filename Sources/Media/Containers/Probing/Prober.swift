package import AudioModel

/// Finds out what a source holds, in the manner of a parser: fed with bytes, it answers or asks for more.
///
/// Content decides; a name or media type only chooses between candidates that content leaves open. ID3v2 and APE
/// tags in front (any size, several in a row) are read and passed by, and so are NUL bytes. What is surely no sound is
/// refused at once.
package struct Prober {
  package enum Step {
    /// Bytes are wanted; the step is repeated when they are in the window.
    case need(ByteRequest)
    /// A format of the table. Its container begins at `start`; `tags` stood in front.
    case found(ContainerRegistration, start: Int64, tags: TagSet)
    /// A format known by its first bytes, which the table does not have: `mp4`, `ogg`, …
    case foreign(name: String, start: Int64)
    /// Nothing known; somebody else may try.
    case unknown(start: Int64)
  }

  /// Most NUL bytes in front that are passed by.
  package static let nulLimit: Int64 = 1 << 20
  /// Most bytes behind tags and NULs that are looked at.
  package static let searchLimit = 160 << 10
  /// Most tags in front.
  package static let tagLimit = 64

  private static let firstLook = 4096
  private let registrations: [ContainerRegistration]
  private let fileExtension: String
  private let mediaType: String
  private let begin: Int64
  private var position: Int64
  private var look = firstLook
  private var tagsSeen = 0
  private var reader: TagReader?
  /// What the tags in front say.
  package private(set) var tags = TagSet()
  private var nulsSeen: Int64 = 0
  /// The NULs before ``position`` reached to the end of the window, so that those behind belong to them.
  private var isInNULs = false
  private var leadingDone = false

  /// Makes a prober.
  /// - Parameters:
  ///   - registrations: The formats to look for, in order of preference.
  ///   - fileExtension: Of the source's name, without the dot; empty for none.
  ///   - mediaType: As a server states it; parameters are ignored.
  ///   - start: Where the source's first byte is.
  package init(
    registrations: [ContainerRegistration], fileExtension: String = "", mediaType: String = "", start: Int64 = 0
  ) {
    self.registrations = registrations
    self.fileExtension = fileExtension.lowercased()
    self.mediaType = mediaType.prefix { $0 != ";" && $0 != " " }.lowercased()
    begin = start
    position = start
  }

  /// Takes the next step.
  /// - Throws: ``AudioModel/AudioError/Code/empty``, ``AudioModel/AudioError/Code/noAudio`` when there are only tags,
  ///   ``AudioModel/AudioError/Code/unrecognized`` for what is surely no sound.
  package mutating func next(in window: ByteWindow) throws(AudioError) -> Step {
    while !leadingDone {
      if let request = try passLeading(window) { return .need(request) }
    }
    while true {
      guard window.settles(position, count: look) else {
        return .need(ByteRequest(position: position, count: look))
      }
      var candidates: [ContainerRegistration] = []
      var wanted = 0
      for registration in registrations {
        switch registration.probe(window, position) {
        case .no: break
        case .more(let count): wanted = max(wanted, count)
        case .likely: candidates.append(registration)
        case .certain: return .found(registration, start: position, tags: tags)
        }
      }
      if let name = ForeignFormat.name(window, at: position) { return .foreign(name: name, start: position) }
      if let name = NotAudio.name(window, at: position) {
        throw AudioError(.unrecognized, "This is \(name), not audio")
      }
      if let found = candidates.first(where: isNamed) ?? candidates.first {
        return .found(found, start: position, tags: tags)
      }
      let isAll = !window.contains(position, count: look)
      guard wanted > look, look < Self.searchLimit, !isAll else { return .unknown(start: position) }
      look = min(max(wanted, look * 4), Self.searchLimit)
    }
  }

  private func isNamed(_ registration: ContainerRegistration) -> Bool {
    registration.extensions.contains(fileExtension) || registration.mediaTypes.contains(mediaType)
  }

  /// Passes by one tag or one run of NULs.
  private mutating func passLeading(_ window: ByteWindow) throws(AudioError) -> ByteRequest? {
    if reader != nil {
      if case .need(let request)? = reader?.next(in: window) { return request }
      if let reader {
        tags.complete(with: reader.tags)
        position = reader.end
      }
      reader = nil
    }
    guard window.settles(position, count: TagReader.headerSize) else {
      return ByteRequest(position: position, count: TagReader.headerSize)
    }
    let count = window.available(position, limit: 1 << 16)
    guard count > 0 else {
      if position == begin { throw AudioError(.empty, "The input is empty") }
      throw AudioError(
        .noAudio, tagsSeen > 0 ? "The file holds tags but no sound" : "The file holds nothing but zeros")
    }
    if tagsSeen < Self.tagLimit, let fresh = TagReader(window, at: position) {
      tagsSeen += 1
      isInNULs = false
      reader = fresh
      return nil
    }
    let nuls = window.withBytes(position, count: count) { bytes in bytes.firstIndex { $0 != 0 } ?? bytes.count } ?? 0
    if nuls >= (isInNULs ? 1 : min(16, count)), position - begin < .max >> 1 {
      nulsSeen += Int64(nuls)
      guard nulsSeen <= Self.nulLimit else {
        throw AudioError(.limitReached, "The file begins with more than \(Self.nulLimit) zero bytes")
      }
      position += Int64(nuls)
      isInNULs = nuls == count
      return nil
    }
    leadingDone = true
    return nil
  }
}
