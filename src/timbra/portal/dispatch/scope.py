"""Data scope of a page: an account sees its own data, an administrator those of all accounts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from timbra.portal.dispatch.page_request import PageRequest
from timbra.service.services import AccountServices


def visible_account(page_request: PageRequest) -> int | None:
    """Return the id of the account whose data is shown; None for all accounts."""
    return None if page_request.account.is_administrator else page_request.account.account_id


def may_see_data_of(page_request: PageRequest, account_id: int) -> bool:
    """Whether the caller may see the data of an account."""
    return visible_account(page_request) in (None, account_id)


def user_names(page_request: PageRequest, services: AccountServices) -> Mapping[int, str]:
    """Return user names by account id for an administrator; empty for other accounts. Reads the database."""
    if not page_request.account.is_administrator:
        return {}
    names = {account.account_id: account.user for account in services.accounts.list_accounts()}
    return defaultdict(lambda: "cuenta cerrada", names)
