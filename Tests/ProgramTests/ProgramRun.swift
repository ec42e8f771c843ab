import Commands
import Glibc
import MartletTestSupport
import Platform
import Remote

/// A run of the built program, with a runtime folder of its own.
final class ProgramRun {
  let folder = TemporaryFolder()
  private(set) var process: pid_t = 0
  private var status: Int32?
  /// The reading end of its standard error: a named pipe, whose writer can be opened by its path.
  private let errors: Int32
  private var errorBytes: [UInt8] = []

  /// The program, beside the test bundle.
  static let path: String = {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let bundle = String(decoding: buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return bundle.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
      + "/martlet"
  }()

  /// Starts the program.
  /// - Parameters:
  ///   - arguments: What it is given.
  ///   - input: What it reads on standard input: a file; nothing by default.
  ///   - terminal: A terminal to be on: all three standard streams, and its keyboard.
  init(_ arguments: [String], input: String = "/dev/null", terminal: String? = nil) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let flags = O_WRONLY | O_CREAT | O_TRUNC
    posix_spawn_file_actions_addopen(&actions, 0, terminal ?? input, terminal == nil ? O_RDONLY : O_RDWR, 0)
    posix_spawn_file_actions_addopen(&actions, 1, terminal ?? folder.path + "/out", flags, 0o600)
    mkfifo(folder.path + "/err", 0o600)
    errors = open(folder.path + "/err", O_RDWR | O_CLOEXEC)
    posix_spawn_file_actions_addopen(&actions, 2, terminal ?? folder.path + "/err", O_WRONLY, 0)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    precondition(spawnApart(&actions, &attributes, leadsSession: terminal != nil) == 0)
    mkdir(folder.path + "/run", 0o700)
    var variables = [
      "XDG_RUNTIME_DIR=\(folder.path)/run", "PATH=/usr/bin:/bin", "HOME=\(folder.path)", "LANG=C.UTF-8", "TERM=xterm",
    ]
    // Sanitizers and code coverage are told by variables.
    for name in ["ASAN_OPTIONS", "TSAN_OPTIONS", "LLVM_PROFILE_FILE"] {
      if let value = getenv(name) { variables.append("\(name)=\(String(cString: value))") }
    }
    var argumentPointers = (["martlet"] + arguments).map { strdup($0) } + [nil]
    var variablePointers = variables.map { strdup($0) } + [nil]
    defer { for pointer in argumentPointers + variablePointers { free(pointer) } }
    let result = posix_spawn(&process, Self.path, &actions, &attributes, &argumentPointers, &variablePointers)
    precondition(result == 0, "\(Self.path) does not start: \(systemErrorText(result))")
  }

  deinit {
    if status == nil {
      kill(process, SIGKILL)
      wait()
    }
    close(errors)
  }

  /// Runs to the end.
  static func finish(_ arguments: [String], input: String = "/dev/null") -> ProgramRun {
    let run = ProgramRun(arguments, input: input)
    run.wait()
    return run
  }

  /// Waits for the end; the exit status, 128 + signal when one ended it.
  @discardableResult
  func wait() -> Int32 {
    if let status { return status }
    var raw: Int32 = 0
    while waitpid(process, &raw, 0) < 0 && errno == EINTR {}
    let result = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + raw & 0x7F
    status = result
    return result
  }

  /// Waits until it stands still.
  func waitForStop() -> Bool {
    var raw: Int32 = 0
    return waitpid(process, &raw, WUNTRACED) == process && raw & 0xFF == 0x7F
  }

  /// Sends a signal.
  func signal(_ number: Int32) { kill(process, number) }

  /// Where its control socket is.
  var socket: String { "\(folder.path)/run/martlet/\(process).sock" }
  /// What is left in the runtime folder.
  var sockets: [String] { TemporaryFolder.entries(folder.path + "/run/martlet") }

  /// Waits until it says where its control socket is; a client of it.
  func client() throws -> ControlClient {
    while !errorLines.contains(where: { $0.hasPrefix("martlet: control socket ") }), readErrors() {}
    return try ControlClient(path: socket)
  }

  var output: [UInt8] { ToolBox.contents(folder.path + "/out") }
  var outputLines: [Substring] { String(decoding: output, as: UTF8.self).split(separator: "\n") }
  /// What it said on standard error: all of it once it has ended.
  var errorLines: [Substring] {
    if status != nil {
      var waits = pollfd(fd: errors, events: Int16(POLLIN), revents: 0)
      while poll(&waits, 1, 0) > 0, readErrors() {}
    }
    return String(decoding: errorBytes, as: UTF8.self).split(separator: "\n")
  }

  private func readErrors() -> Bool {
    // A program that has ended without a word says no more; half a minute is only there so that a fault ends the test.
    var waits = pollfd(fd: errors, events: Int16(POLLIN), revents: 0)
    guard poll(&waits, 1, 30_000) > 0 else { return false }
    var block = [UInt8](repeating: 0, count: 4096)
    let count = read(errors, &block, block.count)
    errorBytes += block.prefix(max(count, 0))
    return count > 0
  }
}
