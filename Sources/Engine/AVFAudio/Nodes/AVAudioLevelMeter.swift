internal import AudioModel
internal import Platform

/// Measures the sound at a node's output: peak and RMS level, true peak, and loudness after EBU R 128.
///
/// Differs: an addition of Martlet's; Apple has no such class. Where it stands says what it measures: at the output of an
/// effect it hears what the effect made, at the output of what leads to the effect, what came in. Any number of meters, and
/// a tap beside them, may listen at the same output.
///
/// ```swift
/// let meter = AVAudioLevelMeter(measuring: [.truePeak, .loudness])
/// meter.install(on: engine.mainMixerNode)
/// …
/// meter.updateMeters()
/// let filled = meter.vuLevel(forChannel: 0)
/// ```
///
/// The thread that renders copies the sound for it, and nothing else; a meter that is not installed, or that nobody holds
/// any more, costs nothing. What is rendered is measured in steps of 10 ms, soon afterwards. Any thread.
public final class AVAudioLevelMeter: @unchecked Sendable {
  /// What a meter measures besides peak and RMS level.
  public struct Measures: OptionSet, Hashable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// How far the sound reaches between its samples.
    public static let truePeak = Measures(rawValue: 1)
    /// Loudness after EBU R 128: momentary, short-term, integrated, and its range.
    public static let loudness = Measures(rawValue: 2)
  }

  /// What is measured besides peak and RMS level.
  public let measures: Measures

  private struct Place {
    weak var node: AVAudioNode?
  }

  private let gauge: LevelGauge
  private let place = Monitor(Place())

  /// Makes a meter.
  /// - Parameter measures: What to measure besides peak and RMS level. Default: nothing.
  public init(measuring measures: Measures = []) {
    self.measures = measures
    gauge = LevelGauge(
      channels: 1, measuresTruePeak: measures.contains(.truePeak), measuresLoudness: measures.contains(.loudness))
  }

  deinit { remove() }

  /// Listens at an output, and no longer where it listened before. All values begin anew.
  ///
  /// Where the output changes its format, they do so, too.
  /// - Parameters:
  ///   - node: The node.
  ///   - bus: Its output. Default: the first.
  public func install(on node: AVAudioNode, bus: AVAudioNodeBus = 0) {
    remove()
    place.withLock { $0.node = node }
    node.taps.install(gauge, bus: bus, format: node.tapFormat(bus))
    node.owner?.graphChanged()
  }

  /// Listens no longer. The values stay. Nothing happens where it does not listen.
  public func remove() {
    let node = place.withLock { place in
      defer { place.node = nil }
      return place.node
    }
    if let node, node.taps.remove(gauge) { node.owner?.graphChanged() }
  }

  /// The node that it listens to.
  public var node: AVAudioNode? { place.withLock { $0.node } }

  /// Number of channels that are measured; 1 before the first installation.
  public var numberOfChannels: Int { gauge.channels }

  // MARK: Levels

  /// Makes ``peakPower(forChannel:)``, ``averagePower(forChannel:)``, ``truePeak(forChannel:)`` and
  /// ``vuLevel(forChannel:minimum:)`` tell of the sound since the last call; where there was none, of what they told
  /// before.
  public func updateMeters() { gauge.update() }

  /// The greatest magnitude of a sample, in decibels of full scale, −160…
  ///
  /// - Parameter channel: Counted from 0; one that there is not is silent.
  public func peakPower(forChannel channel: Int) -> Float { gauge.peak(channel) }

  /// The root of the mean square, in decibels of full scale, −160…: −3.01 dB for a sine of full scale.
  ///
  /// - Parameter channel: Counted from 0; one that there is not is silent.
  public func averagePower(forChannel channel: Int) -> Float { gauge.average(channel) }

  /// The greatest magnitude between samples, too, in decibels of full scale (dBTP), −160…; −160 where ``measures`` lacks
  /// it. A meter after ITU-R BS.1770-4, Annex 2, with eightfold oversampling.
  ///
  /// - Parameter channel: Counted from 0; one that there is not is silent.
  public func truePeak(forChannel channel: Int) -> Float { gauge.shown(channel).truePeak }

  /// The greatest true peak of any channel that ``updateMeters()`` came by since the meter was installed, in dBTP.
  public var maximumTruePeak: Float { gauge.highestTruePeak }

  /// How far a meter on the screen is filled, 0…1: the RMS level, in equal steps of decibels.
  ///
  /// - Parameters:
  ///   - channel: Counted from 0; one that there is not is silent.
  ///   - minimum: The level at which it is empty, below 0 dB; it is full at 0 dB. Default: −80 dB.
  public func vuLevel(forChannel channel: Int, minimum: Float = -80) -> Float {
    let scale = VUScale(minimum: Decibels(Double(minimum)))
    return Float(scale.position(Decibels(Double(gauge.average(channel)))))
  }

  // MARK: Loudness

  /// Loudness of the last 400 ms, in LUFS; `nil` where it is silent (below −70 LUFS) or ``measures`` lacks it.
  public var momentaryLoudness: Double? { gauge.loudness.momentary }

  /// Loudness of the last three seconds, in LUFS; `nil` as for ``momentaryLoudness``.
  public var shortTermLoudness: Double? { gauge.loudness.shortTerm }

  /// Loudness since the meter was installed, without what is silent, in LUFS; `nil` as for ``momentaryLoudness``.
  public var integratedLoudness: Double? { gauge.loudness.integrated }

  /// Loudness range since the meter was installed (EBU Tech 3342), in LU; `nil` as for ``momentaryLoudness``, and before
  /// three seconds were heard.
  public var loudnessRange: Double? { gauge.loudness.range }
}
