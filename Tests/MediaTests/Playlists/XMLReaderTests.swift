import AudioModel
import Playlists
import Testing

@Suite struct XMLReaderTests {
  /// Events as one text: `<a b=c>`, `</a>`, and characters in quotes, pieces joined.
  private func events(_ text: String, lowercases: Bool = false, void: Set<String> = []) throws -> String {
    var reader = XMLReader(text, lowercasesNames: lowercases, voidElements: void)
    var result = ""
    var characters = ""
    while let event = try reader.next() {
      if case .text(let more) = event {
        characters += more
        continue
      }
      if !characters.isEmpty { result += "'\(characters)'" }
      characters = ""
      switch event {
      case .start(let element):
        result += "<\(element.name)\(element.attributes.map { " \($0.name)=\($0.value)" }.joined())>"
      case .end(let name): result += "</\(name)>"
      case .text: break
      }
    }
    return result + (characters.isEmpty ? "" : "'\(characters)'")
  }

  @Test(arguments: [
    ("<a><b c='1' d = \"2\"/>t</a>", "<a><b c=1 d=2></b>'t'</a>"),
    ("<?xml version='1.0'?><!DOCTYPE a [<!ELEMENT b \">]>\"> <!ENTITY c 'd'>]><a>&c;</a>", "<a>'&c;'</a>"),
    ("<a>x<!-- <b> -- -->y<![CDATA[<&amp;]]>]]>z</a>", "<a>'xy<&amp;]]>z'</a>"),
    ("<a>&lt;&gt;&amp;&quot;&apos;&#65;&#x1F3B5;&#X41;</a>", "<a>'<>&\"'A\u{1F3B5}A'</a>"),
    (
      "<a>&amp;lt; & &; &nbsp; &#0; &#xD800; &#x110000; &#99999999999; &#-1;</a>",
      "<a>'&lt; & &; &nbsp; &#0; &#xD800; &#x110000; &#99999999999; &#-1;'</a>"
    ),
    ("<a>1 < 2 <3 <</a>", "<a>'1 < 2 <3 <'</a>"), ("<a><b>x</a>y", "<a><b>'x'</b></a>'y'"),
    ("<a></b>x</c></a></a>", "<a>'x'</a>"), ("<a><b>", "<a><b></b></a>"),
    ("<a b c=d/e f=\"g", "<a b= c=d/e f=g></a>"),
    ("<a<b>x</b>", "<a><b>'x'</b></a>"), ("<a/b/>x", "<a b=></a>'x'"), ("<ä:ö>x</ä:ö>", "<ä:ö>'x'</ä:ö>"),
    ("<a b='<>&amp;' b='2'>", "<a b=<>& b=2></a>"), ("", ""), ("<", "'<'"), ("<a", "<a></a>"), ("</", ""),
    ("<!--", ""), ("<?", ""), ("<![CDATA[x]]", "'x]]'"), ("<!DOCTYPE a [", ""), ("<a b=", "<a b=></a>"),
    ("<A></a>", "<A></A>"),
  ])
  func whateverItIsTheEventsNest(text: String, expected: String) throws {
    #expect(try events(text) == expected)
  }

  @Test func lowerCaseAndVoidElements() throws {
    #expect(
      try events("<A><Ref HREF=X><REF/></ref>t</a>", lowercases: true, void: ["ref"])
        == "<a><ref href=X></ref><ref></ref>'t'</a>")
  }

  @Test func limits() throws {
    let deep = String(repeating: "<a>", count: XMLReader.depthLimit)
    #expect(try events(deep).hasSuffix("</a>"))
    #expect(throws: AudioError(.limitReached, "Elements of the document lie more than 64 deep")) {
      try events(deep + "<a>")
    }
    let attributes = (0..<1000).map { " a\($0)=1" }.joined()
    var reader = XMLReader("<a\(attributes)>")
    guard case .start(let element) = try reader.next() else {
      Issue.record("no element")
      return
    }
    #expect(element.attributes.count == XMLReader.attributeLimit)
    let name = String(repeating: "n", count: 100_000)
    #expect(try events("<\(name)/>").utf8.count == 2 * XMLReader.nameLimit + 5)
  }

  @Test func whatNeverEndsTakesNoLongerThanItIs() throws {
    // Each would take hours if every piece looked through all that follows.
    for piece in ["<a b=\"", "<!--", "<![CDATA[", "<?", "<", "&", "</a", "<a b='&'>"] {
      let text = String(repeating: piece, count: 200_000)
      var reader = XMLReader(text, voidElements: ["a"])
      var count = 0
      while try reader.next() != nil { count += 1 }
      #expect(count <= 3 * 200_000)
    }
  }
}
