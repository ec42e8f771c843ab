internal import AudioModel
internal import Glibc
internal import Platform

/// The few calls that both ends of a control socket need.
enum UnixSocket {
  /// A new socket that children do not inherit.
  static func make() throws(AudioError) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else {
      throw AudioError(.connectionFailed, "no socket: \(systemErrorText(errno))", detail: Int(errno))
    }
    return descriptor
  }

  /// Calls `body` with the address of a path.
  /// - Throws: ``AudioError/Code/usage`` when the path is longer than an address can hold (107 bytes).
  static func withAddress<Result>(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) throws(AudioError) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard !bytes.isEmpty, bytes.count < capacity, !bytes.contains(0) else {
      throw AudioError(.usage, "a socket's path has 1 to \(capacity - 1) bytes: \(path)")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// Connects to a path.
  /// - Returns: The descriptor; `nil` when nobody answers there.
  static func connect(_ path: String) throws(AudioError) -> Int32? {
    let descriptor = try make()
    let status: Int32
    do throws(AudioError) {
      status = try withAddress(path) { Glibc.connect(descriptor, $0, $1) }
    } catch {
      close(descriptor)
      throw error
    }
    guard status == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// Whether somebody accepts connections there.
  static func isAnswered(_ path: String) -> Bool {
    guard let descriptor = try? connect(path) else { return false }
    close(descriptor)
    return true
  }

  /// Makes reads and writes return at once.
  static func setNonblocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }
}
