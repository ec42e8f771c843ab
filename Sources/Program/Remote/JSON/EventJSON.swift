package import Commands
package import AudioModel
internal import ByteSource
package import Martlet

/// Events as JSON objects, one a line: what `play --json` prints and the control socket streams.
package enum EventJSON {
  /// An event's object, or `nil` for what is no event to the outside.
  /// - Parameter queue: The queue as it is now; asked for only when the event says that it changed.
  package static func object(_ event: PlayerEvent, queue: @autoclosure () -> [QueueEntry]) -> JSONValue? {
    object(event.kind, time: event.time, queue: queue())
  }

  /// The same, of an event's parts.
  package static func object(
    _ kind: PlayerEvent.Kind, time: Double, queue: @autoclosure () -> [QueueEntry]
  ) -> JSONValue? {
    switch kind {
    case .state(let state, let previous):
      line("state", time, ["state": .string(state.rawValue), "previous": .string(previous.rawValue)])
    case .itemStarted(let item): started(item, time)
    case .itemFinished(let item): finished(item, time)
    case .duration(let id, let duration, let rate):
      line(
        "duration", time,
        [
          "id": JSONValue(id), "seconds": JSONValue(duration.map { rate.seconds($0.frames) }),
          "frames": JSONValue(duration?.frames), "exact": JSONValue(duration?.isExact),
          "errorSeconds": JSONValue(duration?.errorSeconds),
        ])
    case .ready(let id, let index): line("ready", time, ["id": JSONValue(id), "index": JSONValue(index)])
    case .buffered(let id, let index): line("buffered", time, ["id": JSONValue(id), "index": JSONValue(index)])
    case .position(let report):
      line(
        "position", time,
        [
          "position": JSONValue(report.position), "duration": JSONValue(report.duration),
          "bufferedAhead": JSONValue(report.bufferedAhead), "level": .array(report.levels.map(level)),
        ])
    case .metadata(let id, let title, let tags):
      line("metadata", time, ["id": JSONValue(id), "title": JSONValue(title), "tags": self.tags(tags)])
    case .seeked(let report):
      line(
        "seeked", time,
        [
          "from": JSONValue(report.from), "requested": JSONValue(report.requested),
          "position": JSONValue(report.position), "ms": rounded(report.elapsed * 1000, 1000),
        ])
    case .changed(let change): line("changed", time, changed(change, queue: queue()))
    case .network(let id, let source): network(source).map { line("network", time, $0.adding(["id": JSONValue(id)])) }
    case .underrun(let count, let seconds):
      line("underrun", time, ["count": JSONValue(count), "ms": rounded(seconds * 1000, 1000)])
    case .warning(let message, let input):
      line("warning", time, ["message": .string(message), "input": JSONValue(input)])
    case .error(let error, let input, let action):
      line(
        "error", time,
        [
          "code": JSONValue(error.code.rawValue), "message": .string(error.message), "input": JSONValue(input),
          "action": .string(action.rawValue),
        ])
    }
  }

  private static func line(_ name: String, _ time: Double, _ fields: JSONValue) -> JSONValue {
    JSONValue.object([]).adding(["event": .string(name), "t": rounded(time, 1e6)]).adding(fields)
  }

  private static func started(_ item: PlayerEvent.ItemStarted, _ time: Double) -> JSONValue {
    let object = line(
      "itemStarted", time,
      [
        "id": JSONValue(item.id), "index": JSONValue(item.index), "input": .string(item.input),
        "title": JSONValue(item.title), "gapless": JSONValue(item.isGapless),
      ])
    return item.isGapless == false ? object.adding(["why": JSONValue(item.gapReason)]) : object
  }

  private static func finished(_ item: PlayerEvent.ItemFinished, _ time: Double) -> JSONValue {
    line(
      "itemFinished", time,
      [
        "id": JSONValue(item.id), "index": JSONValue(item.index), "reason": .string(item.reason.rawValue),
        "framesPlayed": JSONValue(item.framesPlayed), "framesSkipped": JSONValue(item.framesSkipped),
        "position": JSONValue(item.position), "duration": JSONValue(item.duration),
      ])
  }

  private static func changed(
    _ change: PlayerEvent.Change, queue: @autoclosure () -> [QueueEntry]
  ) -> JSONValue {
    switch change {
    case .volume(let volume): ["volume": StatusJSON.volume(volume)]
    case .mute(let isMuted): ["mute": .bool(isMuted)]
    case .rate(let rate): ["rate": .number(rate)]
    case .pitch(let pitch): ["pitch": .number(pitch)]
    case .stretch(let algorithm): ["stretch": .string(algorithm.rawValue)]
    case .equalizer(let settings): ["eq": StatusJSON.equalizer(settings)]
    case .reverb(let settings): ["reverb": JSONValue(settings.map(EffectText.text))]
    case .delay(let settings): ["delay": JSONValue(settings.map(EffectText.text))]
    case .distortion(let settings): ["distortion": JSONValue(settings.map(EffectText.text))]
    case .queue: ["queue": StatusJSON.queue(queue())]
    }
  }

  private static func network(_ event: SourceEvent) -> JSONValue? {
    func fields(
      _ what: JSONValue, attempt: Int? = nil, delay: Double? = nil, status: Int? = nil, offset: Int64
    ) -> JSONValue {
      [
        "what": what, "attempt": JSONValue(attempt), "delay": JSONValue(delay), "status": JSONValue(status),
        "offset": JSONValue(offset),
      ]
    }
    return switch event {
    case .connected(let status, let offset): fields("connected", status: status, offset: offset)
    case .stalled(let offset): fields("stalled", offset: offset)
    case .retrying(let attempt, let delay, let status, let offset):
      fields("retrying", attempt: attempt, delay: delay, status: status, offset: offset)
    case .recovered(let attempt, let offset): fields("recovered", attempt: attempt, offset: offset)
    case .spooling(let offset): fields("spooling", offset: offset)
    case .gaveUp(let attempt, let status, let offset):
      fields("gaveUp", attempt: attempt, status: status, offset: offset)
    // Titles are told by `metadata`, at the moment they are heard.
    case .metadata: nil
    }
  }

  /// Tags as an object. JSON readers keep one value for a name: the first here; further ones are left out.
  package static func tags(_ tags: [Tag]) -> JSONValue {
    var seen = Set<String>()
    return .object(
      tags.filter { seen.insert($0.name).inserted }.map { JSONValue.Member($0.name, .string($0.value)) })
  }

  private static func level(_ level: Double) -> JSONValue {
    rounded(max(level.isNaN ? Decibels.floor.value : level, Decibels.floor.value), 100)
  }

  /// A number without digits that mean nothing.
  private static func rounded(_ value: Double, _ scale: Double) -> JSONValue {
    .number((value * scale).rounded() / scale)
  }
}
