import AudioModel
import PlaybackLogic
import Testing

@Suite struct LedgerTests {
  private func segment(
    _ item: Int, generation: Int = 1, start: Int64, media: Int64 = 0, rate: SampleRate = .studio, opens: Bool = true
  ) -> Ledger.Segment {
    Ledger.Segment(
      item: item, generation: generation, start: start, mediaStart: media, mediaRate: rate, streamRate: .studio,
      opensItem: opens)
  }

  private func stretch(_ frames: Range<Int64>, at output: Int64, generation: Int = 1) -> Timeline.Stretch {
    Timeline.Stretch(generation: generation, frames: frames, outputFrame: output)
  }

  private func names(_ happenings: [Ledger.Happening]) -> [String] {
    happenings.map {
      switch $0 {
      case .started(let segment, let frame): "started \(segment.item) at \(frame)"
      case .arrived(let segment, let frame): "arrived \(segment.item) at \(frame)"
      case .completed(let segment, let frame): "completed \(segment.item) at \(frame)"
      }
    }
  }

  @Test func aJoinEndsOneItemAndStartsTheNextAtTheSameFrame() {
    var ledger = Ledger()
    ledger.open(segment(1, start: 0))
    _ = ledger.close(item: 1, generation: 1, end: 1000, mediaEnd: 1000)
    ledger.open(segment(2, start: 1000))
    let happened = ledger.advance(stretch(0..<400, at: 50))
    #expect(names(happened) == ["started 1 at 50"])
    let joined = ledger.advance(stretch(400..<1200, at: 450))
    #expect(names(joined) == ["completed 1 at 1050", "started 2 at 1050"])
    #expect(ledger.framesHeard(of: 1) == 1000)
    #expect(ledger.framesHeard(of: 2) == 200)
    #expect(ledger.place == .init(item: 2, mediaFrame: 200))
  }

  @Test func framesOfAnotherRateAreCountedAtTheItemsOwn() {
    var ledger = Ledger()
    ledger.open(segment(1, start: 0, rate: .cd))
    _ = ledger.close(item: 1, generation: 1, end: 480_001, mediaEnd: 441_001)
    // Whatever the pieces, the sum is the item's own number of frames.
    var at: Int64 = 0
    for size: Int64 in [1, 7, 1023, 4096] + Array(repeating: 997, count: 477) where at < 480_001 {
      let upper = min(480_001, at + size)
      _ = ledger.advance(stretch(at..<upper, at: at))
      at = upper
    }
    #expect(at == 480_001 - max(0, 480_001 - at))
    _ = ledger.advance(stretch(at..<480_001, at: at))
    #expect(ledger.framesHeard(of: 1) == 441_001)
  }

  @Test func aSeekArrivesButDoesNotStartTheItemAgain() {
    var ledger = Ledger()
    ledger.open(segment(1, start: 0))
    _ = ledger.advance(stretch(0..<100, at: 0))
    ledger.open(segment(1, generation: 2, start: 0, media: 5000, opens: false))
    let happened = ledger.advance(stretch(0..<10, at: 300, generation: 2))
    #expect(names(happened) == ["arrived 1 at 300"])
    #expect(ledger.place == .init(item: 1, mediaFrame: 5010))
    #expect(ledger.framesHeard(of: 1) == 110)
  }

  @Test func anItemWithoutFramesStartsAndEndsBetweenItsNeighbours() {
    var ledger = Ledger()
    ledger.open(segment(1, start: 0))
    _ = ledger.close(item: 1, generation: 1, end: 10, mediaEnd: 10)
    ledger.open(segment(2, start: 10))
    _ = ledger.close(item: 2, generation: 1, end: 10, mediaEnd: 0)
    ledger.open(segment(3, start: 10))
    let happened = ledger.advance(stretch(0..<20, at: 0))
    #expect(
      names(happened) == [
        "started 1 at 0", "completed 1 at 10", "started 2 at 10", "completed 2 at 10", "started 3 at 10",
      ])
  }

  @Test func anEndThatWasHeardBeforeItWasKnownIsTold() {
    var ledger = Ledger()
    ledger.open(segment(1, start: 0, rate: .cd))
    _ = ledger.advance(stretch(0..<480, at: 0))
    let isHeard = ledger.close(item: 1, generation: 1, end: 480, mediaEnd: 442)
    #expect(isHeard)
    #expect(ledger.framesHeard(of: 1) == 442)
    ledger.open(segment(2, start: 480))
    let isAhead = ledger.close(item: 2, generation: 1, end: 500, mediaEnd: 20)
    #expect(!isAhead)
  }

  @Test func itemsAndOldBuffersAreForgotten() {
    var ledger = Ledger()
    ledger.open(segment(1, start: 0))
    #expect(ledger.knows(1) && ledger.covers(0, of: 1) && !ledger.covers(0, of: 2))
    ledger.forget(generationsBefore: 2)
    #expect(!ledger.covers(0, of: 1) && !ledger.knows(1))
  }
}
