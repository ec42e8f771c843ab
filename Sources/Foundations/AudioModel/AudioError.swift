/// A failure, anywhere in Martlet.
///
/// One type for all layers: what differs is the ``code``, whose thousands tell the layer. End of stream and starvation
/// are values, never errors.
public struct AudioError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A stable number for a kind of failure.
  ///
  /// 1xxx usage · 2xxx source and network · 3xxx container · 4xxx codec · 5xxx output · 6xxx storage.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: Int
    /// Makes a code of a number.
    public init(rawValue: Int) { self.rawValue = rawValue }
  }

  /// What the one who meets the failure can do about it.
  public enum Recovery: Hashable, Sendable {
    /// The same thing may work later: the network, a busy device.
    case retry
    /// The damaged part can be left out, and what follows is good.
    case conceal
    /// Nothing but going on with the next item.
    case none
  }

  /// Which kind of failure.
  public let code: Code
  /// One sentence for a listener, without a final full stop. It may quote a name that came from outside: print it
  /// through a filter of control characters.
  public let message: String
  /// What can be done.
  public let recovery: Recovery
  /// What a library said (an `errno`, a `CURLcode`, an HTTP status), for logs.
  public let detail: Int?
  /// Seconds after which a server asked to be tried again (Retry-After).
  public var retryAfter: Double?

  /// Makes an error.
  public init(_ code: Code, _ message: String, recovery: Recovery = .none, detail: Int? = nil) {
    self.code = code
    self.message = message
    self.recovery = recovery
    self.detail = detail
  }

  public var description: String { message }
}

extension AudioError.Code {
  /// The call itself is wrong.
  public static let usage = Self(rawValue: 1001)
  /// The work was cancelled by the caller.
  public static let cancelled = Self(rawValue: 1002)
  /// The wait was given up because something else is wanted now; nothing is lost, and the call may be made again.
  public static let interrupted = Self(rawValue: 1003)

  /// No such file, or the server says 404 or 410.
  public static let notFound = Self(rawValue: 2001)
  /// The file is there but can't be read: permission, a directory.
  public static let unreadable = Self(rawValue: 2002)
  /// The URL is malformed or its scheme is not supported.
  public static let badURL = Self(rawValue: 2003)
  /// The host's name is unknown.
  public static let unknownHost = Self(rawValue: 2010)
  /// The connection was refused or could not be made.
  public static let connectionFailed = Self(rawValue: 2011)
  /// The connection broke and could not be resumed.
  public static let connectionLost = Self(rawValue: 2012)
  /// Nothing arrived within the time-out.
  public static let timedOut = Self(rawValue: 2013)
  /// The certificate is not valid, or TLS failed otherwise.
  public static let tlsFailed = Self(rawValue: 2014)
  /// The server refuses: 401, 403, other 4xx.
  public static let refused = Self(rawValue: 2015)
  /// The server fails: 5xx, 408, 425, 429.
  public static let serverFailed = Self(rawValue: 2016)
  /// The answer breaks the protocol: a wrong Content-Range, a redirect loop, a bad encoding.
  public static let badResponse = Self(rawValue: 2017)
  /// The file on the server is no longer the one that was begun.
  public static let sourceChanged = Self(rawValue: 2018)
  /// The source can't jump to another position.
  public static let notSeekable = Self(rawValue: 2019)
  /// Reading the file failed.
  public static let readFailed = Self(rawValue: 2020)
  /// The library that speaks HTTP is missing or too old.
  public static let networkUnavailable = Self(rawValue: 2021)

  /// What was read is no audio that Martlet knows.
  public static let unrecognized = Self(rawValue: 3001)
  /// The container is broken.
  public static let malformed = Self(rawValue: 3002)
  /// The container is known but a feature in it is not supported (encryption, for one).
  public static let unsupportedContainer = Self(rawValue: 3003)
  /// The input has no bytes.
  public static let empty = Self(rawValue: 3004)
  /// A stated limit was reached before audio was found.
  public static let limitReached = Self(rawValue: 3005)
  /// The container holds no audio.
  public static let noAudio = Self(rawValue: 3006)

  /// No decoder for the codec.
  public static let unsupportedCodec = Self(rawValue: 4001)
  /// A packet can't be decoded.
  public static let damagedPacket = Self(rawValue: 4002)
  /// A decoder's library is missing or of another version.
  public static let decoderUnavailable = Self(rawValue: 4003)
  /// A decoder failed for good.
  public static let decoderFailed = Self(rawValue: 4004)
  /// An encoder's library is missing or of another version, or there is no encoder for the codec.
  public static let encoderUnavailable = Self(rawValue: 4005)
  /// An encoder or a container can't hold what it is asked for: this rate, these channels, this depth.
  public static let encodingUnsupported = Self(rawValue: 4006)
  /// An encoder failed for good.
  public static let encoderFailed = Self(rawValue: 4007)

  /// No output, or none of the name given.
  public static let noOutput = Self(rawValue: 5001)
  /// The output broke and did not come back.
  public static let outputLost = Self(rawValue: 5002)
  /// The output refuses the format.
  public static let outputFormat = Self(rawValue: 5003)
  /// The output is used by another program.
  public static let outputBusy = Self(rawValue: 5004)

  /// Writing failed: disk full, no permission.
  public static let writeFailed = Self(rawValue: 6001)
}
