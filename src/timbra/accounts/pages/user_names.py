"""User names by account, for the pages of administrators."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from timbra.accounts.services import AccountServices
from timbra.web.portal.dispatch.page_request import PageRequest


def user_names(page_request: PageRequest, services: AccountServices) -> Mapping[int, str]:
    """Return user names by account id for an administrator; empty for other accounts. Reads the database."""
    if not page_request.account.is_administrator:
        return {}
    names = {account.account_id: account.user for account in services.accounts.list_accounts()}
    return defaultdict(lambda: "cuenta cerrada", names)
