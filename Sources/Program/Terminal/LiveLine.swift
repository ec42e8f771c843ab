package import AudioModel
internal import Commands
package import Martlet

/// What the one live line shows, and how it is laid out. No terminal is needed to know what it looks like.
package struct LiveLine: Sendable {
  /// What the player does.
  package var state = PlayerState.idle
  /// Title or input of the item; data from outside.
  package var title = ""
  /// Place in the queue, from 0.
  package var index = 0
  /// Items in the queue; the place is shown where there is more than one.
  package var count = 1
  /// Seconds heard.
  package var position = 0.0
  /// Seconds in all; `nil` when unknown or live.
  package var duration: Double?
  /// Share of the item that is here already, 0…1.
  package var buffered = 0.0
  /// Peak per channel, dBFS.
  package var levels: [Double] = []
  /// Volume.
  package var volume = Decibels.unity
  /// Silenced.
  package var isMuted = false
  /// Rate, pitch and effects.
  package var effects = EffectSettings()

  /// An empty line.
  package init() {}

  /// The line for a player's state.
  package init(_ snapshot: PlayerSnapshot) {
    state = snapshot.state
    title = snapshot.title ?? snapshot.input.map(Self.name) ?? ""
    index = snapshot.index ?? 0
    count = snapshot.queue.count
    position = snapshot.position
    duration = snapshot.duration
    levels = snapshot.levels
    volume = snapshot.volume
    isMuted = snapshot.isMuted
    effects = snapshot.effects
    if let duration, duration > 0 {
      buffered = max(snapshot.receivedShare ?? 0, (position + snapshot.bufferedAhead) / duration)
    }
  }

  /// A short name of an input: the last part of a path or URL.
  package static func name(_ input: String) -> String {
    if input == "-" { return "standard input" }
    if input.hasPrefix("data:") { return "data" }
    let path = input.contains("://") ? input.prefix { $0 != "?" && $0 != "#" } : input[...]
    let last = path.split(separator: "/").last.map(String.init) ?? input
    return last.isEmpty ? input : last
  }

  /// How the line may look.
  package struct Style: Hashable, Sendable {
    /// Block and line characters; else ASCII.
    package var isUnicode: Bool
    /// SGR colours.
    package var isColored: Bool
    /// Makes a style.
    package init(isUnicode: Bool, isColored: Bool) {
      self.isUnicode = isUnicode
      self.isColored = isColored
    }
  }

  /// The line.
  /// - Parameters:
  ///   - width: Columns that it may take; parts that find no room are left out.
  ///   - style: Characters and colours.
  package func text(width: Int, style: Style) -> String {
    var rest = max(width, 0)
    var head = style.isUnicode ? sign.symbol : sign.ascii
    if count > 1 { head += " \(index + 1)/\(count)" }
    let times = time
    var tail = times
    if isMuted { tail += "  muted" } else if volume != .unity { tail += "  \(Self.gain(volume)) dB" }
    if let speed { tail += "  \(speed)" }
    if width >= 60, let names { tail += "  \(names)" }
    let meter = levels.prefix(8).map { self.meter($0, style) }.joined()
    if !meter.isEmpty, width >= 50 { tail += "  " + meter }
    if PrintableText.width(head + "  " + tail) > rest { tail = times }
    if PrintableText.width(head + "  " + tail) > rest { return PrintableText.cut(times, to: rest, mark: "") }
    rest -= PrintableText.width(head + "  " + tail)
    // Title and bar share what is left: the title may have what it needs, as long as the bar keeps a third.
    let wantsBar = (duration ?? 0) > 0 && rest >= 24
    let clean = PrintableText.clean(title)
    let room = rest - 1 - (wantsBar ? max(10, rest / 3) + 2 : 0)
    let name = room >= 4 ? PrintableText.cut(clean, to: room, mark: style.isUnicode ? "…" : "~") : ""
    var line = colored(String(head.prefix(1)), sign.color, style) + head.dropFirst()
    if !name.isEmpty {
      line += " " + name
      rest -= 1 + PrintableText.width(name)
    }
    line += "  " + tail
    if wantsBar { line += "  " + bar(min(rest - 2, 60), style) }
    return line
  }

  // MARK: Parts

  private var sign: (symbol: String, ascii: String, color: Int) {
    switch state {
    case .playing: ("▶", ">", 32)
    case .paused: ("‖", "\"", 33)
    case .opening, .buffering: ("…", "~", 36)
    case .idle, .ended: ("■", ".", 0)
    case .failed: ("✗", "!", 31)
    }
  }

  /// Text in one of the terminal's colours (an SGR number; 2 is dim).
  private func colored(_ text: String, _ color: Int, _ style: Style) -> String {
    style.isColored && color > 0 && !text.isEmpty ? "\u{1B}[\(color)m\(text)\u{1B}[0m" : text
  }

  private var time: String {
    let heard = TimeText.clock(position)
    return duration.map { "\(heard) / \(TimeText.clock($0))" } ?? heard
  }

  /// Rate and pitch, where they are not the recording's: `1.5x`, `+100c`.
  private var speed: String? {
    let time = effects.time
    var parts: [String] = []
    if time.rate != 1 { parts.append("\(Self.rounded(time.rate, 100))x") }
    if time.pitch != 0 { parts.append((time.pitch > 0 ? "+" : "") + "\(Self.rounded(time.pitch, 1))c") }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  /// What else is done to the sound, in the order in which sound goes through it.
  private var names: String? {
    var parts: [String] = []
    if let distortion = effects.distortion { parts.append(distortion.preset.rawValue) }
    if let equalizer = effects.equalizer, !equalizer.isFlat {
      let preset = EqualizerPreset.allCases.first { $0.settings == equalizer }
      parts.append("eq" + (preset.map { " \($0.rawValue)" } ?? ""))
    }
    if effects.delay != nil { parts.append("delay") }
    if let reverb = effects.reverb { parts.append(reverb.preset.rawValue) }
    return parts.isEmpty ? nil : parts.joined(separator: "+")
  }

  private static func rounded(_ value: Double, _ scale: Double) -> String {
    EffectText.number((value * scale).rounded() / scale)
  }

  private func bar(_ cells: Int, _ style: Style) -> String {
    func count(_ share: Double) -> Int {
      share.isNaN ? 0 : Int((min(max(share, 0), 1) * Double(cells)).rounded(.down))
    }
    let played = count(position / (duration ?? 1))
    let here = max(count(buffered), played)
    let marks = style.isUnicode ? ("━", "─", "┄") : ("=", "-", ".")
    let rest =
      String(repeating: marks.1, count: here - played) + String(repeating: marks.2, count: cells - here)
    return String(repeating: marks.0, count: played) + colored(rest, 2, style)
  }

  /// One character for a level: eight steps of 6 dB below full scale.
  private func meter(_ level: Double, _ style: Style) -> String {
    let steps = style.isUnicode ? Array(" ▁▂▃▄▅▆▇█") : Array(" .:-=+*%#")
    let step = level.isFinite ? Int(((level + 48) / 6).rounded(.up)) : 0
    return String(steps[min(max(step, 0), 8)])
  }

  /// A gain with one digit at most: `-6`, `+1.5`.
  package static func gain(_ gain: Decibels) -> String {
    guard gain.value.isFinite else { return "-inf" }
    let tenths = Int((min(max(gain.value, -999), 999) * 10).rounded())
    let sign = tenths < 0 ? "-" : tenths > 0 ? "+" : ""
    let size = abs(tenths)
    return size % 10 == 0 ? "\(sign)\(size / 10)" : "\(sign)\(size / 10).\(size % 10)"
  }
}
