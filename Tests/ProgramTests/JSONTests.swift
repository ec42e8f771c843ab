import AudioModel
import ByteSource
import Commands
import Martlet
import Remote
import Testing

@Suite struct JSONTests {
  @Test(
    arguments: [
      (.null, "null"), (true, "true"), (-5, "-5"), (1.5, "1.5"), (.number(2), "2"), (.number(-0.0), "0"),
      (.number(1e300), "1e+300"), (.number(.nan), "null"), (.number(-.infinity), "null"), (.number(1e-7), "1e-07"),
      ("a\"b\\c\n\r\t\u{0}\u{1B}\u{7F}\u{9B}\u{2028}é日😀", #""a\"b\\c\n\r\t\u0000\u001b\u007f\u009b\u2028é日😀""#),
      ([1, "x", nil], #"[1,"x",null]"#), (["a": 1, "b": []], #"{"a":1,"b":[]}"#), ([:], "{}"),
    ] as [(JSONValue, String)])
  func writes(value: JSONValue, text: String) { #expect(value.text == text) }

  @Test(arguments: ["", "plain", "a\"b\\c\n\r\t\u{0}\u{1B}\u{7F}", "日本 😀 \u{2028}"])
  func readsItsOwnStrings(text: String) { #expect(JSONValue.readString(JSONValue.string(text).text) == text) }

  @Test(arguments: [
    "", "\"", "x", "\"a", "\"a\"b", "\"\n\"", #""\x""#, #""\u12""#, #""\u12G4""#, #""\ud800""#, #""\"#, "\"\u{1}\"",
  ])
  func refusesBrokenStrings(text: String) { #expect(JSONValue.readString(text) == nil) }

  // MARK: Events

  private func line(_ kind: PlayerEvent.Kind) -> String? {
    EventJSON.object(kind, time: 1.2345678, queue: [])?.text
  }

  @Test func eventsHaveTheContractsFields() {
    #expect(
      line(.state(.playing, previous: .opening))
        == #"{"event":"state","t":1.234568,"state":"playing","previous":"opening"}"#)
    #expect(
      line(.duration(id: 1, MediaDuration(frames: 48_000, isExact: true), .studio))
        == #"{"event":"duration","t":1.234568,"id":1,"seconds":1,"frames":48000,"exact":true,"errorSeconds":0}"#)
    #expect(
      line(.duration(id: 1, nil, .studio))
        == #"{"event":"duration","t":1.234568,"id":1,"seconds":null,"frames":null,"exact":null,"errorSeconds":null}"#)
    #expect(
      line(.error(AudioError(.notFound, "gone"), input: "x", action: .stop))
        == #"{"event":"error","t":1.234568,"code":2001,"message":"gone","input":"x","action":"stop"}"#)
    let begun = PlayerEvent.ItemStarted(id: 3, index: 1, input: "a", title: "A", isGapless: false, gapReason: "rate")
    #expect(
      line(.itemStarted(begun))
        == #"{"event":"itemStarted","t":1.234568,"id":3,"index":1,"input":"a","title":"A","gapless":false,"why":"rate"}"#
    )
    #expect(
      line(.itemFinished(.init(id: 3, index: 1, reason: .ended, framesPlayed: 9, position: 2)))
        == #"{"event":"itemFinished","t":1.234568,"id":3,"index":1,"reason":"ended","framesPlayed":9,"framesSkipped":0,"#
        + #""position":2,"duration":null}"#)
    #expect(
      line(.seeked(.init(from: 1, requested: 9, position: 8.5, elapsed: 0.25)))
        == #"{"event":"seeked","t":1.234568,"from":1,"requested":9,"position":8.5,"ms":250}"#)
    #expect(
      line(.position(.init(position: 1, duration: 4)))
        == #"{"event":"position","t":1.234568,"position":1,"duration":4,"bufferedAhead":0,"level":[]}"#)
    #expect(
      line(.network(id: 3, .retrying(attempt: 2, delay: 4, status: 503, offset: 10)))
        == #"{"event":"network","t":1.234568,"what":"retrying","attempt":2,"delay":4,"status":503,"offset":10,"id":3}"#
    )
    #expect(
      line(.changed(.volume(.silence))) == #"{"event":"changed","t":1.234568,"volume":-120}"#)
    #expect(
      line(.metadata(id: 1, title: "T", tags: [Tag("artist", "A"), Tag("artist", "B")]))
        == #"{"event":"metadata","t":1.234568,"id":1,"title":"T","tags":{"artist":"A"}}"#)
  }

  @Test func radioTitlesAreNoNetworkEvents() {
    #expect(line(.network(id: 1, .metadata(StreamMetadata(title: "x", url: nil, raw: []), offset: 0))) == nil)
  }

  @Test func repliesAreUnderstood() throws {
    #expect(throws: Never.self) { try Reply.outcome(of: Reply.ok.adding(["a": 1]).text).get() }
    let failure = Reply.failure(AudioError(.notSeekable, "a \"live\" stream"))
    #expect(failure.text == #"{"ok":false,"code":2019,"message":"a \"live\" stream"}"#)
    let error = #expect(throws: AudioError.self) { try Reply.outcome(of: failure.text).get() }
    #expect(error?.code == .notSeekable)
    #expect(error?.message == "a \"live\" stream")
    #expect(throws: AudioError.self) { try Reply.outcome(of: "HTTP/1.1 200 OK").get() }
  }
}
