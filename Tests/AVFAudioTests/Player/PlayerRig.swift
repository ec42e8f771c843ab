import AVFAudio
import AudioModel
import MartletTestSupport
import Platform
import Testing

/// A simple player in an engine that renders when the test says so.
final class PlayerRig {
  static let rate = 48_000
  let engine: AVAudioEngine
  let hub: PlaybackHub
  let folder = ToolBox.temporaryFolder()
  private let output: AVAudioPCMBuffer
  /// Everything that was rendered, of the first channel.
  private(set) var heard: [Float] = []

  /// Renders by hand.
  convenience init() throws {
    try self.init(AVAudioEngine())
    try engine.enableManualRenderingMode(.offline, format: output.format, maximumFrameCount: 4096)
  }

  /// Renders on an engine's device.
  init(_ engine: AVAudioEngine) throws {
    self.engine = engine
    let format = try #require(AVAudioFormat(standardFormatWithSampleRate: Double(Self.rate), channels: 1))
    output = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 4096))
    hub = PlaybackHub(engine)
  }

  deinit { ToolBox.remove(folder) }

  /// A mono WAV file of floats.
  func bytes(_ samples: [Float]) -> [UInt8] {
    let format = PCMFormat(sampleRate: .studio, layout: .mono)
    return WAVHeader(format: format, sample: .f32).bytes(frames: Int64(samples.count))
      + samples.withUnsafeBytes { Array($0) }
  }

  func player(_ samples: [Float]) throws -> AVAudioPlayer {
    let path = "\(folder)/sound.wav"
    ToolBox.write(bytes(samples), to: path)
    return try AVAudioPlayer(contentsOf: URL(filePath: path), hub: hub)
  }

  /// Renders, waiting before each block for the players' reading threads. Where the engine rests there is silence.
  func render(_ frames: Int, _ players: AVAudioPlayer...) throws {
    var left = frames
    while left > 0 {
      for player in players { #expect(ToolBox.waits { player.isFed }) }
      let count = min(left, 1000)
      left -= count
      // It may begin to rest at any moment, when the last player has come to its end.
      guard (try? engine.renderOffline(AVAudioFrameCount(count), to: output)) == .success else {
        #expect(!engine.isRunning)
        heard += Array(repeating: 0, count: count)
        continue
      }
      let plane = try #require(output.floatChannelData)
      heard += UnsafeBufferPointer(start: plane[0], count: Int(output.frameLength))
    }
  }

  /// What differs between what was heard, from a frame on, and what should have been; `nil` where nothing does.
  func difference(_ expected: [Float], from start: Int = 0) -> String? {
    MartletTestSupport.difference(Array(heard.dropFirst(start).prefix(expected.count)), expected)
  }
}

/// Notes what a player tells.
final class PlayerListener: NSObject, AVAudioPlayerDelegate, Sendable {
  let ends = Monitor<[Bool]>([])

  func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
    let isMain = MainQueue.isCurrent
    ends.signal { $0.append(flag && isMain) }
  }

  /// Waits for the end with this number, from 1.
  func waitForEnd(_ number: Int = 1) -> Bool {
    let patience = MonotonicTime.now.advanced(bySeconds: 10)
    return ends.wait(until: patience) { $0.count >= number ? true : nil } ?? false
  }
}

/// Tells the main queue from others: in tests it has no thread of its own.
enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
