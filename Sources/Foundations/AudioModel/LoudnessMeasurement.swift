/// How loud a programme is as a whole, and how far it reaches: what is needed to play it as loud as others.
public struct LoudnessMeasurement: Hashable, Sendable {
  /// Integrated loudness after EBU R 128, in LUFS; `nil` where nothing was louder than −70 LUFS.
  public var integrated: Double?
  /// Loudness range after EBU Tech 3342, in LU; `nil` where it is too short to tell.
  public var range: Double?
  /// The greatest true peak of any channel, in decibels of full scale (dBTP).
  public var truePeak: Decibels

  /// Makes a measurement.
  public init(integrated: Double?, range: Double? = nil, truePeak: Decibels) {
    self.integrated = integrated
    self.range = range
    self.truePeak = truePeak
  }

  /// The gain that brings the programme to a loudness.
  /// - Parameters:
  ///   - target: Loudness wanted, in LUFS. EBU R 128 asks for −23 in broadcasting; players use −18…−14.
  ///   - ceiling: Where the loudest true peak may come to; `nil` where a limiter follows. Default: −1 dBTP.
  /// - Returns: 0 dB for a programme without loudness.
  public func gain(to target: Double, ceiling: Decibels? = Decibels(-1)) -> Decibels {
    guard let integrated, integrated.isFinite, target.isFinite else { return .unity }
    let wanted = target - integrated
    guard let ceiling, truePeak.value.isFinite else { return Decibels(wanted) }
    return Decibels(min(wanted, ceiling.value - truePeak.value))
  }
}
