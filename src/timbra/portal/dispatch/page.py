"""Declarations of pages: path, handler and access."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum

from starlette.responses import Response

Handler = Callable[..., Awaitable[Response]]
"""Called with the `PageRequest`; annotated parameters after it are groups of services, passed by type."""


class PageAccess(Enum):
    """Who may open a page. `pages_for` replaces PUBLIC_IN_SANDBOX and those of the sandbox by one of the others.

    Attributes:
        PUBLIC: Any visitor.
        PUBLIC_IN_SANDBOX: Any visitor in a sandbox, an account in production.
        ACCOUNT: A signed-in account.
        ADMINISTRATOR: A signed-in administrator.
        SANDBOX_PUBLIC: Any visitor of a sandbox; the page does not exist in production.
        SANDBOX: A signed-in administrator of a sandbox; the page does not exist in production.
        SANDBOX_ACCOUNT: A signed-in account of a sandbox; the page does not exist in production.
    """

    PUBLIC = "public"
    PUBLIC_IN_SANDBOX = "public in sandbox"
    ACCOUNT = "account"
    ADMINISTRATOR = "administrator"
    SANDBOX_PUBLIC = "sandbox public"
    SANDBOX = "sandbox"
    SANDBOX_ACCOUNT = "sandbox account"


@dataclass(frozen=True, slots=True)
class Page:
    """One route of the portal.

    Attributes:
        method: GET or POST.
        path: A Starlette path template.
        handler: Renders the page or handles its form.
        access: Who may open the page.
        menu: Label of the page in the navigation; empty for none.
        icon: Name of the icon beside the label, a symbol of `static/vendor/icons.svg`.
        shortcut: Key that opens the page after `g`; empty for none.
        max_bytes: Maximum size of a form body.
    """

    method: str
    path: str
    handler: Handler
    access: PageAccess = PageAccess.ACCOUNT
    menu: str = ""
    icon: str = ""
    shortcut: str = ""
    max_bytes: int = 64 * 1024
