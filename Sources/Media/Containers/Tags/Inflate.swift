internal import CZlib

/// Decompresses what zlib compressed.
enum Inflate {
  /// Decompresses `bytes` into at most `limit` bytes; what lies behind them, or behind damage, is left out.
  /// - Returns: `nil` when nothing can be decompressed.
  static func decompress(_ bytes: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
    let source = Array(bytes)
    let plain = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      var size = uLongf(limit)
      // The status tells only whether all of it is there; the size says in each case how much was written.
      _ = uncompress(buffer.baseAddress, &size, source, uLong(source.count))
      count = min(Int(size), limit)
    }
    return plain.isEmpty ? nil : plain
  }
}
