public import AudioModel
public import ByteSource

/// Something to play: where its bytes come from, and which part of it.
public struct PlayerItem: Sendable {
  /// Makes a source; called once for every time the item is opened.
  public typealias SourceFactory = @Sendable (@escaping SourceEventHandler) throws(AudioError) -> any ByteSource

  /// What the listener wrote: a path, a URL, or a name for a source of one's own.
  public var input: String
  /// Seconds at which it begins. Default 0.
  public var start: Double = 0
  /// Seconds at which it ends; `nil` (the default) is its own end.
  public var end: Double?
  /// A source of one's own, in place of what `input` says.
  public var makeSource: SourceFactory?

  /// An item by path or URL (http, https, file, data), or `-` for standard input.
  public init(_ input: String) { self.input = input }

  /// An item whose bytes come from a source of one's own.
  /// - Parameters:
  ///   - name: What events call it.
  ///   - makeSource: Makes the source; called on a worker thread.
  public init(name: String, makeSource: @escaping SourceFactory) {
    input = name
    self.makeSource = makeSource
  }
}
