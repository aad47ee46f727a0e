"""Whose data a visitor sees: an account its own, an administrator everybody's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from timbra.portal.visit import Visit


def scope_of(visit: Visit) -> int | None:
    """The account whose data is shown; None for all of them."""
    return None if visit.account.is_administrator else visit.account.account_id


def may_see_of(visit: Visit, account_id: int) -> bool:
    return scope_of(visit) in (None, account_id)


def users(visit: Visit) -> Mapping[int, str]:
    """User names by account, for an administrator; empty for whoever sees its own data alone. Reads the database."""
    if not visit.account.is_administrator:
        return {}
    named = {account.account_id: account.user for account in visit.house.accounts.list_accounts()}
    return defaultdict(lambda: "cuenta cerrada", named)
