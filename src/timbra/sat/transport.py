"""HTTP client of the SAT's services: bounded in time and size, without redirects and content encodings."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol
from urllib.parse import urlsplit

from httpx2 import Client, HTTPError, InvalidURL, Limits, Response, StreamError, TimeoutException

from timbra.core.errors import ServiceError
from timbra.core.tracing import Span, span

PLAIN = {"Accept-Encoding": "identity", "User-Agent": "Timbra"}
SUCCESS = 200
MAX_FAULT_BYTES = 64 * 1024
"""The part of the body of an error that is read."""
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


class PieceReader(Protocol):
    """Gets the pieces of a body in their order."""

    def write(self, piece: bytes, /) -> int: ...


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
        with (
            _exchange_of(method, url) as sending,
            self._client.stream(method, url, content=content, headers=headers, timeout=seconds) as response,
        ):
            _set_status(sending, response)
            return HttpResponse(response.status_code, self._body(response, deadline, max_bytes))

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
        with (
            _exchange_of(method, url) as sending,
            self._client.stream(method, url, headers=headers, timeout=seconds) as response,
        ):
            _set_status(sending, response)
            if response.status_code == SUCCESS:
                self._copy(response, target, deadline, max_bytes)
            return HttpHead(response.status_code, {name.lower(): value for name, value in response.headers.items()})

    def post(
        self,
        url: str,
        content: bytes,
        target: PieceReader,
        *,
        seconds: float,
        max_bytes: int,
        headers: Mapping[str, str],
    ) -> int:
        """Send a request, pass the body of the response on while it arrives, and return its HTTP status.

        Args:
            content: The body of the request.
            target: Gets the pieces of the body of a response with status 200, and of a short one with another status.
            seconds: The timeout of each read, and of the whole body.
            max_bytes: The maximum size of the body.
            headers: Further headers.

        Raises:
            ServiceError: "authority-down" when there is no such response, or not all of it; those of the target.
        """
        deadline = self._now() + seconds
        with (
            _exchange_of("POST", url) as sending,
            self._client.stream("POST", url, content=content, headers=headers, timeout=seconds) as response,
        ):
            _set_status(sending, response)
            is_success = response.status_code == SUCCESS
            try:
                self._copy(response, target, deadline, max_bytes if is_success else MAX_FAULT_BYTES)
            except ServiceError:
                if is_success:
                    raise
            return response.status_code

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def _copy(self, response: Response, target: PieceReader, deadline: float, max_bytes: int) -> None:
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


@contextmanager
def _exchange_of(method: str, url: str) -> Iterator[Span | None]:
    """Record an exchange as a span, and translate the errors of the client."""
    with span(method, http_request_method=method, server_address=urlsplit(url).hostname or "") as sending:
        try:
            yield sending
        except TimeoutException as cause:
            raise down("No respondió a tiempo.") from cause
        except (HTTPError, InvalidURL, StreamError) as cause:
            raise down("La conexión falló.") from cause


def _set_status(sending: Span | None, response: Response) -> None:
    if sending is not None:
        sending.set("http.response.status_code", response.status_code)


def down(detail: str, data: object = None) -> ServiceError:
    """Return ServiceError("authority-down"). The detail is a Spanish sentence."""
    return ServiceError("authority-down", detail, data=data, retry_after=RETRY_SECONDS)
