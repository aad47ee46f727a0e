"""The declarative form of a page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum

from starlette.responses import Response

Handler = Callable[..., Awaitable[Response]]
"""Called with the `PageRequest`; annotated parameters after it are groups of services, passed by type."""


class PageAccess(Enum):
    """Who may open a page.

    SANDBOX: an administrator; the page exists in a sandbox only. PUBLIC_IN_SANDBOX: anybody in a sandbox, an account in
    production. `pages_for` replaces both by one of the others.
    """

    PUBLIC = "public"
    PUBLIC_IN_SANDBOX = "public in sandbox"
    ACCOUNT = "account"
    ADMINISTRATOR = "administrator"
    SANDBOX = "sandbox"


@dataclass(frozen=True, slots=True)
class Page:
    """One route of the portal.

    method: GET or POST. path: a Starlette path template. menu: its label in the navigation, empty for none.
    max_bytes: of a form body.
    """

    method: str
    path: str
    handler: Handler
    access: PageAccess = PageAccess.ACCOUNT
    menu: str = ""
    max_bytes: int = 64 * 1024
