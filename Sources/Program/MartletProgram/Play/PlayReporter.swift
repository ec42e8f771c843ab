internal import AudioModel
internal import ByteSource
internal import Commands
internal import Glibc
internal import Martlet
internal import Remote
internal import Terminal

/// Tells a person or a script what the player does. Belongs to the main thread.
protocol PlayReporter: AnyObject {
  /// An event, and the state that the player is in by now.
  func report(_ event: PlayerEvent, _ snapshot: PlayerSnapshot)
  /// A remark for people.
  func remark(_ text: String)
  /// A failure or a warning.
  func complain(_ text: String)
  /// The end; no call comes after it.
  func finish(_ snapshot: PlayerSnapshot, time: Double)
  /// Whether somebody still reads.
  var isBroken: Bool { get }
}

/// Events as JSON lines on standard output; failures as sentences on standard error too.
final class JSONReporter: PlayReporter {
  private(set) var isBroken = false

  func report(_ event: PlayerEvent, _ snapshot: PlayerSnapshot) {
    if let object = EventJSON.object(event, queue: snapshot.queue) { put(object) }
  }

  func remark(_ text: String) {}
  func complain(_ text: String) { Console.complain(text) }

  func finish(_ snapshot: PlayerSnapshot, time: Double) {
    let head: JSONValue = ["event": "stats", "t": .number((time * 1e6).rounded() / 1e6)]
    put(head.adding(StatusJSON.statistics(snapshot.statistics, .current)))
  }

  private func put(_ object: JSONValue) {
    if !isBroken, !Console.write(object.text + "\n") { isBroken = true }
  }
}

/// Plain lines: for logs, pipes and terminals that can do no more.
final class PlainReporter: PlayReporter {
  let isBroken = false
  private let descriptor: Int32
  private let isQuiet: Bool

  /// - Parameters:
  ///   - descriptor: Where lines go.
  ///   - isQuiet: Only failures are told.
  init(descriptor: Int32, isQuiet: Bool) {
    self.descriptor = descriptor
    self.isQuiet = isQuiet
  }

  func report(_ event: PlayerEvent, _ snapshot: PlayerSnapshot) {
    if let text = PlayText.line(event, snapshot) { remark(text) }
  }

  func remark(_ text: String) {
    if !isQuiet { _ = Console.write(PrintableText.clean(text) + "\n", to: descriptor) }
  }

  func complain(_ text: String) { Console.complain(text) }
  func finish(_ snapshot: PlayerSnapshot, time: Double) {}
}

/// One live line on a terminal; what scrolls past stands above it.
final class LiveReporter: PlayReporter {
  let isBroken = false
  private let display: LiveDisplay

  init(display: LiveDisplay) { self.display = display }

  func report(_ event: PlayerEvent, _ snapshot: PlayerSnapshot) {
    if let text = PlayText.line(event, snapshot) { remark(text) }
    draw(snapshot)
  }

  func draw(_ snapshot: PlayerSnapshot) {
    let isOver = snapshot.state == .ended || snapshot.state == .failed
    if !isOver { display.draw(LiveLine(snapshot)) }
  }

  func remark(_ text: String) { display.message(text) }
  func complain(_ text: String) { display.message("martlet: \(text)") }
  func finish(_ snapshot: PlayerSnapshot, time: Double) { display.clear() }
}

/// What people read of events.
enum PlayText {
  /// A line for an event that deserves one.
  static func line(_ event: PlayerEvent, _ snapshot: PlayerSnapshot) -> String? {
    switch event.kind {
    case .itemStarted(let item):
      let name = item.title ?? LiveLine.name(item.input)
      return "Playing \(name)" + details(snapshot, of: item.id)
    case .metadata(_, let title?, _) where !title.isEmpty && snapshot.duration == nil: return "Now \(title)"
    case .network(_, .retrying(let attempt, let delay, _, _)):
      let seconds = JSONValue.number((delay * 10).rounded() / 10).text
      return "The connection is broken; trying again in \(seconds) s (try \(attempt))"
    case .network(_, .stalled): return "Nothing comes from the network; waiting"
    default: return nil
    }
  }

  /// Counters for people.
  static func statistics(_ snapshot: PlayerSnapshot) -> String {
    let usage = ProcessUsage.current
    let counters = snapshot.statistics
    let first = counters.firstSound.map { "\(Int(($0 * 1000).rounded())) ms" } ?? "none"
    return "frames \(counters.framesPlayed), underruns \(counters.underruns), concealed packets "
      + "\(counters.concealedPackets), requests \(counters.requests), bytes \(counters.bytes), first sound \(first), "
      + "CPU \((usage.cpuSeconds * 1000).rounded() / 1000) s, peak memory \(usage.peakMemory / 1024) KiB"
  }

  private static func details(_ snapshot: PlayerSnapshot, of id: Int) -> String {
    guard snapshot.id == id, let facts = snapshot.facts else { return "" }
    var parts = [facts.codec.rawValue, "\(facts.format)"]
    parts.append(snapshot.duration.map(TimeText.clock) ?? "live")
    return " (\(parts.joined(separator: ", ")))"
  }
}
