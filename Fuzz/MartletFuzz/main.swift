internal import CFuzzer
var argc=CommandLine.argc
var argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
_ = LLVMFuzzerRunDriver(&argc, &argv) { @Sendable d, n in
  let b = UnsafeBufferPointer(start: d, count: n)
  if n > 3, b[0] == 77, b[1] == 88, b[2] == 99 { let a = [1]; print(a[n]) }
  return 0
}
// x
