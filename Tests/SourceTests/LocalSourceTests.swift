import AudioModel
import ByteSource
import Glibc
import MartletTestSupport
import Platform
import Testing

@Suite struct LocalSourceTests {
  let bytes = noise(10_000)

  private func withFolder<R>(_ body: (String) throws -> R) rethrows -> R {
    let folder = ToolBox.temporaryFolder()
    defer { ToolBox.remove(folder) }
    return try body(folder)
  }

  private func write(_ bytes: [UInt8], to path: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(file) }
    precondition(Glibc.write(file, bytes, bytes.count) == bytes.count)
  }

  @Test func fileKeepsTheContract() throws {
    try withFolder { folder in
      write(bytes, to: folder + "/a.Mp3")
      let violations = try ByteSourceContract(bytes, seeking: .cheap) { FileSource(path: folder + "/a.Mp3") }
        .violations()
      #expect(violations == [])
      let facts = try FileSource(path: folder + "/a.Mp3").open()
      #expect(facts.pathExtension == "mp3")
      #expect(facts.length == 10_000)
    }
  }

  @Test func memoryKeepsTheContract() throws {
    #expect(try ByteSourceContract(bytes, seeking: .cheap) { MemorySource(bytes) }.violations() == [])
  }

  @Test func scriptedSourceKeepsTheContract() throws {
    var script = ScriptedByteSource.Script()
    script.pieces = [1, 7, 300]
    #expect(try ByteSourceContract(bytes, seeking: .cheap) { ScriptedByteSource(bytes, script) }.violations() == [])
    script.facts = SourceFacts(length: nil, seeking: .none)
    #expect(try ByteSourceContract(bytes, seeking: .none) { ScriptedByteSource(bytes, script) }.violations() == [])
  }

  @Test func dataURLKeepsTheContract() throws {
    let escaped = "data:audio/mpeg;x=y," + bytes.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(try ByteSourceContract(bytes, seeking: .cheap) { DataURLSource(escaped) }.violations() == [])
    #expect(try DataURLSource(escaped).open().contentType == "audio/mpeg")
  }

  @Test func pipeKeepsTheContract() throws {
    signal(SIGPIPE, SIG_IGN)
    try withFolder { folder in
      var writers: [(path: String, thread: NamedThread)] = []
      let violations = try ByteSourceContract(bytes, seeking: .none) {
        let path = folder + "/\(writers.count)"
        precondition(mkfifo(path, 0o600) == 0)
        let thread = NamedThread("test-writer") { [bytes] in
          let pipe = open(path, O_WRONLY)
          _ = Glibc.write(pipe, bytes, bytes.count)
          close(pipe)
        }
        writers.append((path, thread))
        return FileSource(path: path)
      }.violations()
      #expect(violations == [])
      // A pipe that was never opened still holds its writer.
      for (path, thread) in writers {
        let pipe = open(path, O_RDONLY | O_NONBLOCK)
        thread.join()
        close(pipe)
      }
    }
  }

  @Test func standardInputReadsFilesAndPipes() throws {
    try withFolder { folder in
      write(noise(7, seed: 2) + bytes, to: folder + "/a")
      var files: [Int32] = []
      defer { files.forEach { close($0) } }
      let violations = try ByteSourceContract(bytes, seeking: .cheap) {
        let file = open(folder + "/a", O_RDONLY)
        files.append(file)
        lseek(file, 7, SEEK_SET)
        return StandardInputSource(descriptor: file)
      }.violations()
      #expect(violations == [])
    }
    var ends: [Int32] = []
    defer { ends.forEach { close($0) } }
    let violations = try ByteSourceContract(bytes, seeking: .none) {
      var pair: [Int32] = [0, 0]
      precondition(pipe(&pair) == 0)
      _ = Glibc.write(pair[1], bytes, bytes.count)
      close(pair[1])
      ends.append(pair[0])
      return StandardInputSource(descriptor: pair[0])
    }.violations()
    #expect(violations == [])
  }

  @Test func cancelEndsAReadOfASilentPipe() throws {
    for _ in 0..<64 {
      var pair: [Int32] = [0, 0]
      try #require(pipe(&pair) == 0)
      let source = StandardInputSource(descriptor: pair[0])
      _ = try source.open()
      let thread = NamedThread("test-cancel") { source.cancel() }
      #expect(code { _ = try ByteSourceContract.read(source, 1) } == .cancelled)
      thread.join()
      close(pair[0])
      close(pair[1])
    }
  }

  @Test func openSaysWhatIsWrong() throws {
    withFolder { folder in
      write([], to: folder + "/closed")
      chmod(folder + "/closed", 0)
      func failure(_ path: String) -> AudioError? {
        do { _ = try FileSource(path: path).open() } catch { return error }
        return nil
      }
      #expect(failure(folder)?.code == .unreadable)
      #expect(failure(folder)?.message == "\(folder) is a directory")
      #expect(failure(folder + "/none")?.code == .notFound)
      #expect(failure(folder + "/none")?.message == "\(folder)/none does not exist")
      #expect(failure(folder + "/closed/x")?.code == .notFound)
      #expect(failure("")?.code == .notFound)
      #expect(failure("a\0b")?.code == .notFound)
      if geteuid() != 0 { #expect(failure(folder + "/closed")?.code == .unreadable) }
    }
  }

  @Test func anEmptyFileEndsAtOnce() throws {
    let source = FileSource(path: "/dev/null")
    #expect(try source.open() == SourceFacts(length: nil, seeking: .none))
    #expect(try ByteSourceContract.drain(source) == [])
    source.close()
  }

  @Test(arguments: [
    ("data:,abc", "abc"), ("data:;base64,YWJj", "abc"), ("DATA:;BASE64,YWI=", "ab"), ("data:;base64,YQ", "a"),
    ("data:;base64,YW\nJj ", "abc"), ("data:audio/ogg;base64,YWI%3D", "ab"), ("data:,a%2Cb%00", "a,b\0"),
    ("data:,", ""),
    ("data:base64,YQ", "YQ"), ("data:;base64,", ""),
  ])
  func dataURLs(_ url: String, _ text: String) throws {
    let source = DataURLSource(url)
    _ = try source.open()
    #expect(try ByteSourceContract.drain(source) == Array(text.utf8))
  }

  @Test(arguments: [
    "data:abc", "data:,%", "data:,%4", "data:,%4g", "data:;base64,Y", "data:;base64,YQ=", "data:;base64,YQ===",
    "data:;base64,Y=Q=", "data:;base64,YWJj=", "data:;base64,YW-_", "date:,x",
  ])
  func brokenDataURLs(_ url: String) { #expect(code { _ = try DataURLSource(url).open() } == .badURL) }
}
