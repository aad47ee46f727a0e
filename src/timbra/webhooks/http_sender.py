"""Sends a webhook by HTTP: to a checked address, without redirects, within limits of time and size."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import httpcore2
from httpcore2 import ConnectionPool, NetworkStream, SyncBackend

from timbra.core.text import storable
from timbra.webhooks.address_policy import SETTING, AddressPolicy

ANSWER_BYTES = 1024
"""How much of an answer is read and logged."""
SUCCESS = range(200, 300)


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request to an endpoint."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back.

    Attributes:
        status: Of HTTP; None without an answer.
        text: The beginning of the body; without an answer, the reason in Spanish.
        milliseconds: Time of the whole exchange.
    """

    status: int | None
    text: str
    milliseconds: int

    @property
    def delivered(self) -> bool:
        """Whether the endpoint accepted the event: any status of 2xx. A redirect is a failure."""
        return self.status in SUCCESS


class AddressNotAllowedError(Exception):
    """A name has no address that the policy allows, or none: callers do not learn which names the network has."""


class WebhookSender:
    """Sends requests; thread-safe, because each one has a connection of its own.

    Args:
        policy: The addresses that are allowed.
        timeout_seconds: Limit of connection, request and answer together. The resolver of names has its own.
        authorities: PEM file of additional authorities; None for those of the system only.
        resolve: Returns the addresses of a name; for tests.
    """

    def __init__(
        self,
        policy: AddressPolicy,
        timeout_seconds: float,
        authorities: Path | None = None,
        resolve: Callable[[str, int], Iterable[str]] | None = None,
    ) -> None:
        self._policy = policy
        self._timeout = timeout_seconds
        self._resolve = resolve or resolve_name
        self._tls = ssl.create_default_context()
        if authorities is not None:
            self._tls.load_verify_locations(authorities)

    def send(self, request: SentRequest) -> Answer:
        """Send a request and return the answer, or why there is none; raises nothing for a failure of the endpoint."""
        begun = time.monotonic()
        try:
            status, text = self._exchange(request, begun + self._timeout)
        except AddressNotAllowedError as error:
            status, text = None, f"{error} no tiene una dirección pública, ni una de las redes de {SETTING}."
        except httpcore2.TimeoutException:
            status, text = None, f"No respondió en {self._timeout:g} segundos."
        except (httpcore2.NetworkError, OSError) as error:
            status, text = None, f"La conexión falló: {str(error) or type(error).__name__}."
        except (httpcore2.ProtocolError, httpcore2.UnsupportedProtocol, ValueError) as error:
            status, text = None, f"La respuesta no es HTTP válido: {str(error) or type(error).__name__}."
        return Answer(status, storable(text, ANSWER_BYTES), round((time.monotonic() - begun) * 1000))

    def _exchange(self, request: SentRequest, deadline: float) -> tuple[int, str]:
        backend = _CheckedBackend(self._policy, self._resolve, deadline)
        content = bytearray()
        with (
            ConnectionPool(ssl_context=self._tls, network_backend=backend, max_connections=1) as pool,
            pool.stream("POST", request.url, headers=[*request.headers.items()], content=request.body) as response,
        ):
            for piece in response.iter_stream():
                content += piece
                if len(content) >= ANSWER_BYTES:
                    break
            return response.status, bytes(content[:ANSWER_BYTES]).decode("utf-8", "replace")


def resolve_name(host: str, port: int) -> list[str]:
    """Return the addresses of a name, as the system resolves it."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class _CheckedBackend(SyncBackend):
    """Connects to the very addresses that it checked, so that a second answer of the resolver has no effect."""

    def __init__(self, policy: AddressPolicy, resolve: Callable[[str, int], Iterable[str]], deadline: float) -> None:
        self._policy = policy
        self._resolve = resolve
        self._deadline = deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> NetworkStream:
        try:
            found = list(self._resolve(host, port))
        except (socket.gaierror, UnicodeError):
            found = []
        allowed = [address for address in found if self._policy.allows(ip_address(address.split("%")[0]))]
        if not allowed:
            raise AddressNotAllowedError(host)
        failure: Exception = AddressNotAllowedError(host)
        for address in allowed:
            try:
                stream = super().connect_tcp(address, port, _remaining(self._deadline), local_address, socket_options)
            except httpcore2.ConnectError as error:
                failure = error
            else:
                return _DeadlineStream(stream, self._deadline)
        raise failure


class _DeadlineStream(NetworkStream):
    """A connection whose reads and writes together end at a deadline."""

    def __init__(self, stream: NetworkStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        return self._stream.read(max_bytes, _remaining(self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        self._stream.write(buffer, _remaining(self._deadline))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> NetworkStream:
        stream = self._stream.start_tls(ssl_context, server_hostname, _remaining(self._deadline))
        return _DeadlineStream(stream, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _remaining(deadline: float) -> float:
    remaining = deadline - time.monotonic()
    if remaining <= 0:
        raise httpcore2.ReadTimeout("deadline")
    return remaining
