import AudioModel
import Testing

@Suite struct URLReferenceTests {
  /// RFC 3986 §5.4.1 and §5.4.2, strict.
  @Test(arguments: [
    ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"),
    ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
    ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"),
    ("g;x", "http://a/b/c/g;x"),
    ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
    ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
    ("../../", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
    ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
    ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
    ("./g/.", "http://a/b/c/g/"),
    ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
    ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
  ])
  func theExamplesOfTheRFC(reference: String, expected: String) {
    let base = URLReference("http://a/b/c/d;p?q")
    #expect(URLReference(reference).resolved(against: base).description == expected)
  }

  @Test(arguments: [
    ("http://a", "b", "http://a/b"), ("http://a?q", "b", "http://a/b"), ("HTTP://A/b", "c", "http://A/c"),
    ("http://a/b", "http:/.//c", "http:/.//c"),
    ("http://a/b/", "c d\u{301}?\u{301}", "http://a/b/c d\u{301}?\u{301}"),
  ])
  func others(base: String, reference: String, expected: String) {
    #expect(URLReference(reference).resolved(against: URLReference(base)).description == expected)
  }

  @Test func isTakenApart() {
    let url = URLReference("HTTPS://user@host:80/a/b?c=/?d#e#f?")
    #expect(url.scheme == "https" && url.authority == "user@host:80" && url.path == "/a/b")
    #expect(url.query == "c=/?d" && url.fragment == "e#f?")
    let path = URLReference("a/b:c")
    #expect(path.scheme == nil && path.authority == nil && path.path == "a/b:c")
    #expect(URLReference("1a:b").scheme == nil && URLReference(":b").scheme == nil && URLReference("").path.isEmpty)
  }

  @Test func filePaths() throws {
    #expect(try URLReference("file:///a%20b/%C3%A4#x").filePath() == "/a b/ä")
    #expect(try URLReference("file://LOCALHOST/a").filePath() == "/a")
    for text in ["file://other/a", "file:a", "file:///%00", "file:///%FF", "file:///%4", "file://"] {
      #expect(throws: AudioError.self) { try URLReference(text).filePath() }
    }
  }
}
