/// How an ``HTTPFaultServer`` answers one request. The default is an honest HTTP/1.1 server with ranges.
public struct HTTPBehaviour: Sendable {
  /// How the end of a body is told.
  public enum Framing: Hashable, Sendable {
    /// Content-Length plus so many bytes: 0 is the truth.
    case length(off: Int = 0)
    /// Chunks.
    case chunked
    /// Chunks that stop without the last one, after so many bytes.
    case chunkedCut(after: Int)
    /// Nothing tells; the connection is closed.
    case untilClose
  }

  /// What is said about a range, and whether it is true.
  public enum RangeAnswer: Hashable, Sendable {
    /// The truth.
    case honest
    /// Ranges are ignored.
    case ignored
    /// At most so many bytes at a time, rightly said.
    case part(Int)
    /// The header starts 1000 bytes off.
    case shifted
    /// The header's total is twice the truth.
    case wrongTotal
    /// No header.
    case missing
    /// A header with a unit that nobody knows.
    case otherUnit
    /// A header of no sense.
    case garbage
    /// A right header; the bytes begin at 0.
    case lie
    /// Header and bytes begin at 0, whatever was asked for.
    case zero
  }

  /// How a radio stream's head looks.
  public enum RadioHead: Hashable, Sendable {
    /// `ICY 200 OK`.
    case shoutcast
    /// `HTTP/1.0 200 OK`.
    case http10
    /// `HTTP/1.1 200 OK`.
    case http11
  }

  /// How a connection is cut.
  public enum Cut: Hashable, Sendable {
    /// By a reset.
    case reset
    /// By a close that looks like an end.
    case close
  }

  /// Bytes in place of the resource's.
  public var body: [UInt8]?
  /// A status to answer with, and a short text.
  public var status: Int?
  /// Where to send the client.
  public var redirect: String?
  /// Fields to add.
  public var headers: [(String, String)] = []
  /// Content-Type; `nil` for none.
  public var contentType: String? = "audio/mpeg"
  /// ETag; `nil` for none.
  public var etag: String? = "\"v1\""
  /// Last-Modified; `nil` for none.
  public var lastModified: String? = "Mon, 01 Jan 2024 00:00:00 GMT"
  /// How ranges are answered.
  public var ranges = RangeAnswer.honest
  /// How the end is told.
  public var framing = Framing.length()
  /// Cuts the connection after so many bytes of the body.
  public var drop: Int?
  /// How it is cut.
  public var cut = Cut.reset
  /// Goes silent after so many bytes of the body, until the client closes or ``HTTPFaultServer/release()``.
  public var stall: Int?
  /// Sends the body in pieces of this size.
  public var chop: Int?
  /// Bytes a second.
  public var rate: Int?
  /// Seconds before the status line.
  public var latency = 0.0
  /// `user:password` that a client must show.
  public var credentials: String?
  /// Whether the connection may serve another request.
  public var keepsAlive = true
  /// Answers by HTTP/1.0: no keep-alive, no chunks.
  public var isHTTP10 = false
  /// Answers as a radio server.
  public var radio: RadioHead?
  /// Bytes between metadata blocks, for a client that asks.
  public var metadataInterval: Int?
  /// Sends metadata to a client that did not ask, too.
  public var forcesMetadata = false
  /// Metadata blocks, one after the other and again from the first; an empty one is a block of length 0.
  public var metadata: [[UInt8]] = []
  /// Sends the body again and again.
  public var isEndless = false

  /// An honest server.
  public init() {}

  /// An honest server but for what `change` does.
  public static func with(_ change: (inout HTTPBehaviour) -> Void) -> HTTPBehaviour {
    var behaviour = HTTPBehaviour()
    change(&behaviour)
    return behaviour
  }
}

/// What a client asked of an ``HTTPFaultServer``, and what it got.
public struct HTTPExchange: Hashable, Sendable {
  /// Its number among all requests, from 1.
  public var number: Int
  /// Its number among the requests for the path, from 1.
  public var count: Int
  /// The connection's number, from 1.
  public var connection: Int
  /// GET, as a rule.
  public var method: String
  /// What was asked for, without the query.
  public var path: String
  /// Header fields by their names in lower case.
  public var headers: [String: String]
  /// The status that was answered; 0 before it was.
  public var status = 0
  /// Bytes of the body that were sent.
  public var sent = 0
}
