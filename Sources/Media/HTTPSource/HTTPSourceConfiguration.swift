public import ByteSource
internal import Glibc

/// How HTTP is spoken. A value: change what you like before you make an ``HTTPSource``.
public struct HTTPSourceConfiguration: Hashable, Sendable {
  /// A header field of a request.
  public struct Header: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// Its value.
    public var value: String
    /// Makes a field.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Seconds until a connection (name look-up, TCP and TLS) must stand. Default: 10.
  public var connectTimeout: Double = 10
  /// Seconds without a byte, while bytes are wanted, until a connection counts as stalled. Default: 15.
  public var stallTimeout: Double = 15
  /// Redirects that are followed. Default: 20.
  public var redirectLimit = 20
  /// Fields to send besides our own, or in place of them. Line breaks and NULs in them are an error of usage.
  public var headers: [Header] = []
  /// `User-Agent`. Default: `Martlet/` and the version.
  public var userAgent = "Martlet/0.1"
  /// When to try again.
  public var retryPolicy = RetryPolicy()
  /// Bytes that are read ahead of the consumer; then the connection is held back. 64 KiB at least. Default: 1 MiB.
  public var readAhead = 1 << 20
  /// Bytes behind the consumer that stay at hand for a jump back. 4 KiB at least. Default: 128 KiB.
  public var readBehind = 128 << 10
  /// A jump forward that is no longer than this reads on instead of asking anew, in bytes. Default: 256 KiB.
  public var skipLimit: Int64 = 256 << 10
  /// The most that a compressed body may unfold to, in bytes. Default: 256 MiB.
  public var decodedLimit: Int64 = 256 << 20
  /// Whether to ask for titles inside radio streams (`Icy-MetaData: 1`). Default: true.
  public var asksForStreamMetadata = true
  /// A file of certificates (PEM) to trust in place of the system's. Default: the environment's `SSL_CERT_FILE`, if set.
  public var certificateFile: String?

  /// Makes the default configuration.
  public init() { certificateFile = getenv("SSL_CERT_FILE").map { String(cString: $0) } }
}
