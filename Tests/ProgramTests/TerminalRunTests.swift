import Glibc
import Testing

/// The program on a terminal of its own.
@Suite struct TerminalRunTests {
  private let folder = TemporaryFolder()
  private let screen = PseudoTerminal()

  private func play() -> ProgramRun {
    TestWAV.write(TestWAV.bytes(frames: 800_000), to: folder.path + "/a.wav")
    return ProgramRun(["play", "--output", "null", folder.path + "/a.wav"], terminal: screen.path)
  }

  @Test func keysDoWhatTheySay() {
    let before = screen.mode
    let run = play()
    #expect(screen.waitFor("\u{1B}[32m▶\u{1B}[0m a.wav"))
    #expect(screen.mode & tcflag_t(ICANON | ECHO) == 0)
    screen.type("m")
    #expect(screen.waitFor("muted"))
    screen.type("\u{1B}[B")
    screen.type("m")
    #expect(screen.waitFor("-2 dB"))
    screen.type("]")
    #expect(screen.waitFor("1.1x"))
    screen.type("=}")
    #expect(screen.waitFor("+100c"))
    screen.type("{e")
    #expect(screen.waitFor("eq speech"))
    screen.type(" ")
    #expect(screen.waitFor("‖"))
    screen.type("\u{1B}[C")
    #expect(screen.waitFor("0:1"))
    screen.type("q")
    #expect(screen.waitFor("\r\u{1B}[K\u{1B}[?25h"))
    #expect(run.wait() == 0)
    #expect(screen.mode == before)
    #expect(run.sockets == [])
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func aSignalGivesTheTerminalBack(number: Int32) {
    let before = screen.mode
    let run = play()
    #expect(screen.waitFor("▶"))
    if number == SIGINT { screen.type("\u{3}") } else { run.signal(number) }
    #expect(screen.waitFor("\r\u{1B}[K\u{1B}[?25h"))
    #expect(run.wait() == 130)
    #expect(screen.mode == before)
    #expect(run.sockets == [])
  }

  @Test func suspensionGivesTheTerminalBackForAWhile() {
    let before = screen.mode
    let run = play()
    #expect(screen.waitFor("▶"))
    run.signal(SIGTSTP)
    #expect(screen.waitFor("\u{1B}[?25h"))
    #expect(run.waitForStop())
    #expect(screen.mode == before)
    run.signal(SIGCONT)
    #expect(screen.waitFor("\u{1B}[?25l"))
    #expect(screen.mode & tcflag_t(ICANON | ECHO) == 0)
    screen.type("q")
    #expect(run.wait() == 0)
    #expect(screen.mode == before)
  }
}

/// A terminal whose other side is the test.
private final class PseudoTerminal {
  let path: String
  private let master: Int32
  private let slave: Int32
  private var seen: [UInt8] = []

  init() {
    var ends: (Int32, Int32) = (-1, -1)
    var size = winsize(ws_row: 24, ws_col: 70, ws_xpixel: 0, ws_ypixel: 0)
    let status = openpty(&ends.0, &ends.1, nil, nil, &size)
    precondition(status == 0, "the system refuses a terminal")
    // The other end is held open too, for the mode would be lost with the last one who has it.
    (master, slave) = ends
    for end in [master, slave] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // `ttyname` has one buffer for the process: another test's terminal may be named in it by the time it is read.
    var name = [CChar](repeating: 0, count: 64)
    precondition(ttyname_r(slave, &name, name.count) == 0, "the terminal has no name")
    path = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  deinit {
    close(slave)
    close(master)
  }

  /// The terminal's local modes.
  var mode: tcflag_t {
    var mode = termios()
    tcgetattr(slave, &mode)
    return mode.c_lflag
  }

  func type(_ keys: String) { _ = write(master, keys, keys.utf8.count) }

  /// Waits until the program has written a text, and forgets all up to its end.
  func waitFor(_ text: String) -> Bool {
    let wanted = Array(text.utf8)
    while true {
      if let start = seen.indices.first(where: { seen[$0...].starts(with: wanted) }) {
        seen.removeFirst(start + wanted.count)
        return true
      }
      var waits = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      guard poll(&waits, 1, 30_000) > 0 else { return false }
      var block = [UInt8](repeating: 0, count: 4096)
      let count = read(master, &block, block.count)
      guard count > 0 else { return false }
      seen += block.prefix(count)
    }
  }
}
