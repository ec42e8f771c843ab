internal import AudioModel
internal import Commands
internal import Glibc
internal import Platform

/// The control socket's thread: `poll` over the listener, the inbox and all clients.
final class ControlLoop {
  private let listener: Int32
  private let inbox: ControlInbox
  private let handler: any CommandHandler
  private var clients: [ControlClientState] = []
  private var observation: Int?

  init(listener: Int32, inbox: ControlInbox, handler: any CommandHandler) {
    self.listener = listener
    self.inbox = inbox
    self.handler = handler
  }

  /// Serves until the inbox says stop.
  func run() {
    while !turn(timeout: -1) {}
    sayFarewell()
    if let observation { handler.removeObserver(observation) }
    for client in clients { close(client.descriptor) }
    close(listener)
  }

  /// Waits for something to happen and does it.
  /// - Returns: Whether to end.
  private func turn(timeout: Int32) -> Bool {
    var waits = [pollfd(fd: inbox.pipe.reader, events: Int16(POLLIN), revents: 0)]
    let isFull = clients.count >= ControlServer.Limit.clients
    waits.append(pollfd(fd: isFull ? -1 : listener, events: Int16(POLLIN), revents: 0))
    waits += clients.map { pollfd(fd: $0.descriptor, events: $0.interest, revents: 0) }
    guard poll(&waits, nfds_t(waits.count), timeout) >= 0 || errno == EINTR else { return true }
    inbox.pipe.drain()
    let (events, isStopping) = inbox.take()
    stream(events)
    for (client, wait) in zip(clients, waits[2...]) where wait.revents != 0 {
      if wait.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0, client.interest & Int16(POLLIN) != 0 { serve(client) }
      client.flush()
      if wait.revents & Int16(POLLHUP) != 0 { client.hangUp() }
    }
    if waits[1].revents != 0 { acceptClients() }
    dropGone()
    return isStopping
  }

  private func acceptClients() {
    while clients.count < ControlServer.Limit.clients {
      let descriptor = acceptConnection(listener)
      guard descriptor >= 0 else { return }
      clients.append(ControlClientState(descriptor))
    }
  }

  private func serve(_ client: ControlClientState) {
    client.receive()
    while let line = client.nextLine() {
      guard !line.isEmpty else { continue }
      client.send(reply(to: String(decoding: line, as: UTF8.self), from: client))
      if client.isGone { return }
    }
  }

  private func reply(to line: String, from client: ControlClientState) -> JSONValue {
    do throws(AudioError) {
      let command = try Command(parsing: line)
      if command == .events { subscribe(client) }
      return handler.reply(to: command)
    } catch {
      return Reply.failure(error)
    }
  }

  // MARK: Events

  private func subscribe(_ client: ControlClientState) {
    client.isSubscriber = true
    guard observation == nil else { return }
    let inbox = inbox
    observation = handler.observe { inbox.add($0) }
  }

  private func stream(_ events: [JSONValue]) {
    let subscribers = clients.filter(\.isSubscriber)
    for client in subscribers {
      for event in events { client.send(event) }
      client.flush()
    }
  }

  // MARK: Ends

  private func dropGone() {
    for client in clients where client.isGone { close(client.descriptor) }
    clients.removeAll(where: \.isGone)
    if let observation, !clients.contains(where: \.isSubscriber) {
      handler.removeObserver(observation)
      self.observation = nil
    }
  }

  /// Gives clients a moment to fetch what was sent to them.
  private func sayFarewell() {
    stream(inbox.take().events)
    for _ in 0..<(ControlServer.Limit.farewell / 20) {
      for client in clients { client.flush() }
      dropGone()
      var waits = clients.filter(\.hasBacklog).map { pollfd(fd: $0.descriptor, events: Int16(POLLOUT), revents: 0) }
      if waits.isEmpty { return }
      _ = poll(&waits, nfds_t(waits.count), 20)
    }
  }
}
