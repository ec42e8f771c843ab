package import AudioModel
internal import Glibc

/// A command as the table knows it.
package struct CommandRow: Sendable {
  /// Its word.
  package let name: String
  /// What follows, as help shows it; empty where nothing does.
  package let arguments: String
  /// What it does, in a few words.
  package let summary: String
  /// Reads what follows the word.
  package let parse: @Sendable (_ arguments: String) throws(AudioError) -> Command
}

/// All commands: parser, help and completion read this one table.
package enum CommandTable {
  /// The commands of this version, in the order of help.
  package static let rows: [CommandRow] = [
    bare("play", .play, "play, or go on after a pause"),
    bare("pause", .pause, "stand still"),
    bare("toggle", .toggle, "pause if playing, else play"),
    bare("stop", .stop, "end everything; the queue stays"),
    bare("next", .next, "go to the next item"),
    bare("previous", .previous, "start the item again, or go to the one before"),
    row("seek", "T|+T|-T|N%", "go to a time, by a time, or to a share of the duration", seek),
    row("volume", "DB|N%|up [DB]|down [DB]|+DB", "set the gain or the amplitude, or change the gain", setVolume),
    row("mute", "on|off|toggle", "silence without forgetting the volume", mute),
    row("rate", "X|up [X]|down [X]", "play at X times the speed, 0.03125 to 32; up and down by 0.1") {
      (text) throws(AudioError) in .rate(try change(text, by: Command.Change.rateStep, EffectText.rate))
    },
    row("pitch", "C|up [C]|down [C]", "raise by C cents, -2400 to 2400; up and down by 100, a semitone") {
      (text) throws(AudioError) in .pitch(try change(text, by: Command.Change.pitchStep, EffectText.pitch))
    },
    row("stretch", "auto|speech|music|varispeed", "choose how rate and pitch are changed") {
      (text) throws(AudioError) in .stretch(try EffectText.stretch(text))
    },
    row("eq", "NAME|HZ:DB[:OCT],...|graphic:DB,...|next|off", "set the equalizer: a preset, bands, or ten octaves") {
      (text) throws(AudioError) in .equalizer(try choice(text, EffectText.equalizer))
    },
    row("reverb", "PRESET[:MIX]|next|off", "play as in a room; MIX is per cent of room (30)") {
      (text) throws(AudioError) in .reverb(try choice(text, EffectText.reverb))
    },
    row("delay", "S[:FEEDBACK[:MIX]]|off", "repeat after S seconds; per cent of feedback (40) and mix (30)") {
      (text) throws(AudioError) in
      guard text != "next" else { throw AudioError(.usage, "delay has no presets") }
      return .delay(try choice(text, EffectText.delay))
    },
    row("distortion", "PRESET[:MIX]|next|off", "spoil the sound; MIX is per cent of it (50)") {
      (text) throws(AudioError) in .distortion(try choice(text, EffectText.distortion))
    },
    row("add", "INPUT", "add a file or URL at the end of the queue", add),
    bare("queue", .queue, "list the queue"),
    bare("status", .status, "tell what is playing"),
    bare("stats", .stats, "tell counters: frames, underruns, requests, bytes"),
    bare("events", .events, "stream events until the connection is closed"),
    bare("quit", .quit, "end the program"),
  ]

  /// Commands that a later version will know: they are answered as such, not as unknown.
  package static let laterNames: Set<String> = [
    "skip", "chapter", "loop", "shuffle", "ab", "loudness", "skip-silence", "sleep", "crossfade", "record", "insert",
    "remove", "move", "jump", "clear", "live",
  ]

  private typealias Parser = @Sendable (String) throws(AudioError) -> Command

  private static func row(
    _ name: String, _ arguments: String, _ summary: String, _ parse: @escaping Parser
  ) -> CommandRow {
    CommandRow(name: name, arguments: arguments, summary: summary) { (text) throws(AudioError) -> Command in
      guard !text.isEmpty else { throw AudioError(.usage, "\(name) needs \(arguments)") }
      return try parse(text)
    }
  }

  private static func bare(_ name: String, _ command: Command, _ summary: String) -> CommandRow {
    CommandRow(name: name, arguments: "", summary: summary) { (text) throws(AudioError) -> Command in
      guard text.isEmpty else { throw AudioError(.usage, "\(name) takes no argument") }
      return command
    }
  }

  // MARK: Arguments

  @Sendable private static func seek(_ text: String) throws(AudioError) -> Command {
    if text.last == "%" {
      guard let share = TimeText.number(text.dropLast()), share <= 100 else {
        throw AudioError(.usage, "\u{201C}\(text)\u{201D} is not a share of 0% to 100%")
      }
      return .seek(.percent(share))
    }
    let sign = text.first == "+" ? 1.0 : text.first == "-" ? -1.0 : nil
    guard let seconds = TimeText.seconds(sign == nil ? text[...] : text.dropFirst()) else {
      throw AudioError(.usage, "\u{201C}\(text)\u{201D} is not a time such as 90, 1:30, +10 or 50%")
    }
    return .seek(sign.map { .relative($0 * seconds) } ?? .absolute(seconds))
  }

  @Sendable private static func setVolume(_ text: String) throws(AudioError) -> Command {
    .volume(try volume(text))
  }

  /// Reads a volume: `-6`, `50%`, `up`, `down 3`, `+3`.
  package static func volume(_ text: String) throws(AudioError) -> Command.Volume {
    let wrong = AudioError(.usage, "\u{201C}\(text)\u{201D} is not a volume such as -6, 50%, up or +3")
    let words = text.unicodeScalars.split(whereSeparator: \.isBlank).map { Substring($0) }
    if let first = words.first, first == "up" || first == "down" {
      guard words.count <= 2 else { throw wrong }
      guard let change = words.count == 1 ? Command.Volume.step : TimeText.number(words[1]) else { throw wrong }
      return .by(first == "up" ? change : -change)
    }
    if text.last == "%" {
      guard let share = TimeText.number(text.dropLast()) else { throw wrong }
      guard share <= 100 * pow(10, Command.Volume.decibelRange.upperBound / 20) else {
        throw AudioError(.usage, "the volume ends at +24 dB, which is 1584%")
      }
      return .percent(share)
    }
    if text.first == "+" {
      guard let change = TimeText.number(text.dropFirst()) else { throw wrong }
      return .by(change)
    }
    guard let size = TimeText.number(text.first == "-" ? text.dropFirst() : text[...]) else { throw wrong }
    let gain = text.first == "-" ? -size : size
    guard Command.Volume.decibelRange.contains(gain) else {
      throw AudioError(.usage, "the volume is a gain of -96 to 24 dB, or a share such as 50%")
    }
    return .decibels(gain)
  }

  @Sendable private static func mute(_ text: String) throws(AudioError) -> Command {
    guard let state = Command.Switch(rawValue: text) else {
      throw AudioError(.usage, "\u{201C}\(text)\u{201D} is none of on, off, toggle")
    }
    return .mute(state)
  }

  /// Reads `X`, `up`, `up X`, `down` or `down X`.
  private static func change(
    _ text: String, by step: Double, _ read: (String) throws(AudioError) -> Double
  ) throws(AudioError) -> Command.Change {
    let words = text.unicodeScalars.split(whereSeparator: \.isBlank).map { String($0) }
    guard let first = words.first, first == "up" || first == "down" else { return .to(try read(text)) }
    guard words.count <= 2, let size = words.count == 1 ? step : TimeText.number(words[1]) else {
      throw AudioError(.usage, "\u{201C}\(text)\u{201D} is no change such as \(first) or \(first) \(step)")
    }
    return .by(first == "up" ? size : -size)
  }

  /// Reads `off`, `next` or settings.
  private static func choice<Settings>(
    _ text: String, _ read: (String) throws(AudioError) -> Settings
  ) throws(AudioError) -> Command.Choice<Settings> {
    switch text {
    case "off": .off
    case "next": .next
    default: .to(try read(text))
    }
  }

  @Sendable private static func add(_ text: String) throws(AudioError) -> Command {
    guard text.unicodeScalars.first == "\"" else { return .add(text) }
    guard let plain = JSONValue.readString(text), !plain.isEmpty else {
      throw AudioError(.usage, "the quoted input is not a JSON string")
    }
    return .add(plain)
  }
}
