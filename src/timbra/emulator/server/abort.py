"""Connections that the application can close without a response: an extension of uvicorn's protocol."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

EXTENSION = "timbra.emulator.abort"


class AbortableProtocol(HttpToolsProtocol):
    """HTTP/1 whose requests carry a function that closes their connection."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {EXTENSION: {"abort": self.transport.abort}}


def abort_connection(scope: MutableMapping[str, Any]) -> None:
    """Close the connection of a request at once; nothing is sent any more."""
    scope["extensions"][EXTENSION]["abort"]()
