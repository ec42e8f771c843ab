/// One piece of the library that meets bytes from outside.
struct FuzzTarget: Sendable {
  /// Name on the command line.
  let name: String
  /// Good input, small, from which the fuzzer makes bad one.
  let seeds: @Sendable () -> [[UInt8]]
  /// Takes any bytes at all, and traps where a promise is broken.
  let run: @Sendable (UnsafeRawBufferPointer) -> Void

  static let all: [FuzzTarget] =
    parsers + playlists + [.probe, .stream, .tags, .decode, .http, .radio, .location, .url, .command]
}
