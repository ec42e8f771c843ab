package import AudioModel
package import Commands
package import Martlet

/// What a player answers when asked, as JSON objects.
package enum StatusJSON {
  /// The fields of `status`.
  package static func status(_ snapshot: PlayerSnapshot) -> JSONValue {
    [
      "state": .string(snapshot.state.rawValue), "id": JSONValue(snapshot.id), "index": JSONValue(snapshot.index),
      "input": JSONValue(snapshot.input), "title": JSONValue(snapshot.title),
      "position": JSONValue(snapshot.position), "duration": JSONValue(snapshot.duration),
      "rate": 1, "pitch": 0, "volume": volume(snapshot.volume), "mute": .bool(snapshot.isMuted),
      "bufferedAhead": JSONValue(snapshot.bufferedAhead), "queueLength": JSONValue(snapshot.queue.count),
      "loop": "off", "shuffle": false, "sleep": nil, "recording": nil,
    ]
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
