import AudioModel
import ByteSource
import Glibc
import HTTPSource
import MartletTestSupport
import Platform
import Testing

/// nginx with a certificate of the test's own.
private final class SecureServer {
  let folder = ToolBox.temporaryFolder()
  let port: Int
  private let process: ChildProcess
  var certificate: String { folder + "/cert.pem" }

  init(_ files: [String: [UInt8]]) {
    let server = HTTPFaultServer()
    port = server.port
    server.stop()
    ToolBox.run(
      "openssl",
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", folder + "/key.pem", "-out", folder + "/cert.pem",
        "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
      ])
    for (name, bytes) in files { write(bytes, folder + "/" + name) }
    let text = """
      daemon off; master_process off; pid \(folder)/pid; error_log \(folder)/errors;
      events {}
      http {
        access_log off; client_body_temp_path \(folder)/t1; proxy_temp_path \(folder)/t2; fastcgi_temp_path \(folder)/t3;
        uwsgi_temp_path \(folder)/t4; scgi_temp_path \(folder)/t5;
        server {
          listen 127.0.0.1:\(port) ssl; root \(folder);
          ssl_certificate \(folder)/cert.pem; ssl_certificate_key \(folder)/key.pem;
        }
      }
      """
    write(Array(text.utf8), folder + "/conf")
    process = ChildProcess("nginx", ["-c", folder + "/conf", "-e", folder + "/errors"])
  }

  deinit {
    process.signal(SIGKILL)
    process.waitForEnd()
    ToolBox.remove(folder)
  }
}

private func write(_ bytes: [UInt8], _ path: String) {
  let file = open(path, O_WRONLY | O_CREAT, 0o644)
  defer { close(file) }
  precondition(write(file, bytes, bytes.count) == bytes.count)
}

@Suite(
  .enabled(if: ToolBox.has("nginx"), "nginx is not installed"),
  .enabled(if: ToolBox.has("openssl"), "openssl is not installed"))
struct HTTPSecurityTests {
  /// Waits for the server to listen by trying again.
  private func patient(_ certificate: String?) -> HTTPSourceConfiguration {
    impatient {
      $0.retryPolicy.firstContactDelays = .init(repeating: 0.02, count: 500)
      $0.certificateFile = certificate
    }
  }

  @Test func certificatesAreVerified() throws {
    let body = noise(500_000)
    let server = SecureServer(["a.mp3": body])
    for host in ["localhost", "127.0.0.1"] {
      let url = "https://\(host):\(server.port)/a.mp3"
      #expect(HTTPFetch(url, patient(server.certificate)).run().bytes == body)
      let error = HTTPFetch(url, patient(nil)).run().error
      #expect(error?.code == .tlsFailed)
      #expect(error?.recovery == AudioError.Recovery.none)
    }
  }

  @Test func theContractHoldsOverTLS() throws {
    let body = noise(500_000)
    let server = SecureServer(["a.mp3": body])
    let configuration = patient(server.certificate)
    let violations = try ByteSourceContract(body, seeking: .request) {
      HTTPSource(url: "https://localhost:\(server.port)/a.mp3", configuration: configuration)
    }.violations()
    #expect(violations == [])
  }
}
