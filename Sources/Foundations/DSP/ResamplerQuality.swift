/// How steep a ``Resampler``'s filter is, and how much it lets through of what it should not.
///
/// The pass band is flat within 0.001 dB (0.05 dB at ``min``); from the lower rate's Nyquist frequency on, what is left
/// of images and aliases lies ``attenuation`` below the signal. Each level costs up to twice as much time as the one
/// below it.
package enum ResamplerQuality: Sendable, CaseIterable {
  /// For speech, and where time is short.
  case min
  case low
  /// What Martlet plays with.
  case medium
  case high
  /// For what is kept.
  case max

  /// Where the pass band ends, in parts of the lower rate's Nyquist frequency.
  package var passEdge: Double {
    switch self {
    case .min: 0.75
    case .low: 0.85
    case .medium: 0.91
    case .high: 0.94
    case .max: 0.96
    }
  }

  /// Where the stop band begins, in parts of the lower rate's Nyquist frequency.
  package static let stopEdge = 1.0

  /// Attenuation in the stop band, in decibels.
  package var attenuation: Double {
    switch self {
    case .min: 70
    case .low: 100
    case .medium: 120
    case .high: 130
    case .max: 140
    }
  }
}
