"""Requests to a sandbox server; every failure is one sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

TIMEOUT_SECONDS = 30


class SandboxError(RuntimeError):
    """The sandbox server rejected a request, does not answer, or has ended; the text is one sentence."""


class SandboxConnection:
    """A connection to a sandbox server with the token of its administrator.

    Args:
        url: Base URL of the server.
        token: An infinite token of an administrator.
        ending: Returns a sentence when the process of the server has ended, else an empty text.
    """

    def __init__(self, url: str, token: str, ending: Callable[[], str] = lambda: "") -> None:
        from httpx2 import Client

        headers = {"Authorization": f"Bearer {token}"}
        # A proxy of the environment must not get requests to this machine.
        self._client = Client(base_url=url, headers=headers, timeout=TIMEOUT_SECONDS, trust_env=False)
        self._url = url
        self._ending = ending

    def send(
        self, method: str, path: str, body: Mapping[str, object] | None = None, query: Mapping[str, str] | None = None
    ) -> Any:
        """Send a request and return `data` of the answer.

        Raises:
            SandboxError: The server rejected it, does not answer, or has ended.
        """
        from httpx2 import HTTPError

        try:
            response = self._client.request(method, path, json=body, params=query)
        except HTTPError as error:
            reason = self._ending() or f"{self._url} does not answer: {error}."
            raise SandboxError(reason) from error
        try:
            answer = response.json()
        except ValueError as error:
            raise SandboxError(f"{self._url}{path} is not a Timbra server: HTTP {response.status_code}.") from error
        if response.status_code >= 400 or answer.get("status") != "success":
            words = (answer.get("message"), answer.get("messageDetail"))
            raise SandboxError(f"{method} {path}: {' '.join(filter(None, words)) or response.status_code}")
        return answer["data"]

    def close(self) -> None:
        """Close the connection."""
        self._client.close()
