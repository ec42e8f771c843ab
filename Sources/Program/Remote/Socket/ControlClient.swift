package import AudioModel
internal import Glibc
internal import Platform

/// The other end: a program that tells a running player something.
package final class ControlClient {
  /// Bytes of one answer that are accepted.
  package static let lineLimit = 4 * 1024 * 1024

  private let descriptor: Int32
  private var input: [UInt8] = []

  /// Connects.
  /// - Parameter path: Where the player's socket is; `nil` looks for it: `MARTLET_SOCKET`, else the newest in `folder`.
  /// - Throws: ``AudioError/Code/noOutput`` where no player answers.
  package init(path: String?, folder: ControlPath = .standard) throws(AudioError) {
    let wanted = path ?? getenv("MARTLET_SOCKET").map { String(cString: $0) } ?? folder.live().first
    guard let wanted else { throw AudioError(.noOutput, "no player is running") }
    guard let descriptor = try UnixSocket.connect(wanted) else {
      throw AudioError(.noOutput, "no player answers on \(wanted)")
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Sends a line.
  package func send(_ line: String) throws(AudioError) {
    var rest = Array((line + "\n").utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw AudioError(.connectionLost, "the player is gone: \(systemErrorText(errno))", detail: Int(errno))
      }
    }
  }

  /// The next line, without its end; waits for it.
  /// - Returns: `nil` when the player has ended.
  package func nextLine() throws(AudioError) -> String? {
    var searched = 0
    while true {
      if let end = input[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { input.removeSubrange(...end) }
        return String(decoding: input[..<end], as: UTF8.self)
      }
      searched = input.count
      guard searched <= Self.lineLimit else { throw AudioError(.badResponse, "the player's answer has no end") }
      var bytes = [UInt8](repeating: 0, count: 16 * 1024)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      if count == 0 { return nil }
      if count > 0 { input += bytes[..<count] } else if errno != EINTR { return nil }
    }
  }
}
