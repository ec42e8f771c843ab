"""A web server on loopback that is as slow as a distant one: it waits before each answer and limits the rate."""

import http.server
import os
import re
import socket
import sys
import time


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    root = "."
    latency = 0.05
    rate = 256_000
    types = {
        ".mp3": "audio/mpeg", ".aac": "audio/aac", ".m4a": "audio/mp4", ".flac": "audio/flac", ".wav": "audio/wav",
        ".aiff": "audio/aiff", ".ogg": "audio/ogg", ".opus": "audio/ogg", ".webm": "audio/webm",
    }

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        self.answer(body=True)

    def answer(self, body: bool):
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
            self.send_slowly(path, first, last - first + 1)

    def send_slowly(self, path: str, first: int, count: int):
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
                time.sleep(max(0, start + sent / self.rate - time.monotonic()))

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


if __name__ == "__main__":
    # A process of its own, so that its work does not delay the measuring: webserver.py FOLDER, prints its port.
    Handler.root = sys.argv[1]
    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
