internal import AudioModel
internal import Commands
internal import Glibc
internal import Platform
internal import Terminal

/// How far rendering is, on standard error if that is a terminal.
struct RenderProgress {
  private static let interval = 0.25

  private let start: Int64
  private let end: Int64
  private let rate: SampleRate
  private let isShown = LiveDisplay.isPossible(on: STDERR_FILENO)
  private let beginning = MonotonicTime.now
  private var next = MonotonicTime.now.advanced(bySeconds: interval)
  private var hasDrawn = false

  /// Begins at a frame.
  init(start: Int64, end: Int64, rate: SampleRate) {
    self.start = start
    self.end = end
    self.rate = rate
  }

  /// Shows the place, four times a second.
  mutating func show(_ position: Int64, of length: @autoclosure () -> Int64?) {
    guard isShown, case let now = MonotonicTime.now, now >= next else { return }
    let frames = length()
    next = now.advanced(bySeconds: Self.interval)
    hasDrawn = true
    var text = TimeText.clock(rate.seconds(position))
    let total = frames.map { min($0, end) } ?? (end == .max ? nil : end)
    if let total, total > start {
      let share = Double(position - start) / Double(total - start)
      text += " / \(TimeText.clock(rate.seconds(total)))  \(Int(min(max(share, 0), 1) * 100))%"
    }
    let speed = rate.seconds(position - start) / now.seconds(since: beginning)
    _ = Console.write("\r\(text)  \(Int(speed))x\u{1B}[K", to: STDERR_FILENO)
  }

  /// Removes the line.
  mutating func clear() {
    if hasDrawn { _ = Console.write("\r\u{1B}[K", to: STDERR_FILENO) }
    hasDrawn = false
  }
}
