import PlaybackLogic
import Testing

@Suite struct TimelineTests {
  private func mark(_ output: Int64, _ stream: Int64, _ isRunning: Bool, generation: Int = 1) -> Timeline.Mark {
    Timeline.Mark(outputFrame: output, generation: generation, streamFrame: stream, isRunning: isRunning)
  }

  @Test func streamFramesFollowOutputFramesOneToOneWhileItRuns() {
    var timeline = Timeline()
    timeline.append(mark(0, 0, false))
    timeline.append(mark(100, 7, true))
    timeline.append(mark(300, 207, false))
    timeline.append(mark(350, 207, true))
    #expect(
      timeline.stretches(in: 50..<360) == [
        .init(generation: 1, frames: 7..<207, outputFrame: 100),
        .init(generation: 1, frames: 207..<217, outputFrame: 350),
      ])
    #expect(timeline.stretches(in: 120..<130) == [.init(generation: 1, frames: 27..<37, outputFrame: 120)])
    #expect(timeline.stretches(in: 300..<350).isEmpty)
  }

  @Test func aRewindTakesBackWhatWillNotBeHeard() {
    var timeline = Timeline()
    timeline.append(mark(0, 0, true))
    timeline.append(mark(500, 500, false))
    timeline.rewind(to: 400)
    timeline.append(mark(400, 400, true))
    timeline.append(mark(420, 420, false))
    #expect(timeline.stretches(in: 0..<1000).map(\.frames) == [0..<400, 400..<420])
    #expect(timeline.silence(after: 0) == 420)
  }

  @Test func silenceIsKnownOnlyWhenNothingRunsBehindIt() {
    var timeline = Timeline()
    timeline.append(mark(0, 0, true))
    #expect(timeline.silence(after: 10) == nil)
    timeline.append(mark(64, 64, false))
    #expect(timeline.silence(after: 10) == 64)
    #expect(timeline.silence(after: 90) == 90)
  }

  @Test func forgettingKeepsWhatHoldsNow() {
    var timeline = Timeline()
    for step in 0..<10 { timeline.append(mark(Int64(step) * 10, Int64(step) * 10, true, generation: step)) }
    timeline.forget(before: 55)
    #expect(timeline.mark(at: 55)?.generation == 5)
    #expect(timeline.mark(at: 49) == nil)
  }

  @Test func twoMarksAtOneFrameAreTheLaterOne() {
    var timeline = Timeline()
    timeline.append(mark(10, 0, false))
    timeline.append(mark(10, 0, true))
    #expect(timeline.stretches(in: 0..<20) == [.init(generation: 1, frames: 0..<10, outputFrame: 10)])
  }
}
