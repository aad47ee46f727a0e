"""A local S3 server (moto) that answers every second GET with 503; `requirements/bulk.txt` has its libraries.

Prints its port, serves until its standard input ends.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any


class FlakyApplication:
    """WSGI middleware: 503 for every second GET."""

    def __init__(self, application: Any) -> None:
        self._application = application
        self._requests = count()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] == "GET" and next(self._requests) % 2:
            start_response("503 Slow Down", [("Content-Type", "text/plain"), ("Content-Length", "0")])
            return [b""]
        response: Iterable[bytes] = self._application(environ, start_response)
        return response


def main() -> None:
    """Serve until standard input ends."""
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    application = FlakyApplication(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, application, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
