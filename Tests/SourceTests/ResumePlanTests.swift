import ByteSource
import HTTPSource
import Testing

/// An answer to the plan's own request, and what it is worth.
struct Answer: Sendable {
  var lines: [String]
  var position: Int64
  var verdict: ResumePlan.Verdict

  init(_ lines: String, at position: Int64, _ verdict: ResumePlan.Verdict) {
    self.lines = lines.split(separator: "|").map(String.init)
    self.position = position
    self.verdict = verdict
  }
}

@Suite struct ResumePlanTests {
  private static let first = Answer(
    "HTTP/1.1 206 OK|Content-Range: bytes 0-99/100|ETag: \"1\"", at: 0, .accept(start: 0, end: 100))
  private static let unmarked = Answer(
    "HTTP/1.1 206 OK|Content-Range: bytes 0-99/100", at: 0, .accept(start: 0, end: 100))

  static let courses: [[Answer]] = [
    [
      first,
      Answer("HTTP/1.1 206 OK|Content-Range: bytes 40-99/100|etag: \"1\"", at: 40, .accept(start: 40, end: 100)),
    ],
    [first, Answer("HTTP/1.1 206 OK|Content-Range: bytes 40-49/100", at: 40, .accept(start: 40, end: 50))],
    [first, Answer("HTTP/1.1 206 OK|Content-Range: bytes 40-99/*", at: 40, .accept(start: 40, end: 100))],
    [first, Answer("HTTP/1.1 206 OK|Content-Range: bytes 40-99/100|ETag: \"2\"", at: 40, .changed)],
    [first, Answer("HTTP/1.1 206 OK|Content-Range: bytes 40-99/200|ETag: \"1\"", at: 40, .again)],
    [unmarked, Answer("HTTP/1.1 206 OK|Content-Range: bytes 40-199/200", at: 40, .changed)],
    [first, Answer("HTTP/1.1 206 OK|Content-Range: bytes 41-99/100", at: 40, .again)],
    [first, Answer("HTTP/1.1 206 OK|Content-Range: bytes 39-99/100", at: 40, .again)],
    [first, Answer("HTTP/1.1 206 OK|Content-Range: lines 40-99/100", at: 40, .again)],
    [first, Answer("HTTP/1.1 206 OK|Content-Range: bytes 40-39/100", at: 40, .again)],
    [first, Answer("HTTP/1.1 206 OK|Content-Range: bytes 40-100/100", at: 40, .again)],
    [first, Answer("HTTP/1.1 206 OK|Content-Range: bytes 40-99999999999999999999/*", at: 40, .again)],
    [first, Answer("HTTP/1.1 206 OK", at: 40, .again), Answer("HTTP/1.1 206 OK", at: 40, .fault(.broken))],
    [first, Answer("HTTP/1.1 206 OK|Content-Range: bytes 40-99/100|Content-Encoding: gzip", at: 40, .again)],
    [first, Answer("HTTP/1.1 200 OK|Content-Length: 100|ETag: \"1\"", at: 40, .accept(start: 0, end: 100))],
    [first, Answer("HTTP/1.1 200 OK|ETag: \"1\"", at: 40, .accept(start: 0, end: nil))],
    [first, Answer("HTTP/1.1 200 OK|Content-Length: 100|ETag: \"2\"", at: 40, .changed)],
    [first, Answer("HTTP/1.1 200 OK|Content-Length: 99|ETag: \"1\"", at: 40, .changed)],
    [first, Answer("HTTP/1.1 416 No|Content-Range: bytes */100", at: 100, .end)],
    [
      first, Answer("HTTP/1.1 416 No|Content-Range: bytes */90", at: 40, .again),
      Answer("HTTP/1.1 416 No|Content-Range: bytes */90", at: 40, .fault(.status(416))),
    ],
    [Answer("HTTP/1.1 416 No|Content-Range: bytes */0", at: 0, .end)],
    [first, Answer("HTTP/1.1 503 No", at: 40, .fault(.status(503)))],
    [Answer("HTTP/1.1 200 OK|Content-Length: 5", at: 0, .accept(start: 0, end: 5))],
    [Answer("HTTP/1.1 200 OK|Content-Length: -5", at: 0, .accept(start: 0, end: nil))],
    [Answer("HTTP/1.1 200 OK|Content-Length: 5|Content-Encoding: gzip", at: 0, .accept(start: 0, end: nil))],
    [Answer("HTTP/1.1 206 OK|Content-Range: bytes 0-49/100", at: 0, .again)],
    [Answer("HTTP/1.1 206 OK|icy-name: x", at: 0, .accept(start: 0, end: nil))],
    [Answer("nonsense", at: 0, .fault(.status(0)))],
    [
      Answer("ICY 200 OK", at: 0, .accept(start: 0, end: nil)),
      Answer("ICY 200 OK", at: 40, .accept(start: 0, end: nil)),
    ],
  ]

  @Test(arguments: courses) func answersAreJudged(_ course: [Answer]) {
    var plan = ResumePlan()
    for answer in course {
      var head = ResponseHead(statusLine: answer.lines[0])
      for line in answer.lines.dropFirst() { head.add(line: line) }
      let request = plan.request(from: answer.position)
      #expect(plan.judge(head, to: request, position: answer.position) == answer.verdict)
    }
  }

  private func plan(after lines: String) -> ResumePlan {
    var plan = ResumePlan()
    let answer = Answer(lines, at: 0, .end)
    var head = ResponseHead(statusLine: answer.lines[0])
    for line in answer.lines.dropFirst() { head.add(line: line) }
    _ = plan.judge(head, to: plan.request(from: 0), position: 0)
    return plan
  }

  @Test(arguments: [
    (
      "HTTP/1.1 206 OK|Content-Range: bytes 0-99/100|ETag: \"1\"|Last-Modified: d",
      ResumePlan.Request(start: 40, ifRange: "\"1\"")
    ),
    ("HTTP/1.1 206 OK|Content-Range: bytes 0-99/100|ETag: W/\"1\"|Last-Modified: d", .init(start: 40, ifRange: "d")),
    ("HTTP/1.1 206 OK|Content-Range: bytes 0-99/100|ETag: W/\"1\"", .init(start: 40)),
    (
      "HTTP/1.1 206 OK|Content-Range: bytes 0-99/100|Content-Length: 90", .init(start: 40, ignoresContentLength: true)
    ),
    ("HTTP/1.1 206 OK|Content-Range: bytes 1-99/100", .init()),
    ("HTTP/1.1 200 OK|Content-Length: 100", .init(start: 40)),
    ("HTTP/1.0 200 OK|icy-br: 128", .init()),
  ])
  func theNextRequest(_ lines: String, _ request: ResumePlan.Request) {
    #expect(plan(after: lines).request(from: 40) == request)
  }

  @Test func anOverlapBeginsEarlier() {
    let plan = plan(after: "HTTP/1.1 206 OK|Content-Range: bytes 0-99/100")
    #expect(plan.needsOverlap)
    #expect(plan.request(from: 40, overlap: 10).start == 30)
    #expect(plan.request(from: 40, overlap: 50).start == 0)
  }

  @Test func headsAreRead() {
    var head = ResponseHead(statusLine: "HTTP/1.1 200 OK")
    for line in [
      "CONTENT-TYPE:  Audio/AAC ; x=y ", "content-type: second/one", "icy-br: 128, 64", "Icy-MetaInt: 16000", "junk",
      ":",
      "Accept-Ranges: Bytes", "icy-name:",
    ] { head.add(line: line) }
    #expect(head.status == 200)
    #expect(head.contentType == "audio/aac")
    #expect(head.bitRate == 128_000)
    #expect(head.metadataInterval == 16_000)
    #expect(head.acceptsRanges)
    #expect(head["icy-name"] == "")
  }
}
