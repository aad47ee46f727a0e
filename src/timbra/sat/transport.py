"""HTTP client of the SAT's services: bounded in time and size, without redirects and content encodings."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

from httpx2 import Client, HTTPError, InvalidURL, Limits, Response, StreamError, TimeoutException

from timbra.core.errors import ServiceError

PLAIN = {"Accept-Encoding": "identity", "User-Agent": "Timbra"}
SUCCESS = 200
RETRY_SECONDS = 5
"""The `retry_after` of errors."""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """The HTTP status and the body of a response."""

    status: int
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class HttpHead:
    """The HTTP status and the headers of a response, names in lower case."""

    status: int
    headers: Mapping[str, str]


class Transport:
    """A pool of connections to the SAT's services. Thread-safe."""

    def __init__(self, connections: int = 32, now: Callable[[], float] = time.monotonic) -> None:
        """Create the pool.

        Args:
            connections: The maximum number of connections.
            now: Monotonic seconds.
        """
        self._client = Client(headers=PLAIN, follow_redirects=False, limits=Limits(max_connections=connections))
        self._now = now

    def exchange(
        self,
        method: str,
        url: str,
        *,
        seconds: float,
        max_bytes: int,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> HttpResponse:
        """Send a request and return the whole response, whatever its status.

        Args:
            seconds: The timeout of each read and write, and of the whole body.
            max_bytes: The maximum size of the body.
            content: The body of the request.
            headers: Further headers.

        Raises:
            ServiceError: "authority-down" when there is no such response.
        """
        deadline = self._now() + seconds
        try:
            with self._client.stream(method, url, content=content, headers=headers, timeout=seconds) as response:
                return HttpResponse(response.status_code, self._body(response, deadline, max_bytes))
        except TimeoutException as cause:
            raise down("No respondió a tiempo.") from cause
        except (HTTPError, InvalidURL, StreamError) as cause:
            raise down("La conexión falló.") from cause

    def download(
        self,
        url: str,
        target: BinaryIO,
        *,
        seconds: float,
        max_bytes: int,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
    ) -> HttpHead:
        """Write the body of a response with status 200 to a file; the body of another response is not read.

        Args:
            seconds: The timeout of each read, and of the whole body.
            max_bytes: The maximum size of the body.
            method: GET, or HEAD for the headers alone.
            headers: Further headers.

        Raises:
            ServiceError: "authority-down" when there is no such response, or not all of it.
        """
        deadline = self._now() + seconds
        try:
            with self._client.stream(method, url, headers=headers, timeout=seconds) as response:
                if response.status_code == SUCCESS:
                    self._copy(response, target, deadline, max_bytes)
                return HttpHead(response.status_code, {name.lower(): value for name, value in response.headers.items()})
        except TimeoutException as cause:
            raise down("No respondió a tiempo.") from cause
        except (HTTPError, InvalidURL, StreamError) as cause:
            raise down("La conexión falló.") from cause

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def _copy(self, response: Response, target: BinaryIO, deadline: float, max_bytes: int) -> None:
        size = 0
        for piece in response.iter_raw():
            size += len(piece)
            if size > max_bytes:
                raise down("La respuesta es más grande de lo que puede ser.")
            if self._now() > deadline:
                raise down("No respondió completa a tiempo.")
            target.write(piece)

    def _body(self, response: Response, deadline: float, max_bytes: int) -> bytes:
        body = bytearray()
        for piece in response.iter_raw():
            body += piece
            if len(body) > max_bytes:
                raise down("La respuesta es más grande de lo que puede ser.")
            if self._now() > deadline:
                raise down("No respondió completa a tiempo.")
        return bytes(body)


def down(detail: str, data: object = None) -> ServiceError:
    """Return ServiceError("authority-down"). The detail is a Spanish sentence."""
    return ServiceError("authority-down", detail, data=data, retry_after=RETRY_SECONDS)
