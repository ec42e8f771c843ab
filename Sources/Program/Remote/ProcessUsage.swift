internal import Glibc

/// What this process has used so far.
package struct ProcessUsage: Hashable, Sendable {
  /// Seconds of processor time, of all threads, in user and system mode.
  package var cpuSeconds: Double
  /// The most memory that was resident, in bytes.
  package var peakMemory: Int64

  /// As of now.
  package static var current: ProcessUsage {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return ProcessUsage(
      cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
      peakMemory: highWaterMark ?? Int64(usage.ru_maxrss) * 1024)
  }

  /// `VmHWM` of /proc/self/status. `ru_maxrss` would count the memory of the process that started this one.
  private static var highWaterMark: Int64? {
    guard let file = fopen("/proc/self/status", "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard text.hasPrefix("VmHWM:") else { continue }
      return Int64(text.filter(\.isNumber)).map { $0 * 1024 }
    }
    return nil
  }
}
