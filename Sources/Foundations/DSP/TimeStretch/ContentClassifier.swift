/// Tells speech from music by what has been heard.
struct ContentClassifier {
  private(set) var isSpeech = true

  init(rate: Int, channels: Int) {}

  func deallocate() {}

  // MARK: Real-time

  @_noLocks @_noAllocation
  mutating func reset() {}

  @_noLocks @_noAllocation
  mutating func listen(_ planes: UnsafePointer<Float>, stride: Int, count: Int) {}
}
