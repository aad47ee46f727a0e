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
    """

    label: str
    path: str


def menu_for(pages: Iterable[Page], caller: Caller | None) -> tuple[MenuEntry, ...]:
    """Return the entries that this caller may open, in the order of the pages."""
    return tuple(MenuEntry(page.menu, page.path) for page in pages if page.menu and may_open(page, caller))


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
