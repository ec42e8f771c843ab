internal import AudioModel
public import CoreAudioTypes
internal import Platform
internal import RenderGraph

/// How a time-pitch unit stretches time.
public struct AVAudioTimePitchAlgorithm: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// For voices, whose periods are left out or repeated: quick to answer, reads 40 ms ahead at rates about 1.
  public static let timeDomain = AVAudioTimePitchAlgorithm(rawValue: "TimeDomain")
  /// For music, whose spectrum is stretched and whose attacks are kept: reads 100 ms ahead at rates about
  /// 1.
  public static let spectral = AVAudioTimePitchAlgorithm(rawValue: "Spectral")
  /// As a tape would: the pitch goes with the rate, over the full range of rates; ``AVAudioUnitTimePitch/pitch`` does not
  /// count.
  public static let varispeed = AVAudioTimePitchAlgorithm(rawValue: "Varispeed")
  /// ``timeDomain`` for what sounds like speech and ``spectral`` for everything else, decided again and again. An addition.
  public static let automatic = AVAudioTimePitchAlgorithm(rawValue: "Automatic")
}

/// Changes the rate of sound without its pitch, the pitch without the rate, or both.
///
/// Everything may be changed from any thread while sound plays: the rate holds from the next block that is not made yet
/// (some milliseconds), the pitch moves over 10 ms. At rate 1 and pitch 0 frames pass bit for bit.
open class AVAudioUnitTimePitch: AVAudioUnitTimeEffect, @unchecked Sendable {
  /// Makes a unit at rate 1 and pitch 0.
  public override init() { super.init() }

  public override init(audioComponentDescription: AudioComponentDescription) {
    super.init(audioComponentDescription: audioComponentDescription)
  }

  /// Seconds of input for each second that comes out. Range: 1/32…32; what lies outside becomes the nearer end. Default: 1.
  public var rate: Float {
    get { Float(time.settings.rate) }
    set { time.settings.rate = Double(newValue) }
  }

  /// Cents by which sound is higher; 1200 are an octave. Range: −2400…2400; what lies outside becomes the nearer end.
  /// Default: 0.
  public var pitch: Float {
    get { Float(time.settings.pitch) }
    set { time.settings.pitch = Double(newValue) }
  }

  /// How many windows overlap, of source and result together: more are smoother and cost more. Only ``timePitchAlgorithm``
  /// `.spectral` has windows. Range: 3…32; what lies outside becomes the nearer end. Default: 8.
  public var overlap: Float {
    get { overlapWanted }
    set {
      overlapWanted = newValue.isNaN ? 8 : min(32, max(3, newValue))
      time.windows = Int((overlapWanted / 2).rounded())
    }
  }

  private var overlapWanted: Float {
    get { wanted.withLock { $0 } }
    set { wanted.withLock { $0 = newValue } }
  }
  private let wanted = Monitor<Float>(8)

  /// How time is stretched. An addition. Default: ``AVAudioTimePitchAlgorithm/automatic``; what is not known counts as that.
  public var timePitchAlgorithm: AVAudioTimePitchAlgorithm {
    get {
      switch time.settings.algorithm {
      case .automatic: .automatic
      case .speech: .timeDomain
      case .music: .spectral
      case .varispeed: .varispeed
      }
    }
    set {
      switch newValue {
      case .timeDomain: time.settings.algorithm = .speech
      case .spectral: time.settings.algorithm = .music
      case .varispeed: time.settings.algorithm = .varispeed
      default: time.settings.algorithm = .automatic
      }
    }
  }
}

/// Changes rate and pitch together, as a tape or a record would.
open class AVAudioUnitVarispeed: AVAudioUnitTimeEffect, @unchecked Sendable {
  /// Makes a unit at rate 1.
  public override init() {
    super.init()
    time.settings.algorithm = .varispeed
  }

  public override init(audioComponentDescription: AudioComponentDescription) {
    super.init(audioComponentDescription: audioComponentDescription)
    time.settings.algorithm = .varispeed
  }

  /// Seconds of input for each second that comes out. Range: 0.25…4; what lies outside becomes the nearer end. Default: 1.
  public var rate: Float {
    get { Float(time.settings.rate) }
    set { time.settings.rate = newValue.isNaN ? 1 : Double(min(4, max(0.25, newValue))) }
  }
}
