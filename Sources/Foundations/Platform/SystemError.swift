internal import Glibc

/// What `errno` says, in words.
package func systemErrorText(_ number: Int32) -> String { String(cString: strerror(number)) }
