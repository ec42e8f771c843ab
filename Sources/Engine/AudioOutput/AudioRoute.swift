public import AudioModel

/// Where a stream goes to or comes from.
public struct AudioRoute: Hashable, Sendable {
  /// What kind of thing is at the end.
  public enum Kind: String, Hashable, Sendable {
    /// A loudspeaker that is built in, or one that says no more of itself.
    case speaker
    /// Headphones, also with a microphone.
    case headphones
    /// A plug for whatever is connected, in either direction.
    case line
    /// A display or receiver that takes sound along with pictures, or digitally.
    case digital
    /// Without a wire.
    case bluetooth
    /// At the universal bus.
    case usb
    /// A microphone.
    case microphone
    /// What another stream plays: the monitor of a sink, or a sink without hardware.
    case virtual
    /// It does not say.
    case other
  }

  /// What tells it apart, and what names it behind the colon of a selection.
  public var target: String
  /// For people.
  public var summary: String
  /// What it is.
  public var kind: Kind
  /// Its own format, where it says so.
  public var format: PCMFormat?

  /// Makes a route.
  public init(target: String, summary: String, kind: Kind = .other, format: PCMFormat? = nil) {
    self.target = target
    self.summary = summary
    self.kind = kind
    self.format = format
  }
}
