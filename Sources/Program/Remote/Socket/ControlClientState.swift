internal import AudioModel
internal import Commands
internal import Glibc

/// One client, as the socket's thread sees it.
final class ControlClientState {
  let descriptor: Int32
  var isSubscriber = false
  private(set) var isGone = false
  private var input: [UInt8] = []
  private var output: [UInt8] = []
  private var isLastLine = false
  private var hasEnded = false

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Whether something waits to be sent.
  var hasBacklog: Bool { !output.isEmpty }

  /// What to wait for. A client that does not fetch its replies is not read: it holds itself back.
  var interest: Int16 {
    let reads = output.count < ControlServer.Limit.line && !isLastLine && !hasEnded
    return Int16((reads ? POLLIN : 0) | (hasBacklog ? POLLOUT : 0))
  }

  /// Takes what has arrived, at most one line's limit at a time.
  func receive() {
    var bytes = [UInt8](repeating: 0, count: 16 * 1024)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    if count > 0 {
      input += bytes[..<count]
    } else if count == 0 {
      hasEnded = true
      if !input.isEmpty { input.append(UInt8(ascii: "\n")) }  // the last line may lack its end
      if !isSubscriber { isLastLine = true }
    } else if errno != EAGAIN && errno != EINTR {
      isGone = true
    }
  }

  /// The next whole line, without its end.
  func nextLine() -> ArraySlice<UInt8>? {
    guard let end = input.firstIndex(of: UInt8(ascii: "\n")) else {
      if input.count > ControlServer.Limit.line {
        input.removeAll()
        isLastLine = true
        send(Reply.failure(AudioError(.usage, "a line has at most \(ControlServer.Limit.line) bytes")))
      }
      return nil
    }
    var line = input[..<end]
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    input.removeSubrange(...end)
    return line
  }

  /// Adds a line to what is sent; a client too far behind is dropped.
  func send(_ value: JSONValue) {
    output += value.text.utf8
    output.append(UInt8(ascii: "\n"))
    if output.count > ControlServer.Limit.backlog { isGone = true }
  }

  /// The other end has closed its half and now the whole connection: nobody fetches anything any more.
  func hangUp() { if hasEnded { isGone = true } }

  /// Sends what the socket takes.
  func flush() {
    while !output.isEmpty && !isGone {
      let count = Glibc.send(descriptor, output, output.count, Int32(MSG_NOSIGNAL))
      if count > 0 {
        output.removeFirst(count)
      } else if errno == EAGAIN {
        return
      } else if errno != EINTR {
        isGone = true
      }
    }
    if output.isEmpty && (isLastLine || (hasEnded && !isSubscriber)) { isGone = true }
  }
}
