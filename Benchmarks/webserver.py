"""A web server on loopback that is as slow as a distant one: it waits before each answer and limits the rate.

It is a process of its own, so that its work does not delay the measuring, and keeps a ledger of what it has sent.
"""

import http.server
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request

_LEDGER = "/-/"  # paths of the measuring side


class WebServer:
    """The measuring side: starts the server for a folder, and asks what was sent."""

    def __init__(self, folder: str):
        self._process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), folder], stdout=subprocess.PIPE, text=True)
        self._origin = f"http://127.0.0.1:{int(self._process.stdout.readline())}"

    def url(self, path: str) -> str:
        return f"{self._origin}/{os.path.basename(path)}"

    def begin(self):
        """Counts from here on. What a program of before may still be sent is counted no more."""
        self._ask("begin")

    def sent(self, until: float) -> tuple:
        """Requests, and bytes of bodies, since `begin` and until then on the monotonic clock."""
        return tuple(json.loads(self._ask(f"sent?until={until}")))

    def close(self):
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()

    def _ask(self, what: str) -> bytes:
        with urllib.request.urlopen(self._origin + _LEDGER + what, timeout=10) as answer:
            return answer.read()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    root = "."
    latency = 0.05
    rate = 256_000
    ledger = []  # of one run: when, and how many bytes; None for a request
    types = {
        ".mp3": "audio/mpeg", ".aac": "audio/aac", ".m4a": "audio/mp4", ".flac": "audio/flac", ".wav": "audio/wav",
        ".aiff": "audio/aiff", ".caf": "audio/x-caf", ".ogg": "audio/ogg", ".opus": "audio/ogg", ".webm": "audio/webm",
    }

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        if self.path.startswith(_LEDGER):
            self.answer_ledger()
        else:
            self.answer(body=True)

    def answer(self, body: bool):
        ledger = Handler.ledger
        ledger.append((time.monotonic(), None))
        path = os.path.join(self.root, os.path.basename(self.path))
        time.sleep(self.latency)
        if not os.path.isfile(path):
            self.send_error(404)
            return
        size = os.path.getsize(path)
        first, last = 0, size - 1
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if wanted:
            first = int(wanted[1])
            last = min(int(wanted[2] or last), last)
            if first > last:
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{size}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
        self.send_response(206 if wanted else 200)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Type", self.types[os.path.splitext(path)[1]])
        self.send_header("Content-Length", str(last - first + 1))
        if wanted:
            self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.end_headers()
        if body:
            self.send_slowly(path, first, last - first + 1, ledger)

    def send_slowly(self, path: str, first: int, count: int, ledger: list):
        start = time.monotonic()
        sent = 0
        with open(path, "rb") as file:
            file.seek(first)
            while sent < count:
                piece = file.read(min(4096, count - sent))
                try:
                    self.wfile.write(piece)
                except OSError:  # the player has gone
                    self.close_connection = True
                    return
                sent += len(piece)
                ledger.append((time.monotonic(), len(piece)))
                time.sleep(max(0, start + sent / self.rate - time.monotonic()))

    def answer_ledger(self):
        asked = urllib.parse.urlsplit(self.path)
        if asked.path == _LEDGER + "begin":
            Handler.ledger = []
        until = float(urllib.parse.parse_qs(asked.query).get("until", ["0"])[0])
        entries = [size for when, size in Handler.ledger if when <= until]
        answer = json.dumps([entries.count(None), sum(size for size in entries if size is not None)]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # What nobody reads is not to count as sent.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16 << 10)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


if __name__ == "__main__":
    Handler.root = sys.argv[1]
    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
