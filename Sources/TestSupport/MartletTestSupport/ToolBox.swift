internal import Glibc
internal import Platform

/// Programs and folders that tests use.
package enum ToolBox {
  /// What a program left behind.
  package struct Outcome: Sendable {
    /// Exit status; 128 + signal when one ended it.
    package var status: Int32
    /// What it wrote on standard output.
    package var output: [UInt8]
    /// The same as text.
    package var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// Where a program is, by PATH; `nil` if it is not installed.
  package static func path(_ program: String) -> String? {
    let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    return folders.split(separator: ":").lazy.map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
  }

  /// Whether a program is installed.
  package static func has(_ program: String) -> Bool { path(program) != nil }

  /// Runs a program to its end.
  /// - Parameters:
  ///   - program: Its name; must be installed.
  ///   - arguments: What it is given.
  ///   - environment: Variables set besides those of this process.
  @discardableResult
  package static func run(
    _ program: String, _ arguments: [String] = [], environment: [String: String] = [:]
  ) -> Outcome {
    // A file and no pipe: a child started meanwhile would inherit the pipe and keep it open.
    let folder = temporaryFolder()
    defer { remove(folder) }
    let process = ChildProcess(program, arguments, environment: environment, output: folder + "/output")
    let status = process.waitForEnd()
    return Outcome(status: status, output: contents(folder + "/output"))
  }

  /// A new folder of this test's own, only for its user, with a short path (Unix sockets take 107 bytes).
  package static func temporaryFolder() -> String {
    var template = Array("/tmp/martlet-XXXXXX".utf8CString)
    precondition(mkdtemp(&template) != nil, "no temporary folder: \(systemErrorText(errno))")
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes a folder that ``temporaryFolder()`` made.
  package static func remove(_ folder: String) {
    precondition(folder.hasPrefix("/tmp/martlet-"))
    ChildProcess("rm", ["-rf", folder]).waitForEnd()
  }

  /// Looks again and again whether `condition` holds, for what happens in other processes and gives no sign.
  /// - Returns: Whether it came to hold within `seconds`.
  @discardableResult
  package static func waits(seconds: Double = 20, until condition: () -> Bool) -> Bool {
    let patience = MonotonicTime.now.advanced(bySeconds: seconds)
    while !condition() {
      guard MonotonicTime.now < patience else { return false }
      CurrentThread.sleep(seconds: 0.001)
    }
    return true
  }

  /// Makes a file of bytes, or replaces it.
  package static func write(_ bytes: [UInt8], to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    precondition(descriptor >= 0, "no file \(path): \(systemErrorText(errno))")
    defer { close(descriptor) }
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + done, bytes.count - done) }
      precondition(count > 0, "\(path) can't be written: \(systemErrorText(errno))")
      done += count
    }
  }

  /// A file's bytes; empty if it is not there.
  package static func contents(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65536)
    while case let count = read(descriptor, &block, block.count), count > 0 { bytes += block.prefix(count) }
    return bytes
  }
}

/// A program that runs beside the test.
package final class ChildProcess: @unchecked Sendable {
  // Set once in `init`; `waitForEnd` is called by the one owner.
  private var identifier: pid_t = 0
  private var status: Int32?

  /// Starts a program; standard input is empty, standard error is dropped.
  /// - Parameter output: The file that standard output goes to; `nil` drops it.
  package init(
    _ program: String, _ arguments: [String] = [], environment: [String: String] = [:], output: String? = nil
  ) {
    guard let path = ToolBox.path(program) else { preconditionFailure("\(program) is not installed") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output ?? "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var variables: [String] = []
    var entry = environ
    while let variable = entry.pointee {
      let text = String(cString: variable)
      if environment[String(text.prefix { $0 != "=" })] == nil { variables.append(text) }
      entry += 1
    }
    variables += environment.map { "\($0.key)=\($0.value)" }
    var argumentPointers = ([program] + arguments).map { strdup($0) } + [nil]
    var variablePointers = variables.map { strdup($0) } + [nil]
    defer { for pointer in argumentPointers + variablePointers { free(pointer) } }
    // Threads of the pool block all signals, and other tests have files and pipes open: a pipe whose end lives on in a
    // child never ends.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    precondition(spawnApart(&actions, &attributes) == 0)
    let result = posix_spawn(&identifier, path, &actions, &attributes, &argumentPointers, &variablePointers)
    precondition(result == 0, "\(program) does not start: \(systemErrorText(result))")
  }

  /// Sends a signal, if it still runs.
  package func signal(_ number: Int32) { if status == nil { kill(identifier, number) } }

  /// Waits for its end.
  /// - Returns: The exit status; 128 + signal when one ended it.
  @discardableResult
  package func waitForEnd() -> Int32 {
    if let status { return status }
    var raw: Int32 = 0
    while waitpid(identifier, &raw, 0) < 0 && errno == EINTR {}
    let ended = raw & 0x7F
    let result = ended == 0 ? (raw >> 8) & 0xFF : 128 + ended
    status = result
    return result
  }

  deinit {
    signal(SIGKILL)
    waitForEnd()
  }
}
