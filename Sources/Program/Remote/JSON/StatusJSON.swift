package import AudioModel
package import Commands
package import Martlet

/// What a player answers when asked, as JSON objects.
package enum StatusJSON {
  /// The fields of `status`.
  package static func status(_ snapshot: PlayerSnapshot) -> JSONValue {
    let fields: JSONValue = [
      "state": .string(snapshot.state.rawValue), "id": JSONValue(snapshot.id), "index": JSONValue(snapshot.index),
      "input": JSONValue(snapshot.input), "title": JSONValue(snapshot.title),
      "position": JSONValue(snapshot.position), "duration": JSONValue(snapshot.duration),
      "rate": .number(snapshot.effects.time.rate), "pitch": .number(snapshot.effects.time.pitch),
      "volume": volume(snapshot.volume), "mute": .bool(snapshot.isMuted),
      "bufferedAhead": JSONValue(snapshot.bufferedAhead), "queueLength": JSONValue(snapshot.queue.count),
      "loop": "off", "shuffle": false, "sleep": nil, "recording": nil,
    ]
    return fields.adding(effects(snapshot.effects))
  }

  /// The fields that tell of effects, each as the command that sets it would say; `null` for one that is off.
  package static func effects(_ settings: EffectSettings) -> JSONValue {
    [
      "stretch": .string(settings.time.algorithm.rawValue), "eq": equalizer(settings.equalizer),
      "reverb": JSONValue(settings.reverb.map(EffectText.text)),
      "delay": JSONValue(settings.delay.map(EffectText.text)),
      "distortion": JSONValue(settings.distortion.map(EffectText.text)),
    ]
  }

  /// An equalizer as its command says it; `custom` for one that no command gives.
  package static func equalizer(_ settings: EqualizerSettings?) -> JSONValue {
    settings.map { .string(EffectText.text($0) ?? "custom") } ?? .null
  }

  /// The queue's items in order.
  package static func queue(_ entries: [QueueEntry]) -> JSONValue {
    .array(
      entries.enumerated().map { index, entry in
        [
          "id": JSONValue(entry.id), "index": JSONValue(index), "input": .string(entry.input),
          "title": JSONValue(entry.title), "duration": JSONValue(entry.duration),
        ]
      })
  }

  /// The fields of `stats`.
  package static func statistics(_ statistics: PlayerStatistics, _ usage: ProcessUsage) -> JSONValue {
    [
      "framesPlayed": JSONValue(statistics.framesPlayed), "underruns": JSONValue(statistics.underruns),
      "requests": JSONValue(statistics.requests), "bytes": JSONValue(statistics.bytes),
      "firstSoundMs": JSONValue(statistics.firstSound.map { ($0 * 1e6).rounded() / 1000 }),
      "cpuSeconds": JSONValue((usage.cpuSeconds * 1e6).rounded() / 1e6), "maxRSS": JSONValue(usage.peakMemory),
    ]
  }

  /// A volume in decibels; silence is written as the floor, for JSON has no infinity.
  package static func volume(_ volume: Decibels) -> JSONValue {
    .number((max(volume.value, Decibels.floor.value) * 100).rounded() / 100)
  }
}
