"""A simulator of the SAT's services in a child process, with valid, slow, wrong and missing responses.

The path selects the response: `/answer/well` is valid, `/answer/TIMES-KIND` fails that number of times first,
`/file/NAME` sends a file of the given folder, any other `GET` the file of that name. `GET /seen` returns the counts
of requests by path, and the last request.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

from httpx2 import get
from tests.support.forked_program import start

TIMEOUT_SECONDS = 20.0
SILENT_SECONDS = 3600

GOOD = """<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>
<ConsultaResponse xmlns="http://tempuri.org/"><ConsultaResult xmlns:a="urn:a">
<a:CodigoEstatus>S - Comprobante obtenido satisfactoriamente.</a:CodigoEstatus>
<a:EsCancelable>Cancelable con aceptación</a:EsCancelable><a:Estado>Vigente</a:Estado>
<a:EstatusCancelacion>En proceso</a:EstatusCancelacion><a:ValidacionEFOS>200</a:ValidacionEFOS>
</ConsultaResult></ConsultaResponse></s:Body></s:Envelope>"""
NOT_IMPLEMENTED = GOOD.replace(">200<", ">100<")
ENTITIES = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>'
FAULT = (
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault><faultcode>x</faultcode>'
    "<faultstring>no</faultstring></s:Fault></s:Body></s:Envelope>"
)
WRONG = {
    "500": (500, GOOD),
    "404": (404, "no"),
    "redirect": (302, ""),
    "html": (200, "<!DOCTYPE html><html><body>Mantenimiento</body></html>"),
    "truncated": (200, GOOD[: len(GOOD) // 2]),
    "otherxml": (200, "<respuesta/>"),
    "otherbody": (200, GOOD.replace("ConsultaRes", "OtraRes")),
    "nostate": (200, GOOD.replace("<a:Estado>Vigente</a:Estado>", "")),
    "fault": (200, FAULT),
    "empty": (200, ""),
    "huge": (200, GOOD + " " * 1_000_000),
    "longword": (200, GOOD.replace("Vigente", "V" * 1_000)),
    "bomb": (200, ENTITIES + GOOD.replace("Vigente", "&c;")),
}
"""Status and body of invalid responses by kind."""


class Handler(BaseHTTPRequestHandler):
    folder: Path
    requests: ClassVar[Counter[str]] = Counter()
    last: ClassVar[dict[str, Any]] = {}

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Handler.requests[self.path] += 1
        Handler.last = {"headers": {name.lower(): value for name, value in self.headers.items()}, "body": body.decode()}
        _, kind, name = self.path.split("/", 2)
        if kind == "file":
            self._send(200, (self.folder / name).read_bytes())
        else:
            self._answer(name)

    def do_GET(self) -> None:
        if self.path == "/seen":
            self._send(200, json.dumps({"requests": self.requests, **self.last}).encode())
            return
        Handler.requests[self.path] += 1
        file = self.folder / self.path.partition("?")[0].rpartition("/")[2]
        if file.is_file():
            self._send(200, file.read_bytes())
        else:
            self._send(500 if file.stem.endswith("500") else 404, b"no")

    def _answer(self, name: str) -> None:
        times, _, kind = name.partition("-")
        if kind and times.isdigit():
            name = kind if Handler.requests[self.path] <= int(times) else "well"
        if name in WRONG:
            status, text = WRONG[name]
            self._send(status, text.encode())
        elif name == "drip":
            self._drip()
        elif name == "gzip":
            self._send(200, gzip.compress(GOOD.encode()), encoding="gzip")
        elif name == "hangup":
            self.connection.close()
        else:
            time.sleep({"silent": SILENT_SECONDS, "slow": 0.5}.get(name, 0))
            self._send(200, (NOT_IMPLEMENTED if name == "listed" else GOOD).encode())

    def _drip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(GOOD.encode())))
        self.end_headers()
        for byte in GOOD.encode():
            self.wfile.write(bytes([byte]))
            time.sleep(0.1)

    def _send(self, status: int, body: bytes, encoding: str = "identity") -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/xml; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Encoding", encoding)
        if status == 302:
            self.send_header("Location", "/answer/well")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Silence."""


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect."""


@dataclass(frozen=True)
class SatServices:
    """The running simulator."""

    address: str

    def seen(self) -> Any:
        """Return `requests` by path, and `headers` and `body` of the last request."""
        return get(f"{self.address}/seen").json()

    def request_count(self, path: str) -> int:
        return int(self.seen()["requests"].get(path, 0))


@contextmanager
def sat_services(folder: Path) -> Iterator[SatServices]:
    """Run the simulator. folder: of the files that it sends."""
    with start("tests.support.sat_services", str(folder), stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout
            yield SatServices(process.stdout.readline().strip())
        finally:
            process.terminate()
            process.wait(TIMEOUT_SECONDS)


if __name__ == "__main__":
    Handler.folder = Path(sys.argv[1])
    with QuietServer(("127.0.0.1", 0), Handler) as server:
        print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
        server.serve_forever()
