package import AudioModel
package import Commands
internal import Glibc
package import Martlet
internal import Platform

/// Carries out commands on a player: the one place where the vocabulary meets the library.
package final class PlayerController: CommandHandler {
  private let player: AudioPlayer
  private let quit: @Sendable () -> Void

  /// Makes a controller.
  /// - Parameters:
  ///   - player: Who plays.
  ///   - quit: Asks the program to end; must return at once.
  package init(player: AudioPlayer, quit: @escaping @Sendable () -> Void) {
    self.player = player
    self.quit = quit
  }

  package func reply(to command: Command) -> JSONValue {
    switch command {
    case .play: perform(.play)
    case .pause: perform(.pause)
    case .toggle: perform(.toggle)
    case .stop: perform(.stop)
    case .next: perform(.next)
    case .previous: perform(.previous)
    case .seek(let place): perform(.seek(Self.target(place)))
    case .volume(let volume): perform(Self.command(volume)) { ["volume": StatusJSON.volume($0.volume)] }
    case .mute(.toggle): perform(.toggleMute) { ["mute": .bool($0.isMuted)] }
    case .mute(let state): perform(.mute(state == .on)) { ["mute": .bool($0.isMuted)] }
    case .rate(.to(let rate)): perform(.rate(rate), effect: Self.rate)
    case .rate(.by(let change)): perform(.rateBy(change), effect: Self.rate)
    case .pitch(.to(let cents)): perform(.pitch(cents), effect: Self.pitch)
    case .pitch(.by(let change)): perform(.pitchBy(change), effect: Self.pitch)
    case .stretch(let algorithm):
      perform(.stretch(algorithm)) { ["stretch": .string($0.effects.time.algorithm.rawValue)] }
    case .equalizer(let choice):
      perform(.equalizer(choice.settings(after: player.snapshot.effects.equalizer))) {
        ["eq": StatusJSON.equalizer($0.effects.equalizer)]
      }
    case .reverb(let choice):
      perform(.reverb(choice.settings(after: player.snapshot.effects.reverb))) {
        ["reverb": JSONValue($0.effects.reverb.map(EffectText.text))]
      }
    case .delay(let choice):
      perform(.delay(choice.settings(after: player.snapshot.effects.delay))) {
        ["delay": JSONValue($0.effects.delay.map(EffectText.text))]
      }
    case .distortion(let choice):
      perform(.distortion(choice.settings(after: player.snapshot.effects.distortion))) {
        ["distortion": JSONValue($0.effects.distortion.map(EffectText.text))]
      }
    case .add(let input): add(input)
    case .queue: Reply.ok.adding(["queue": StatusJSON.queue(player.snapshot.queue)])
    case .status: Reply.ok.adding(StatusJSON.status(player.snapshot))
    case .stats: Reply.ok.adding(StatusJSON.statistics(player.snapshot.statistics, .current))
    case .events: Reply.ok
    case .quit:
      {
        quit()
        return Reply.ok
      }()
    }
  }

  package func observe(_ handler: @escaping @Sendable (JSONValue) -> Void) -> Int {
    player.observe { [weak player] event in
      guard let event, let object = EventJSON.object(event, queue: player?.snapshot.queue ?? []) else { return }
      handler(object)
    }
  }

  package func removeObserver(_ id: Int) { player.removeObserver(id) }

  private func perform(_ command: PlayerCommand, effect: (PlayerSnapshot) -> JSONValue = { _ in [:] }) -> JSONValue {
    do {
      try player.performAndWait(command)
      return Reply.ok.adding(effect(player.snapshot))
    } catch {
      return Reply.failure(error)
    }
  }

  private static func rate(_ snapshot: PlayerSnapshot) -> JSONValue {
    ["rate": .number(snapshot.effects.time.rate)]
  }
  private static func pitch(_ snapshot: PlayerSnapshot) -> JSONValue {
    ["pitch": .number(snapshot.effects.time.pitch)]
  }

  /// Adds to the queue and waits until the queue shows it.
  private func add(_ input: String) -> JSONValue {
    let changes = Monitor(0)
    let player = player
    let observation = player.observe { _ in changes.signal { $0 += 1 } }
    defer { player.removeObserver(observation) }
    let id = player.append(PlayerItem(input))
    let index = changes.wait(until: .now.advanced(bySeconds: 1)) { _ in
      player.snapshot.queue.firstIndex { $0.id == id }
    }
    guard let index else { return Reply.failure(AudioError(.cancelled, "the player is closed")) }
    return Reply.ok.adding(["id": JSONValue(id), "index": JSONValue(index)])
  }

  private static func target(_ place: Command.Place) -> SeekTarget {
    switch place {
    case .absolute(let seconds): .absolute(seconds)
    case .relative(let seconds): .relative(seconds)
    case .percent(let share): .share(share / 100)
    }
  }

  private static func command(_ volume: Command.Volume) -> PlayerCommand {
    switch volume {
    case .decibels, .percent: .volume(volume.gain)
    case .by(let change): .volumeBy(Decibels(change))
    }
  }
}

extension Command.Volume {
  /// The gain that is meant; of a change, the change.
  package var gain: Decibels {
    switch self {
    case .decibels(let gain), .by(let gain): Decibels(gain)
    case .percent(0): .silence
    case .percent(let share): Decibels(20 * log10(share / 100))
    }
  }
}
