"""Navigation: the pages that a caller may open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from timbra.core.caller import Caller
from timbra.web.portal.dispatch.page import MenuGroup, MenuItem, Page, PageAccess


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


HEADINGS = {
    MenuGroup.MAIN: "",
    MenuGroup.TOOLS: "Herramientas",
    MenuGroup.ACCOUNT: "Cuenta",
    MenuGroup.ADMINISTRATION: "Administración",
}


def menu_for(pages: Iterable[Page], caller: Caller | None) -> tuple[MenuEntry, ...]:
    """Return the entries that this caller may open."""
    shown = [(page.menu, page) for page in pages if page.menu is not None and may_open(page, caller)]
    return tuple(_entry(item, page) for item, page in sorted(shown, key=lambda found: found[0].position))


def _entry(item: MenuItem, page: Page) -> MenuEntry:
    return MenuEntry(item.label, page.path, page.icon, page.shortcut, HEADINGS[item.group], item.group)


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
