package import AudioModel
internal import Glibc
internal import Platform

/// Where control sockets are: one for each player, named by its process number.
package struct ControlPath: Sendable {
  /// The folder.
  package let folder: String

  /// The folder of this user: `$XDG_RUNTIME_DIR/martlet`, or `/tmp/martlet-UID` where there is no such variable.
  package static var standard: ControlPath {
    if let runtime = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), runtime.hasPrefix("/") {
      return ControlPath(folder: runtime + "/martlet")
    }
    return ControlPath(folder: "/tmp/martlet-\(getuid())")
  }

  /// A folder of one's own.
  package init(folder: String) { self.folder = folder }

  /// The socket of a process.
  package func socket(of process: Int32) -> String { "\(folder)/\(process).sock" }

  /// Makes the folder if need be, and proves that nobody else can put anything into it.
  /// - Throws: ``AudioError/Code/writeFailed``.
  package func prepare() throws(AudioError) {
    if mkdir(folder, 0o700) != 0, errno != EEXIST {
      throw AudioError(.writeFailed, "\(folder) can't be made: \(systemErrorText(errno))", detail: Int(errno))
    }
    var facts = stat()
    guard lstat(folder, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else {
      throw AudioError(.writeFailed, "\(folder) is not a folder")
    }
    guard facts.st_uid == geteuid(), facts.st_mode & 0o022 == 0 else {
      throw AudioError(.writeFailed, "\(folder) belongs to somebody else")
    }
  }

  /// Sockets that a player answers on, the newest first.
  package func live() -> [String] {
    entries().filter { UnixSocket.isAnswered($0.path) }.sorted { $0.changed > $1.changed }.map(\.path)
  }

  /// Removes sockets whose players are gone. One that only refuses may be just starting, so the process must be gone
  /// too.
  package func removeStale() {
    for entry in entries() where kill(entry.process, 0) != 0 && errno == ESRCH && !UnixSocket.isAnswered(entry.path) {
      unlink(entry.path)
    }
  }

  private struct Entry {
    var path: String
    var process: Int32
    var changed: Int64
  }

  private func entries() -> [Entry] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var found: [Entry] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard name.hasSuffix(".sock"), let process = Int32(name.dropLast(5)), process > 0 else { continue }
      var facts = stat()
      let path = "\(folder)/\(name)"
      guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFSOCK, facts.st_uid == geteuid() else { continue }
      found.append(
        Entry(
          path: path, process: process,
          changed: Int64(facts.st_mtim.tv_sec) * 1_000_000_000 + Int64(facts.st_mtim.tv_nsec)))
    }
    return found
  }
}
