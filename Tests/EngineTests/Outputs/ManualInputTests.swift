import AudioModel
import AudioOutput
import MartletTestSupport
import Realtime
import Testing

@Suite struct ManualInputTests {
  let format = PCMFormat(sampleRate: .studio, layout: .stereo)

  @Test func keepsTheContract() throws {
    let input = ManualInput()
    let contract = InputContract(
      InputRequest(format: format, maximumFrames: 100), make: { input },
      pump: { input.push(Array(repeating: 0.25, count: 2 * 333)) })
    #expect(try contract.violations() == [])
  }

  @Test func tellsWhenAFrameWasHeard() throws {
    let input = ManualInput(latency: 480)
    let recorder = CaptureRecorder(channels: 2)
    _ = try input.open(InputRequest(format: format, maximumFrames: 240), sink: recorder) { recorder.note($0) }
    input.push(Array(repeating: 1, count: 2 * 960))
    try input.start()
    input.push((0..<2 * 480).map(Float.init))
    input.close()
    #expect(recorder.now.samples == (0..<2 * 480).map(Float.init))
    #expect(
      recorder.now.times == [
        CaptureTime(frame: 0, hostNanoseconds: 10_000_000), CaptureTime(frame: 240, hostNanoseconds: 15_000_000),
      ])
  }

  @Test func isChosenFromAList() throws {
    let input = ManualInput()
    let selector = InputSelector([
      InputRegistration(name: "deaf", summary: "", isAutomatic: true) { _ throws(AudioError) in
        throw AudioError(.noOutput, "deaf")
      },
      InputRegistration(name: "manual", summary: "") { _ throws(AudioError) in input },
    ])
    let recorder = CaptureRecorder(channels: 2)
    let unknown = #expect(throws: AudioError.self) { try selector.validate("manual,ear") }
    #expect(unknown?.message == "There is no input named “ear”; known are auto, deaf, manual")
    let chosen = try selector.open("manual:x", InputRequest(format: format), sink: recorder) { recorder.note($0) }
    #expect(chosen.device === input && chosen.name == "manual" && chosen.target == "x" && chosen.format == format)
    input.deliver(.interrupted(true))
    #expect(recorder.now.events == [.interrupted(true)])
  }
}
