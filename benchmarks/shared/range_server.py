"""A folder over HTTP on the loopback, with ranges, that counts what it is asked. Called by scale/seek.py."""

import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple


class Request(NamedTuple):
    """method: GET or HEAD; is_range: whether it asked for a part; n_bytes: that it was given."""

    method: str
    is_range: bool
    n_bytes: int


@contextmanager
def serve(folder: Path):
    """The server's address, and the list of the requests that have come; it stops by itself."""
    requests: list[Request] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self):
            self.do_GET()

        def do_GET(self):
            path = Path(folder, Path(self.path).name)
            if not path.is_file():
                return self.send_error(404)
            size = path.stat().st_size
            first, end, is_range = 0, size, False
            if asked := re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", "")):
                first, end, is_range = *_stretch(*asked.groups(), size), True
                if first >= end:
                    return self.send_error(416)
            self.send_response(206 if is_range else 200)
            self.send_header("Accept-Ranges", "bytes")
            self.send_header("Content-Length", str(end - first))
            if is_range:
                self.send_header("Content-Range", f"bytes {first}-{end - 1}/{size}")
            requests.append(Request(self.command, is_range, end - first if self.command == "GET" else 0))
            self.end_headers()
            if self.command == "GET":
                with path.open("rb") as file:
                    file.seek(first)
                    self.wfile.write(file.read(end - first))

        def log_message(self, *_):
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _stretch(first: str, last: str, size: int) -> tuple[int, int]:
    """Where the bytes begin and end that a Range header asks for (RFC 9110, 14.1.2)."""
    if not first:
        return max(size - int(last or 0), 0), size
    return int(first), min(int(last) + 1, size) if last else size
