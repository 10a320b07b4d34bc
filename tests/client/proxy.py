"""A proxy that stands before a service and fails as it is told to: by a lost response, or by being busy."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal
from urllib.parse import urlsplit

# The request goes through, or goes through and the response is lost, or does not go through at all.
Fate = Literal["pass", "lose", "busy", "often", "elsewhere", "garbled"]
WORDS = {"busy": 503, "often": 429}


class Proxy:
    """Passes requests on, and keeps what came; the next ones meet the fates in `plan`, those after them none.

    A service that was away `comes_back` after one request has missed it.
    """

    def __init__(self, upstream: str) -> None:
        self.upstream, self.comes_back = upstream, upstream
        self.plan: list[Fate] = []
        self.seen: list[tuple[str, str]] = []
        self.bodies: list[bytes] = []
        self.address = ""

    def requests(self, method: str = "") -> list[str]:
        """The paths that were requested, by that method."""
        return [path for given, path in self.seen if method in ("", given)]


@contextmanager
def proxied(upstream: str) -> Iterator[Proxy]:
    """A proxy before a service, while it runs."""
    proxy = Proxy(upstream)

    class Handler(BaseHTTPRequestHandler):
        """One connection."""

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            proxy.seen.append((self.command, self.path))
            proxy.bodies.append(body)
            fate = proxy.plan.pop(0) if proxy.plan else "pass"
            if fate in WORDS:
                self.answer(WORDS[fate], b"busy", {"Retry-After": "0", "Content-Type": "text/plain"})
            elif fate == "elsewhere":
                self.answer(301, b"", {"Location": "https://lab.example/"})
            elif fate == "garbled":
                self.answer(200, b"<html>", {"Content-Type": "text/html"})
            else:
                try:
                    status, content, headers = self.passed(body)
                except ConnectionError:
                    proxy.upstream = proxy.comes_back
                    status, content, headers = 502, b"nobody there", {}
                if fate == "lose":
                    self.close_connection = True
                else:
                    self.answer(status, content, headers)

        do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = handle_any

        def passed(self, body: bytes) -> tuple[int, bytes, dict[str, str]]:
            connection = HTTPConnection(urlsplit(proxy.upstream).netloc, timeout=30.0)
            try:
                headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
                connection.request(self.command, self.path, body or None, headers)
                response = connection.getresponse()
                kept = ("content-type", "retry-after")
                return response.status, response.read(), {n: v for n, v in response.getheaders() if n.lower() in kept}
            finally:
                connection.close()

        def answer(self, status: int, content: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    proxy.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        thread.join(10.0)
        server.server_close()
