@_exported public import CCoreAudio

/// The result of a call that went well.
public let noErr: OSStatus = 0

/// A signed 16-bit integer, by its old name.
public typealias SInt16 = Int16
/// A signed 32-bit integer, by its old name.
public typealias SInt32 = Int32
/// A signed 64-bit integer, by its old name.
public typealias SInt64 = Int64

/// Calls `body`. There is no pool of autoreleased objects on Linux: code that drains one on other systems just runs.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
@discardableResult
public func autoreleasepool<Result, Failure: Error>(
  invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  try body()
}
