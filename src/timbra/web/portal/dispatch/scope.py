"""Data scope of a page: an account sees its own data, an administrator those of all accounts."""

from __future__ import annotations

from timbra.web.portal.dispatch.page_request import PageRequest


def visible_account(page_request: PageRequest) -> int | None:
    """Return the id of the account whose data is shown; None for all accounts."""
    return None if page_request.account.is_administrator else page_request.account.account_id


def may_see_data_of(page_request: PageRequest, account_id: int) -> bool:
    """Whether the caller may see the data of an account."""
    return visible_account(page_request) in (None, account_id)
