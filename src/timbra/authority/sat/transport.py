"""One HTTP exchange with a service of the SAT: bounded in time and size, nothing followed, nothing unpacked."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from httpx2 import Client, HTTPError, InvalidURL, Limits, Response, StreamError, TimeoutException

from timbra.errors import ServiceError

PLAIN = {"Accept-Encoding": "identity", "User-Agent": "Timbra"}
SUCCESS = 200
RETRY_SECONDS = 5
"""What callers are told to wait before they ask again."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """status: of HTTP; body: the bytes as they came."""

    status: int
    body: bytes = field(repr=False)


class Transport:
    """Connections to the SAT's services, shared by threads. now: seconds of any clock that only moves forward."""

    def __init__(self, connections: int = 32, now: Callable[[], float] = time.monotonic) -> None:
        self._client = Client(headers=PLAIN, follow_redirects=False, limits=Limits(max_connections=connections))
        self._now = now

    def exchange(
        self,
        method: str,
        url: str,
        *,
        seconds: float,
        largest: int,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> HttpAnswer:
        """One request and its whole answer of at most `largest` bytes, whatever its status.

        ServiceError("authority-down") for anything else. seconds: of silence, and of the body as a whole.
        """
        deadline = self._now() + seconds
        try:
            with self._client.stream(method, url, content=content, headers=headers, timeout=seconds) as response:
                return HttpAnswer(response.status_code, self._body(response, deadline, largest))
        except TimeoutException as cause:
            raise down("No respondió a tiempo.") from cause
        except (HTTPError, InvalidURL, StreamError) as cause:
            raise down("La conexión falló.") from cause

    def close(self) -> None:
        self._client.close()

    def _body(self, response: Response, deadline: float, largest: int) -> bytes:
        body = bytearray()
        for piece in response.iter_raw():
            body += piece
            if len(body) > largest:
                raise down("La respuesta es más grande de lo que puede ser.")
            if self._now() > deadline:
                raise down("No respondió completa a tiempo.")
        return bytes(body)


def down(detail: str) -> ServiceError:
    """What is raised for every way of not answering. detail: Spanish, a whole sentence."""
    return ServiceError("authority-down", detail, retry_after=RETRY_SECONDS)
