internal import AudioModel
internal import AudioOutput
internal import ByteSource
internal import Commands
internal import Glibc
internal import Martlet
internal import Platform
internal import Remote
internal import Terminal

/// `play` and `demo`: puts player, output, control socket and screen together, and waits for the end.
///
/// The main thread only waits and writes; whatever reads our output slowly delays nothing but that.
final class PlayCommand {
  private let options: PlayOptions
  private let mailbox = PlayMailbox()
  private let player: AudioPlayer
  private let controller: PlayerController
  private let keys: KeyInput?
  private let display: LiveDisplay?
  private let reporter: any PlayReporter
  private let beginning = MonotonicTime.now
  private var server: ControlServer?
  private var status = ExitCode.success
  private var hasAnnounced = false

  /// Plays what the options say.
  static func run(_ options: PlayOptions) throws(AudioError) -> ExitCode {
    try PlayCommand(options).run()
  }

  private init(_ options: PlayOptions) throws(AudioError) {
    self.options = options
    let mailbox = mailbox
    let writesSound = options.output.split(separator: ",").contains("stdout")
    let screen = writesSound ? STDERR_FILENO : STDOUT_FILENO
    let isLive = options.report == .automatic && LiveDisplay.isPossible(on: screen)
    let display = isLive ? LiveDisplay(descriptor: screen, style: LiveDisplay.environmentStyle) : nil
    let keys = isLive ? KeyInput(usesStandardInput: !options.items.contains { $0.input == "-" }) : nil
    let socket = Self.socketPath(options.control)
    _ = SignalWatcher(
      handler: { mailbox.post(.signal($0)) },
      force: {
        keys?.restore()
        display?.abandon()
        if let socket { unlink(socket) }
      })
    // Before other threads, for getenv and setenv know no lock.
    if let socket { setenv("MARTLET_SOCKET", socket, 1) }
    let output = try SelectedOutput(options.output, among: DefaultOutputs.registrations) {
      mailbox.post(.output(name: $0.name))
    }
    player = AudioPlayer(output: output, configuration: options.configuration)
    controller = PlayerController(player: player, quit: { mailbox.post(.quit) })
    self.display = display
    self.keys = keys
    reporter =
      switch options.report {
      case .json: JSONReporter()
      case .automatic, .plain, .quiet:
        if let display {
          LiveReporter(display: display)
        } else {
          PlainReporter(descriptor: screen, isQuiet: options.report == .quiet)
        }
      }
  }

  private static func socketPath(_ control: PlayOptions.Control) -> String? {
    switch control {
    case .standard: ControlPath.standard.socket(of: getpid())
    case .path(let path): path
    case .off: nil
    }
  }

  private func run() throws(AudioError) -> ExitCode {
    let mailbox = mailbox
    player.observe { event in if let event { mailbox.post(.event(event)) } }
    // A socket that was asked for must be there before anything sounds; the usual one can wait for the first sound.
    if case .path(let path) = options.control { server = try ControlServer(path: path, handler: controller) }
    for item in options.items { player.append(item) }
    player.play()
    if options.control == .standard { openStandardSocket() }
    keys?.enter()
    while !waitAndWork() {}
    keys?.restore()
    for case .event(let event) in mailbox.take() { report(event) }
    player.close()
    // Closing is our own doing, no event of the player's; but a file that can't be completed is.
    for case .event(let event) in mailbox.take() { if case .error = event.kind { report(event) } }
    let snapshot = player.snapshot
    reporter.finish(snapshot, time: MonotonicTime.now.seconds(since: beginning))
    if options.printsStatistics, options.report != .json { Console.complain(PlayText.statistics(snapshot)) }
    server?.stop()
    return status
  }

  private func openStandardSocket() {
    let folder = ControlPath.standard
    do throws(AudioError) {
      try folder.prepare()
      server = try ControlServer(path: folder.socket(of: getpid()), handler: controller) { folder.removeStale() }
    } catch {
      if options.report != .quiet { reporter.complain("there is no control socket: \(error.message)") }
    }
  }

  // MARK: The main thread

  /// Waits for something and does it.
  /// - Returns: Whether all is over.
  private func waitAndWork() -> Bool {
    var waits = [
      pollfd(fd: mailbox.pipe.reader, events: Int16(POLLIN), revents: 0),
      pollfd(fd: keys?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    _ = poll(&waits, 2, -1)
    if waits[1].revents != 0, let keys { for command in keys.commands() { press(command) } }
    for notice in mailbox.take() where handle(notice) { return true }
    guard reporter.isBroken else { return false }
    // Nobody reads what is told. There is nobody to say so to, either.
    status = .ioError
    stop()
    return true
  }

  private func handle(_ notice: PlayNotice) -> Bool {
    switch notice {
    case .event(let event): return report(event)
    case .output(let name):
      if name == "null", options.output != "null" {
        reporter.complain("there is no sound output here; nothing will be heard")
      }
      return false
    case .quit:
      stop()
      return true
    case .signal(SIGTSTP):
      suspend()
      return false
    case .signal(SIGCONT), .signal(SIGWINCH):
      keys?.enter()
      redraw()
      return false
    case .signal:
      status = .interrupted
      stop()
      return true
    }
  }

  /// Ends the current item, so that its end is told.
  private func stop() { try? player.performAndWait(.stop) }

  /// Gives the terminal back and stands still until the shell says go on.
  private func suspend() {
    keys?.restore()
    display?.clear()
    kill(getpid(), SIGSTOP)
  }

  private func redraw() {
    display?.invalidate()
    (reporter as? LiveReporter)?.draw(player.snapshot)
  }

  private func press(_ command: Command) {
    if case .failure(let error) = Reply.outcome(of: controller.reply(to: command).text) {
      reporter.remark(error.message)
    }
    redraw()
  }

  @discardableResult
  private func report(_ event: PlayerEvent) -> Bool {
    let snapshot = player.snapshot
    switch event.kind {
    case .error(let error, let input, let action) where action != .retry:
      if status == .success { status = ExitCode(error) }
      reporter.report(event, snapshot)
      reporter.complain(Console.sentence(error, about: input))
    case .warning(let text, let input):
      reporter.report(event, snapshot)
      reporter.complain(input.map { "\($0): \(text)" } ?? text)
    case .itemStarted, .network(_, .retrying):
      announce()
      reporter.report(event, snapshot)
    case .state(let state, _):
      reporter.report(event, snapshot)
      return state == .ended || state == .failed
    default: reporter.report(event, snapshot)
    }
    return false
  }

  /// Says where the control socket is, once there is something to control.
  private func announce() {
    guard !hasAnnounced, let server else { return }
    hasAnnounced = true
    if display == nil, options.report != .quiet { Console.complain("control socket \(server.path)") }
  }
}
