"""Navigation: the pages that a caller may open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from timbra.portal.dispatch.page import Page, PageAccess
from timbra.service.stamping.models import Caller


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """A link of the navigation.

    Attributes:
        label: Text of the link.
        path: Path of the page.
        icon: Name of its icon.
        shortcut: Key that opens the page after `g`; empty for none.
        group: Heading of its group; empty for the first group.
        order: Position of the group.
    """

    label: str
    path: str
    icon: str
    shortcut: str
    group: str
    order: int


GROUPS = {
    "Herramientas": ("/validador", "/validador/reglas"),
    "Cuenta": (
        "/portal/certificados",
        "/portal/tokens",
        "/portal/uso",
        "/portal/impresion",
        "/portal/usuarios",
        "/portal/webhooks",
        "/portal/bitacora",
        "/portal/reinicio",
    ),
    "Administración": ("/portal/ambiente", "/portal/cuentas", "/portal/estado", "/portal/reportes"),
}
"""Paths by the heading of their group; other pages are in the first group, which has no heading."""


def menu_for(pages: Iterable[Page], caller: Caller | None) -> tuple[MenuEntry, ...]:
    """Return the entries that this caller may open, in the order of the pages."""
    return tuple(_entry(page) for page in pages if page.menu and may_open(page, caller))


def _entry(page: Page) -> MenuEntry:
    group = next((name for name, paths in GROUPS.items() if page.path in paths), "")
    order = [*GROUPS].index(group) + 1 if group else 0
    return MenuEntry(page.menu, page.path, page.icon, page.shortcut, group, order)


def may_open(page: Page, caller: Caller | None) -> bool:
    """Whether a caller may open a page.

    Args:
        page: A page of `pages_for`.
        caller: None without a session.
    """
    if page.access is PageAccess.PUBLIC:
        return True
    if caller is None or (page.required_scope and not caller.may(page.required_scope)):
        return False
    if page.access is PageAccess.AUDITOR:
        return caller.is_auditor
    return page.access is PageAccess.ACCOUNT or caller.is_administrator
