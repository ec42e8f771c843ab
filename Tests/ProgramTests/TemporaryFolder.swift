import Glibc

/// A folder that is gone when the test is over.
final class TemporaryFolder: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/martlet-test-XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? "/tmp"
  }

  deinit {
    nftw(path, { @Sendable path, _, _, _ in remove(path!) }, 8, FTW_DEPTH | FTW_PHYS)
  }
}
