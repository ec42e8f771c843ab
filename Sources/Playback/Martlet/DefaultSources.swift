public import AudioModel
public import ByteSource
public import HTTPSource

/// The sources that an input's name can mean.
public enum DefaultSources {
  /// Makes the source for a path, a URL or `-`.
  /// - Throws: ``AudioModel/AudioError/Code/badURL`` for what is neither.
  public static func make(
    _ input: String, http: HTTPSourceConfiguration, events: @escaping SourceEventHandler
  ) throws(AudioError) -> any ByteSource {
    let location = try MediaLocation(input)
    if case .web(let url) = location { return HTTPSource(url: url, configuration: http, events: events) }
    return location.makeLocalSource()!
  }
}
