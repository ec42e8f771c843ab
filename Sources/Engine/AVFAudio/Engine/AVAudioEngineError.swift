internal import AudioModel
internal import CoreAudioTypes
internal import Foundation

/// Errors as Apple's interface throws them: domain and code of an OSStatus, with a sentence.
enum EngineError {
  /// The domain of Core Audio's codes.
  static let domain = "com.apple.coreaudio.avfaudio"

  /// An error with a code and a sentence.
  static func make(_ code: OSStatus, _ sentence: String, underlying: (any Error)? = nil) -> NSError {
    var info: [String: Any] = [NSLocalizedDescriptionKey: sentence]
    if let underlying { info[NSUnderlyingErrorKey] = underlying }
    return NSError(domain: domain, code: Int(code), userInfo: info)
  }

  /// What an error of the engine's own is there.
  static func make(_ error: AudioError) -> NSError {
    let code: OSStatus =
      switch error.code {
      case .noOutput, .outputLost, .outputBusy: kAudioUnitErr_FailedInitialization
      case .outputFormat: kAudioUnitErr_FormatNotSupported
      default: kAudioUnitErr_FailedInitialization
      }
    return make(code, error.message, underlying: error)
  }
}
