import AudioModel
import ByteSource
import HTTPSource
import MartletTestSupport

/// Bytes in which no place looks like another.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  return (0..<count).map { _ in
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return UInt8(truncatingIfNeeded: state >> 32)
  }
}

/// The code of the failure of `body`; `nil` where it does not fail.
func code(_ body: () throws -> Void) -> AudioError.Code? {
  do { try body() } catch { return (error as? AudioError)?.code }
  return nil
}

/// Tries again at once.
func impatient(_ change: (inout HTTPSourceConfiguration) -> Void = { _ in }) -> HTTPSourceConfiguration {
  var configuration = HTTPSourceConfiguration()
  configuration.retryPolicy.delays = [0]
  configuration.retryPolicy.firstContactDelays = [0, 0]
  change(&configuration)
  return configuration
}
