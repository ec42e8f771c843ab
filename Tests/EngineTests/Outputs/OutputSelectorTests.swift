import AudioModel
import AudioOutput
import MartletTestSupport
import Testing

@Suite struct OutputSelectorTests {
  let request = OutputRequest(format: PCMFormat(sampleRate: .cd, layout: .stereo))
  let source = CountingSource(channels: 2)
  let selector = OutputSelector([
    OutputRegistration(name: "broken", summary: "", isAutomatic: true) { _ throws(AudioError) in
      MisbehavingOutput([.refusesFormat])
    },
    OutputRegistration(name: "good", summary: "", isAutomatic: true) { _ throws(AudioError) in ManualOutput() },
    .null, .wav, .stdout,
  ])

  @Test(arguments: [
    ("auto", "good", nil), ("broken,null", "null", nil), ("good:loud:1,null", "good", "loud:1"),
    ("null", "null", nil),
  ])
  func opensTheFirstThatWorks(list: String, name: String, target: String?) throws {
    let selection = try selector.open(list, request, source: source) { _ in }
    #expect(selection.name == name)
    #expect(selection.target == target)
    #expect(selection.format == request.format)
    selection.device.close()
  }

  @Test(arguments: ["", "nul", "null,", "null,oss", "wav", "wav:", "null:x", "stdout:1", "null,wav", "AUTO", ":"])
  func refusesWhatItDoesNotKnowBeforeTryingAnything(list: String) {
    let error = #expect(throws: AudioError.self) { try selector.open(list, request, source: source) { _ in } }
    #expect(error?.code == .usage)
    #expect(throws: AudioError.self) { try selector.validate(list) }
  }

  @Test func saysWhatWasTriedAndWhy() {
    let error = #expect(throws: AudioError.self) {
      try selector.open("broken,broken:2", request, source: source) { _ in }
    }
    #expect(error?.code == .noOutput)
    #expect(
      error?.message
        == "No output works; tried: broken (The device can't play 44100 Hz, stereo), "
        + "broken:2 (The device can't play 44100 Hz, stereo)")
    let single = #expect(throws: AudioError.self) { try selector.open("broken", request, source: source) { _ in } }
    #expect(single?.code == .outputFormat)
  }
}
