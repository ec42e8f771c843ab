internal import CFuzzer
internal import Glibc

private let usage = """
  usage: MartletFuzz list                      names what can be fuzzed
         MartletFuzz seeds NAME FOLDER         writes good input for it
         MartletFuzz run NAME [OPTION|FOLDER|FILE]...   fuzzes it; the rest is for libFuzzer
  """

/// Runs the program; `main.swift` only calls it, so that the callback is not bound to the main actor.
func fuzz(_ arguments: [String]) -> Int32 {
  switch arguments.dropFirst().first {
  case "list" where arguments.count == 2:
    for target in FuzzTarget.all { print(target.name) }
    return 0
  case "seeds" where arguments.count == 4:
    guard let target = find(arguments[2]) else { return 64 }
    for (number, seed) in target.seeds().enumerated() {
      guard write(seed, to: "\(arguments[3])/seed-\(number)") else { return 74 }
    }
    return 0
  case "run" where arguments.count > 2:
    guard let target = find(arguments[2]) else { return 64 }
    return run(target, [arguments[0]] + arguments.dropFirst(3))
  default:
    print(usage)
    return 64
  }
}

private func find(_ name: String) -> FuzzTarget? {
  let found = FuzzTarget.all.first { $0.name == name }
  if found == nil { print("there is no target '\(name)'; `list` names them") }
  return found
}

private func write(_ bytes: [UInt8], to path: String) -> Bool {
  guard let file = fopen(path, "wb") else { return false }
  let written = fwrite(bytes, 1, bytes.count, file)
  return fclose(file) == 0 && written == bytes.count
}

// libFuzzer's callback has no context.
nonisolated(unsafe) private var current: (@Sendable (UnsafeRawBufferPointer) -> Void)?

private func run(_ target: FuzzTarget, _ arguments: [String]) -> Int32 {
  current = target.run
  var count = Int32(arguments.count)
  let copies: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
  return copies.withUnsafeBufferPointer { pointers in
    var argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = UnsafeMutablePointer(
      mutating: pointers.baseAddress)
    return LLVMFuzzerRunDriver(&count, &argv) { data, size in
      current?(UnsafeRawBufferPointer(start: data, count: size))
      return 0
    }
  }
}
