/// Whether sound is to be heard, and why it is not: the player's state as a machine without side effects.
package struct Transport: Hashable, Sendable {
  /// The states of a player; ``Martlet/PlayerState`` says what each means.
  package enum State: String, Hashable, Sendable {
    case idle, opening, buffering, playing, paused, ended, failed
  }

  /// What can happen.
  package enum Event: Hashable, Sendable {
    /// The listener wants to hear something.
    case play
    /// The listener wants silence.
    case pause
    /// The listener ends it.
    case stop
    /// The item to be heard is known: decoding begins.
    case opened
    /// Nothing is left to sound, but more is to come.
    case starved
    /// The last item is over. `anythingPlayed` tells whether one frame was heard of any.
    case finished(anythingPlayed: Bool)
  }

  /// What the owner is to do.
  package enum Action: Hashable, Sendable {
    /// Begin with the first item.
    case begin
    /// Let the render path run.
    case run
    /// Let the render path hold.
    case hold
    /// Drop everything.
    case release
  }

  /// Where it stands.
  package private(set) var state = State.idle
  private var isOpen = false
  private var isFilled = false

  /// Makes a transport at rest.
  package init() {}

  /// Takes a step.
  package mutating func handle(_ event: Event) -> Action? {
    switch (event, state) {
    case (.play, .idle), (.play, .ended), (.play, .failed):
      isOpen = false
      isFilled = false
      state = .opening
      return .begin
    case (.play, .paused):
      state = isFilled ? .playing : isOpen ? .buffering : .opening
      return isFilled ? .run : nil
    case (.play, .opening), (.play, .buffering), (.play, .playing):
      return nil
    case (.pause, .playing):
      state = .paused
      return .hold
    case (.pause, .opening), (.pause, .buffering):
      state = .paused
      return nil
    case (.pause, .idle), (.pause, .paused), (.pause, .ended), (.pause, .failed):
      return nil
    case (.stop, .idle):
      return nil
    case (.stop, _):
      state = .idle
      return .release
    case (.opened, .opening):
      isOpen = true
      state = .buffering
      return nil
    case (.opened, _):
      isOpen = true
      return nil
    case (.starved, .playing):
      isFilled = false
      state = .buffering
      return .hold
    case (.starved, _):
      isFilled = false
      return nil
    case (.finished, .idle), (.finished, .ended), (.finished, .failed):
      return nil
    case (.finished(let anythingPlayed), _):
      isFilled = false
      state = anythingPlayed ? .ended : .failed
      return nil
    }
  }

  /// The buffer is replaced (a seek, another item): what it held counts no more, but the state stays until it is
  /// clear that the new one takes long, see ``refillIsSlow()``.
  package mutating func refill() { isFilled = false }

  /// Enough is decoded to sound. Answers whether the render path is to run now.
  package mutating func filled() -> Bool {
    isFilled = true
    switch state {
    case .opening, .buffering:
      state = .playing
      return true
    case .playing: return true
    case .idle, .paused, .ended, .failed: return false
    }
  }

  /// The new buffer takes long: playing is buffering now.
  package mutating func refillIsSlow() {
    if state == .playing && !isFilled { state = .buffering }
  }
}
