package import AudioModel

/// Which item, and which of its frames, stands where in the decoded streams; and what of it has been heard.
///
/// A decode worker registers a segment when it begins to write an item into a buffer, and closes it when the item ends.
/// ``advance(_:)`` walks over what was heard and answers what it met on the way. Frame accounts are exact: what is
/// counted for an item is the difference of media positions, never a sum of rounded pieces. Pure value.
package struct Ledger: Hashable, Sendable {
  /// A stretch of one buffer that holds frames of one item.
  package struct Segment: Hashable, Sendable {
    /// The item's name.
    package var item: Int
    /// Which buffer.
    package var generation: Int
    /// First stream frame.
    package var start: Int64
    /// Stream frame behind the last; `nil` while it is being written.
    package var end: Int64?
    /// The item's frame that stands at `start`, at the item's rate.
    package var mediaStart: Int64
    /// The item's frame behind the last; set with `end`.
    package var mediaEnd: Int64?
    /// The item's rate.
    package var mediaRate: SampleRate
    /// The stream's rate.
    package var streamRate: SampleRate
    /// Stream frame behind the last one heard.
    fileprivate var heardTo: Int64
    /// The item begins here by going on from the one before, or by a command, but not by a seek inside it.
    package var opensItem: Bool

    /// Makes an open segment.
    package init(
      item: Int, generation: Int, start: Int64, mediaStart: Int64, mediaRate: SampleRate, streamRate: SampleRate,
      opensItem: Bool
    ) {
      self.item = item
      self.generation = generation
      self.start = start
      self.mediaStart = mediaStart
      self.mediaRate = mediaRate
      self.streamRate = streamRate
      self.opensItem = opensItem
      heardTo = start
    }

    /// The item's frame at a stream frame, clamped to the segment.
    package func mediaFrame(at streamFrame: Int64) -> Int64 {
      if let end, let mediaEnd, streamFrame >= end { return mediaEnd }
      let frame = mediaStart + streamRate.convert(max(0, streamFrame - start), to: mediaRate)
      return mediaEnd.map { min($0, frame) } ?? frame
    }
  }

  /// Something met while walking over what was heard. `outputFrame` tells when.
  package enum Happening: Hashable, Sendable {
    /// The first frame of an item is heard.
    case started(Segment, outputFrame: Int64)
    /// The first frame of another buffer is heard: a seek arrived.
    case arrived(Segment, outputFrame: Int64)
    /// The last frame of an item was heard.
    case completed(Segment, outputFrame: Int64)
  }

  /// Where the listener is.
  package struct Place: Hashable, Sendable {
    /// The item's name.
    package var item: Int
    /// Its frame, at its own rate.
    package var mediaFrame: Int64

    /// Makes a place.
    package init(item: Int, mediaFrame: Int64) {
      self.item = item
      self.mediaFrame = mediaFrame
    }
  }

  private var segments: [Segment] = []
  private var heard: [Int: Int64] = [:]
  /// Where the listener is; `nil` before the first frame.
  package private(set) var place: Place?
  private var generation: Int?

  /// Makes an empty ledger.
  package init() {}

  /// Registers that an item begins to be written.
  package mutating func open(_ segment: Segment) { segments.append(segment) }

  /// Registers that an item's last frame was written.
  /// - Returns: Whether it was heard already, so that no ``Happening/completed(_:outputFrame:)`` will tell.
  package mutating func close(item: Int, generation: Int, end: Int64, mediaEnd: Int64) -> Bool {
    guard let index = segments.lastIndex(where: { $0.item == item && $0.generation == generation }) else {
      return false
    }
    let segment = segments[index]
    segments[index].end = end
    segments[index].mediaEnd = mediaEnd
    guard segment.heardTo == end, end > segment.start else { return false }
    heard[item, default: 0] += mediaEnd - segment.mediaFrame(at: end)
    place = Place(item: item, mediaFrame: mediaEnd)
    return true
  }

  /// Frames of an item that were heard, at its own rate.
  package func framesHeard(of item: Int) -> Int64 { heard[item] ?? 0 }

  /// Forgets an item and everything of it.
  package mutating func forget(item: Int) {
    segments.removeAll { $0.item == item }
    heard[item] = nil
    if place?.item == item { place = nil }
  }

  /// Forgets what older buffers held.
  package mutating func forget(generationsBefore generation: Int) {
    segments.removeAll { $0.generation < generation }
  }

  /// Whether any frame of an item was written.
  package func knows(_ item: Int) -> Bool { segments.contains { $0.item == item } || heard[item] != nil }

  /// Whether a stream frame is known to belong to an item already.
  package func covers(_ streamFrame: Int64, of generation: Int) -> Bool {
    segments.contains { $0.generation == generation && $0.start <= streamFrame }
  }

  /// Walks over a stretch that was heard.
  package mutating func advance(_ stretch: Timeline.Stretch) -> [Happening] {
    var happenings: [Happening] = []
    for index in segments.indices where segments[index].generation == stretch.generation {
      let segment = segments[index]
      let end = segment.end ?? Int64.max
      let lower = max(segment.start, stretch.frames.lowerBound)
      let upper = min(end, stretch.frames.upperBound)
      func output(_ streamFrame: Int64) -> Int64 { stretch.outputFrame(of: streamFrame) }
      guard lower < upper else {
        // An item without a single frame still starts and ends, where its neighbours meet.
        if segment.start == end, stretch.frames.lowerBound <= end, end < stretch.frames.upperBound {
          happenings.append(.started(segment, outputFrame: output(end)))
          happenings.append(.completed(segment, outputFrame: output(end)))
        }
        continue
      }
      if lower == segment.start && segment.opensItem {
        happenings.append(.started(segment, outputFrame: output(lower)))
      } else if generation != segment.generation {
        happenings.append(.arrived(segment, outputFrame: output(lower)))
      }
      generation = segment.generation
      segments[index].heardTo = upper
      heard[segment.item, default: 0] += segment.mediaFrame(at: upper) - segment.mediaFrame(at: lower)
      place = Place(item: segment.item, mediaFrame: segment.mediaFrame(at: upper))
      if upper == segment.end {
        happenings.append(.completed(segment, outputFrame: output(upper)))
      }
    }
    return happenings
  }
}
