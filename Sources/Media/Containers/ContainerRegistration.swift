/// A container format as the registry knows it: one line of the table that decides who reads what.
public struct ContainerRegistration: Sendable {
  /// Name in lower case, as ``AudioModel/StreamFacts/container`` says it.
  public var name: String
  /// Extensions of file names, lower case, without the dot.
  public var extensions: [String]
  /// Media types, lower case.
  public var mediaTypes: [String]
  /// Looks at the first bytes behind any leading tags. Never decides by names.
  public var probe: @Sendable (ByteWindow, _ start: Int64) -> ProbeAnswer
  /// Makes a parser for a stream whose container begins at `start`, behind the tags that `leading` was read from. The
  /// parser's facts repeat them.
  public var makeParser: @Sendable (_ start: Int64, _ leading: TagSet) -> any ContainerParser

  /// Makes a registration.
  public init(
    name: String, extensions: [String], mediaTypes: [String],
    probe: @escaping @Sendable (ByteWindow, _ start: Int64) -> ProbeAnswer,
    makeParser: @escaping @Sendable (_ start: Int64, _ leading: TagSet) -> any ContainerParser
  ) {
    self.name = name
    self.extensions = extensions
    self.mediaTypes = mediaTypes
    self.probe = probe
    self.makeParser = makeParser
  }
}

/// What a look at the first bytes tells.
public enum ProbeAnswer: Hashable, Sendable {
  /// It is not this format.
  case no
  /// Undecided; `count` bytes from the start on would tell more.
  case more(count: Int)
  /// It may be: some signs fit, the name or type should decide between candidates.
  case likely
  /// It is.
  case certain
}
