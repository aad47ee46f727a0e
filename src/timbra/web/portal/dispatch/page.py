"""Declarations of pages: path, handler and access."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum, IntEnum

from starlette.responses import Response

from timbra.core.scopes import MANAGE, READ

Handler = Callable[..., Awaitable[Response]]
"""Called with the `PageRequest`; annotated parameters after it are groups of services, passed by type."""


class PageAccess(Enum):
    """Who may open a page. `pages_for` replaces PUBLIC_IN_SANDBOX and those of the sandbox by one of the others.

    Attributes:
        PUBLIC: Any visitor.
        PUBLIC_IN_SANDBOX: Any visitor in a sandbox, an account in production.
        ACCOUNT: A signed-in account.
        ADMINISTRATOR: A signed-in administrator.
        AUDITOR: A signed-in owner or auditor of an account.
        SANDBOX_PUBLIC: Any visitor of a sandbox; the page does not exist in production.
        SANDBOX: A signed-in administrator of a sandbox; the page does not exist in production.
        SANDBOX_ACCOUNT: A signed-in account of a sandbox; the page does not exist in production.
    """

    PUBLIC = "public"
    PUBLIC_IN_SANDBOX = "public in sandbox"
    ACCOUNT = "account"
    ADMINISTRATOR = "administrator"
    AUDITOR = "auditor"
    SANDBOX_PUBLIC = "sandbox public"
    SANDBOX = "sandbox"
    SANDBOX_ACCOUNT = "sandbox account"


class SessionStep(Enum):
    """What a session waits for before its user may open pages of the account.

    Attributes:
        CODE: The second factor of the user.
        ENROLMENT: A second factor, which the role of the user needs and the user does not have.
    """

    CODE = "/portal/entrar/codigo"
    ENROLMENT = "/portal/seguridad"


class MenuGroup(IntEnum):
    """Groups of the navigation, in their order."""

    MAIN = 0
    TOOLS = 1
    ACCOUNT = 2
    ADMINISTRATION = 3


@dataclass(frozen=True, slots=True)
class MenuItem:
    """The place of a page in the navigation.

    Attributes:
        label: Text of the link.
        position: Place among the items of all groups.
        group: Its group.
    """

    label: str
    position: int
    group: MenuGroup = MenuGroup.MAIN


@dataclass(frozen=True, slots=True)
class Page:
    """One route of the portal.

    Attributes:
        method: GET or POST.
        path: A Starlette path template.
        handler: Renders the page or handles its form.
        access: Who may open the page.
        menu: Its place in the navigation; None for none.
        icon: Name of the icon beside the label, a symbol of `static/vendor/icons.svg`.
        shortcut: Key that opens the page after `g`; empty for none.
        max_bytes: Maximum size of a form body.
        scope: What the role of the user must have; by default `read` to open a page and `manage` to send a form. An
            empty text for nothing.
        kept_field: Text field that is shown again when the form is sent after the end of the session; empty for none.
        steps: What a session may wait for that opens the page nevertheless.
    """

    method: str
    path: str
    handler: Handler
    access: PageAccess = PageAccess.ACCOUNT
    menu: MenuItem | None = None
    icon: str = ""
    shortcut: str = ""
    max_bytes: int = 64 * 1024
    scope: str | None = None
    kept_field: str = ""
    steps: frozenset[SessionStep] = frozenset()

    @property
    def required_scope(self) -> str:
        """The scope that the role of the user must have; empty for none."""
        if self.scope is not None:
            return self.scope
        return READ if self.method == "GET" else MANAGE
