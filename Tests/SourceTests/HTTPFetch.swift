import AudioModel
import ByteSource
import HTTPSource
import MartletTestSupport
import Platform

/// An item read by HTTP, and all that was told of it.
final class HTTPFetch: Sendable {
  private let events: Monitor<[SourceEvent]>
  let source: HTTPSource

  init(_ url: String, _ configuration: HTTPSourceConfiguration = impatient()) {
    let events = Monitor<[SourceEvent]>([])
    self.events = events
    source = HTTPSource(url: url, configuration: configuration) { event in events.signal { $0.append(event) } }
  }

  deinit { source.close() }

  /// Everything told so far.
  var told: [SourceEvent] { events.withLock { $0 } }

  /// Waits until something is told, 10 seconds at most.
  func waits(until condition: @escaping @Sendable (SourceEvent) -> Bool) -> Bool {
    events.wait(until: .now.advanced(bySeconds: 10)) { $0.contains(where: condition) ? true : nil } ?? false
  }

  /// Opens and reads to the end.
  /// - Parameter start: Where from.
  func run(from start: Int64 = 0) -> Outcome {
    var outcome = Outcome()
    do {
      outcome.facts = try source.open()
      if start > 0 { try source.seek(to: start) }
      var block = [UInt8](repeating: 0, count: 8192)
      while case let count = try block.withUnsafeMutableBytes({ try source.read(into: $0) }), count > 0 {
        outcome.bytes += block[..<count]
      }
    } catch {
      outcome.error = error as? AudioError
    }
    return outcome
  }

  struct Outcome {
    var facts: SourceFacts?
    var bytes: [UInt8] = []
    var error: AudioError?
  }
}
