"""One address for programs and people: which of the two applications a request belongs to."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from starlette.types import ASGIApp, Receive, Scope, Send

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

        return build(self._house)


def is_page(path: str) -> bool:
    """Whether people are meant: the root, and what lies at or below one of `PLACES`."""
    return path == "/" or any(path == place or path.startswith(f"{place}/") for place in PLACES)
