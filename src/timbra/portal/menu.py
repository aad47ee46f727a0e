"""The navigation: which pages a visitor finds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from timbra.portal.page import Access, Page
from timbra.service.orders import Caller


@dataclass(frozen=True, slots=True)
class Entry:
    """A word and where it leads."""

    word: str
    path: str


def menu_for(pages: Iterable[Page], caller: Caller | None, *, sandbox: bool) -> tuple[Entry, ...]:
    """The entries that this caller may open, in the order of the pages."""
    return tuple(Entry(page.menu, page.path) for page in pages if page.menu and may_see(page, caller, sandbox=sandbox))


def may_see(page: Page, caller: Caller | None, *, sandbox: bool) -> bool:
    match page.access:
        case Access.PUBLIC:
            return True
        case Access.OPEN_IN_SANDBOX:
            return sandbox or caller is not None
        case Access.ACCOUNT:
            return caller is not None
        case Access.ADMINISTRATOR:
            return caller is not None and caller.is_administrator
        case Access.SANDBOX:
            return sandbox and caller is not None and caller.is_administrator
