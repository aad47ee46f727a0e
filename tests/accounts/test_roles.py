"""Roles of accounts: promotion, demotion, and the last administrator."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.accounts.support import ENVELOPE, MovableClock, rejected
from tests.support.events import list_audit_events

from timbra.accounts.accounts import Accounts
from timbra.core.errors import ServiceError
from timbra.database.database import Database

ACCOUNT = "account"
ADMINISTRATOR = "administrator"

USER, PASSWORD = "ana@empresa.mx", "contraseña 1"
Open = Callable[[], Accounts]


@pytest.fixture
def open_accounts(any_database: Database, wall: MovableClock) -> Iterator[Open]:
    """Open accounts as another process does."""
    made: list[Accounts] = []

    def opened() -> Accounts:
        made.append(Accounts(any_database, ENVELOPE, "sandbox", wall, wall))
        return made[-1]

    yield opened
    for accounts in made:
        accounts.close()


@pytest.fixture
def accounts_with_user(open_accounts: Open) -> Accounts:
    accounts = open_accounts()
    accounts.create(USER, PASSWORD)
    return accounts


def test_set_role_changes_the_role_of_valid_tokens_and_is_in_the_audit_log(
    accounts_with_user: Accounts, open_accounts: Open, any_database: Database
) -> None:
    token = f"Bearer {accounts_with_user.create_infinite_token(USER)}"
    other = open_accounts()
    assert not other.caller(token).is_administrator
    for _ in range(2):
        assert accounts_with_user.set_role(USER, ADMINISTRATOR).role == ADMINISTRATOR
    any_database.poll()
    assert other.caller(token).is_administrator
    kinds = [event.kind for event in list_audit_events(any_database)]
    assert kinds == ["account.created", "token.created", "account.promoted"]


def test_set_role_keeps_one_active_administrator(accounts_with_user: Accounts) -> None:
    accounts_with_user.create("jefe", PASSWORD, ADMINISTRATOR)
    assert rejected(accounts_with_user.set_role, "jefe", ACCOUNT).code == "last-administrator"
    assert accounts_with_user.set_role(USER, ACCOUNT).role == ACCOUNT
    accounts_with_user.set_role(USER, ADMINISTRATOR)
    accounts_with_user.set_active(USER, False)
    assert rejected(accounts_with_user.set_role, "jefe", ACCOUNT).code == "last-administrator"
    assert accounts_with_user.set_role(USER, ACCOUNT).role == ACCOUNT
    assert rejected(accounts_with_user.set_role, "nadie", ACCOUNT).code == "account-unknown"
    with pytest.raises(ValueError, match="no such role"):
        accounts_with_user.set_role(USER, "root")


def test_set_role_keeps_one_administrator_when_two_are_demoted_at_once(
    accounts_with_user: Accounts, open_accounts: Open
) -> None:
    accounts_with_user.set_role(USER, ADMINISTRATOR)
    accounts_with_user.create("jefe", PASSWORD, ADMINISTRATOR)
    start = threading.Barrier(2)

    def demote(accounts: Accounts, user: str) -> str:
        start.wait()
        try:
            return accounts.set_role(user, ACCOUNT).role
        except ServiceError as error:
            return error.code

    with ThreadPoolExecutor(2) as pool:
        both = pool.map(demote, (accounts_with_user, open_accounts()), (USER, "jefe"))
        assert sorted(both) == [ACCOUNT, "last-administrator"]
