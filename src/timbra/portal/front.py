"""One address for programs and people: which of the two applications a request belongs to."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from timbra.api.journal import HEADER, Journal

if TYPE_CHECKING:
    from timbra.wiring import House

PLACES = ("/portal", "/validador", "/estaticos")


class Front:
    """The API, and in front of it the pages, which are loaded with the first visitor: programs never pay for them."""

    def __init__(self, api: ASGIApp, house: House) -> None:
        self._api = api
        self._house = house

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._pages if scope["type"] == "http" and is_page(scope["path"]) else self._api
        await app(scope, receive, send)

    @cached_property
    def _pages(self) -> ASGIApp:
        from timbra.portal.app import build

        return Recorded(build(self._house), Journal(self._house.meters))


class Recorded:
    """Pages with a request id, and a line in the log for each."""

    def __init__(self, app: ASGIApp, journal: Journal) -> None:
        self._app = app
        self._journal = journal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        entry = self._journal.open(scope)
        status = 0

        async def marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message["headers"], (HEADER, entry.request_id.encode())]}
            await send(message)

        try:
            await self._app(scope, receive, marked)
        except Exception:
            status = status or 500  # what the server answers in its place
            raise
        finally:
            if status:
                entry.answered("page", status)
            else:
                entry.note("disconnected")
            entry.close()


def is_page(path: str) -> bool:
    """Whether people are meant: the root, and what lies at or below one of `PLACES`."""
    return path == "/" or any(path == place or path.startswith(f"{place}/") for place in PLACES)
