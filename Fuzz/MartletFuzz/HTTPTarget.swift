internal import HTTPSource

extension FuzzTarget {
  /// A server's status line and header fields, one a line.
  static let http = FuzzTarget(
    name: "http",
    seeds: {
      [
        "HTTP/1.1 206 Partial Content\nContent-Range: bytes 10-19/30\nContent-Length: 10\nETag: \"a\"",
        "HTTP/1.1 416 Range Not Satisfiable\ncontent-range: bytes */30\nContent-Encoding: gzip",
        "ICY 200 OK\nicy-metaint:16000\nicy-br:128,128\nicy-name: a\nContent-Type: audio/mpeg; x=y",
        "HTTP/1.1 302 Found\nLocation: /b\nAccept-Ranges: bytes\nLast-Modified: Thu, 01 Jan 1970 00:00:00 GMT",
      ].map { Array($0.utf8) }
    }
  ) { bytes in
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    var head = ResponseHead(statusLine: String(lines[0]))
    for line in lines.dropFirst() { head.add(line: String(line)) }
    if let range = head.contentRange {
      precondition(range.total.map { $0 >= 0 } ?? true)
      if let ends = range.bytes {
        precondition(ends.lowerBound >= 0 && ends.upperBound < range.total ?? .max)
        precondition(range.count == ends.upperBound - ends.lowerBound + 1)
      }
    }
    precondition(head.contentLength.map { $0 >= 0 } ?? true)
    precondition(head.bitRate.map { $0 > 0 } ?? true)
    _ = (head.isRedirect, head.isEncoded, head.acceptsRanges, head.isRadio, head.metadataInterval, head.contentType)
  }
}
