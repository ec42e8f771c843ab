public import Foundation

/// What an application may do with audio: the newer home of the permission to record.
public final class AVAudioApplication: NSObject, Sendable {
  /// Whether an application may record.
  public enum recordPermission: Int, Sendable {
    /// Nobody was asked.
    case undetermined = 0x756E_6474
    /// It may not.
    case denied = 0x6465_6E79
    /// It may.
    case granted = 0x6772_6E74
  }

  private override init() {}

  /// This application.
  public static let shared = AVAudioApplication()

  /// Always granted: what a user may, his programs may on Linux. Sandboxes refuse later, when the input is opened.
  public var recordPermission: recordPermission { .granted }

  /// Answers `true`, on another thread.
  public class func requestRecordPermission(completionHandler response: @escaping @Sendable (Bool) -> Void) {
    DispatchQueue.global().async { response(true) }
  }

  /// Answers `true`.
  public class func requestRecordPermission() async -> Bool { true }

  /// Whether the microphone is muted for this application.
  @available(*, unavailable, message: "use the sound server's mixer, or AVAudioInputNode.volume")
  public var isInputMuted: Bool { false }

  /// Mutes the microphone for this application.
  @available(*, unavailable, message: "use the sound server's mixer, or AVAudioInputNode.volume")
  public func setInputMuted(_ muted: Bool) throws {}
}
