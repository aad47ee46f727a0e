"""The page table of one environment: its pages, their access, and handlers that are bound to services."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from timbra.web.injection import Groups, bind_services
from timbra.web.portal.dispatch.page import Page, PageAccess

SANDBOX_ACCESS = {
    PageAccess.SANDBOX: PageAccess.ADMINISTRATOR,
    PageAccess.SANDBOX_ACCOUNT: PageAccess.ACCOUNT,
    PageAccess.SANDBOX_PUBLIC: PageAccess.PUBLIC,
    PageAccess.PUBLIC_IN_SANDBOX: PageAccess.PUBLIC,
}
SANDBOX_ONLY = (PageAccess.SANDBOX, PageAccess.SANDBOX_ACCOUNT, PageAccess.SANDBOX_PUBLIC)
PRODUCTION_ACCESS = {PageAccess.PUBLIC_IN_SANDBOX: PageAccess.ACCOUNT}


def pages_for(groups: Groups, pages: Iterable[Page], *, is_sandbox: bool) -> tuple[Page, ...]:
    """Bind pages to the services of an environment.

    Args:
        groups: Builds each group of services, by its class; see `bind_services`.
        is_sandbox: Whether the environment has the pages of a sandbox.

    Returns:
        The pages that exist in this environment, with handlers that take the page request alone.
    """
    access = SANDBOX_ACCESS if is_sandbox else PRODUCTION_ACCESS
    return tuple(
        replace(page, handler=bind_services(page.handler, groups), access=access.get(page.access, page.access))
        for page in pages
        if is_sandbox or page.access not in SANDBOX_ONLY
    )
