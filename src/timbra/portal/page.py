"""The declarative form of a page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum

from starlette.responses import Response

from timbra.portal.visit import Visit

Handler = Callable[[Visit], Awaitable[Response]]


class Access(Enum):
    """Who may see a page. SANDBOX: an administrator, and only there. OPEN_IN_SANDBOX: elsewhere an account."""

    PUBLIC = "public"
    OPEN_IN_SANDBOX = "open in sandbox"
    ACCOUNT = "account"
    ADMINISTRATOR = "administrator"
    SANDBOX = "sandbox"


@dataclass(frozen=True, slots=True)
class Page:
    """method: GET or POST. path: a Starlette template. menu: its word in the navigation, empty for none.

    most_bytes: the largest form that is read.
    """

    method: str
    path: str
    handler: Handler
    access: Access = Access.ACCOUNT
    menu: str = ""
    most_bytes: int = 64 * 1024
