"""Users of an account: login, roles, scopes, and the end of their tokens and sessions, on both databases."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import orjson
import pytest
from tests.accounts.support import ENVELOPE, MovableClock, rejected, rejected_async
from tests.support.events import list_audit_events

from timbra.accounts.account_users import AccountUserChange
from timbra.accounts.accounts import Accounts
from timbra.accounts.balances import Balances
from timbra.accounts.store.models import AccountUser
from timbra.accounts.users import Users
from timbra.core.roles import ROLE_SCOPES, checked_role, common_scopes
from timbra.database.database import Database, open_database

ADMINISTRATOR = "administrator"
AUDITOR = "auditor"
OPERATOR = "operator"
OWNER = "owner"
READER = "reader"
CANCEL = "cancel"
MANAGE = "manage"
READ = "read"
STAMP = "stamp"

ANA, LUIS, PASSWORD = "ana@empresa.mx", "luis@empresa.mx", "contraseña 1"


@pytest.fixture
def accounts(any_database: Database, wall: MovableClock) -> Iterator[Accounts]:
    opened = Accounts(any_database, ENVELOPE, "sandbox", wall, wall)
    opened.create(ANA, "contraseña de ana")
    yield opened
    opened.close()


@pytest.fixture
def ana(accounts: Accounts) -> int:
    return accounts.find(ANA).account_id


@pytest.fixture
def luis(accounts: Accounts, ana: int) -> AccountUser:
    return accounts.users.create(ana, LUIS, PASSWORD, OPERATOR)


def session(accounts: Accounts, user: str = LUIS, password: str = PASSWORD) -> str:
    return f"Bearer {asyncio.run(accounts.authenticate(user, password)).token}"


def code(accounts: Accounts, header: str) -> str:
    return rejected(accounts.caller, header).code


def test_user_logs_in_with_the_scopes_of_its_role(accounts: Accounts, ana: int, luis: AccountUser) -> None:
    caller = accounts.caller(session(accounts, LUIS.upper()))
    assert (caller.account_id, caller.user, caller.user_id, caller.user_role) == (ana, LUIS, luis.user_id, OPERATOR)
    assert [caller.may(scope) for scope in (STAMP, CANCEL, READ, MANAGE)] == [True, True, True, False]
    assert not caller.is_restricted
    assert asyncio.run(rejected_async(accounts.authenticate, LUIS, "otra")).code == "AU2000"


def test_role_has_effect_at_once_in_all_processes(
    accounts: Accounts, ana: int, luis: AccountUser, any_address: str, wall: MovableClock
) -> None:
    token = session(accounts)
    database = open_database(any_address, "sandbox")
    other = Accounts(database, ENVELOPE, "sandbox", wall, wall)
    assert other.caller(token).may(STAMP)
    accounts.users.update(ana, luis.guid, AccountUserChange(role=READER))
    database.poll()
    assert [one.caller(token).scopes for one in (accounts, other)] == [frozenset({READ})] * 2
    accounts.users.update(ana, luis.guid, AccountUserChange(role=OWNER))
    database.poll()
    assert [one.caller(token).scopes for one in (accounts, other)] == [None, None]
    other.close()
    database.close()


def test_removed_user_loses_sessions_and_tokens(accounts: Accounts, ana: int, luis: AccountUser) -> None:
    headers = [session(accounts), f"Bearer {accounts.create_infinite_token(LUIS, 'ERP')}"]
    kept = f"Bearer {accounts.create_infinite_token(ANA)}"
    assert [accounts.caller(header).user for header in headers] == [LUIS, LUIS]
    assert len(accounts.list_infinite_tokens(LUIS)) == 1
    accounts.users.remove(ana, luis.guid)
    assert [code(accounts, header) for header in headers] == ["AU4000", "AU4000"]
    assert accounts.caller(kept).user == ANA
    assert asyncio.run(rejected_async(accounts.authenticate, LUIS, PASSWORD)).code == "AU2000"
    assert [token.user_id for token in accounts.list_infinite_tokens(ANA)] == [None]
    accounts.users.create(ana, LUIS, PASSWORD, READER)
    assert code(accounts, headers[1]) == "AU4000"
    assert accounts.caller(session(accounts)).may(READ)


def test_disabled_user_and_disabled_account_are_rejected(accounts: Accounts, ana: int, luis: AccountUser) -> None:
    token = session(accounts)
    accounts.users.update(ana, luis.guid, AccountUserChange(active=False))
    assert code(accounts, token) == "AU2002"
    assert rejected(accounts.session_token, LUIS).code == "account-disabled"
    accounts.users.update(ana, luis.guid, AccountUserChange(active=True))
    assert accounts.caller(token).user == LUIS
    accounts.set_active(ANA, False)
    assert code(accounts, token) == "AU2002"
    assert asyncio.run(rejected_async(accounts.authenticate, LUIS, PASSWORD)).code == "AU2002"


def test_new_password_ends_the_sessions_of_the_user_only(accounts: Accounts, ana: int, luis: AccountUser) -> None:
    token, own = session(accounts), session(accounts, ANA, "contraseña de ana")
    accounts.set_password(LUIS, "otra contraseña")
    assert code(accounts, token) == "AU4000"
    assert accounts.caller(own).user == ANA
    accounts.users.set_password(ana, luis.guid, PASSWORD)
    assert accounts.caller(session(accounts)).user == LUIS


def test_scopes_of_a_token_do_not_exceed_the_role(accounts: Accounts, luis: AccountUser) -> None:
    token = accounts.create_infinite_token(LUIS, "", frozenset({STAMP, MANAGE}))
    caller = accounts.caller(f"Bearer {token}")
    assert (caller.scopes, caller.is_restricted) == (frozenset({STAMP}), True)


def test_user_name_is_unique_among_accounts_and_users(accounts: Accounts, ana: int, luis: AccountUser) -> None:
    for name in (LUIS.upper(), ANA):
        assert rejected(accounts.users.create, ana, name, PASSWORD, READER).code == "account-exists"
    assert rejected(accounts.create, LUIS, PASSWORD).code == "account-exists"


def test_user_of_another_account_is_unknown(accounts: Accounts, ana: int, luis: AccountUser) -> None:
    other = accounts.create("otra", PASSWORD).account_id
    users = accounts.users
    assert users.list_users(other) == []
    for call, arguments in (
        (users.remove, ()),
        (users.update, (AccountUserChange(role=READER),)),
        (users.set_password, (PASSWORD,)),
        (users.get, ()),
    ):
        assert rejected(call, other, luis.guid, *arguments).code == "user-unknown"
    assert rejected(users.find, other, LUIS).code == "user-unknown"
    assert rejected(users.create, 999, "x", PASSWORD, READER).code == "user-unknown"
    assert rejected(users.create, ana, "x", PASSWORD, "root").code == "TB4005"


def test_users_of_an_administrators_account(accounts: Accounts) -> None:
    jefa = accounts.create("jefa", PASSWORD, ADMINISTRATOR).account_id
    for role in ROLE_SCOPES:
        accounts.users.create(jefa, role, PASSWORD, role)
    callers = {role: accounts.caller(f"Bearer {accounts.session_token(role).token}") for role in ROLE_SCOPES}
    assert {role for role, caller in callers.items() if caller.is_administrator} == {OWNER}
    assert {role for role, caller in callers.items() if caller.audits_every_account} == {OWNER, AUDITOR}
    assert {role for role, caller in callers.items() if caller.is_auditor} == {OWNER, AUDITOR}


def test_deleted_account_frees_the_names_of_its_users(
    accounts: Accounts, any_database: Database, ana: int, luis: AccountUser, wall: MovableClock
) -> None:
    balances = Balances(any_database, wall, wall)
    balances.set_unlimited(ana, False)
    token = session(accounts)
    Users(any_database, accounts, balances, wall, wall).delete(accounts.find(ANA).guid)
    assert code(accounts, token) == "AU4000"
    assert accounts.create(LUIS, PASSWORD).user == LUIS
    assert accounts.caller(session(accounts)).user_id is None


def test_changes_of_users_are_in_the_audit_log(
    accounts: Accounts, any_database: Database, ana: int, luis: AccountUser
) -> None:
    accounts.users.update(ana, luis.guid, AccountUserChange(role=READER))
    accounts.users.update(ana, luis.guid, AccountUserChange(role=READER))
    accounts.users.set_password(ana, luis.guid, "otra contraseña")
    accounts.users.remove(ana, luis.guid)
    events = [event for event in list_audit_events(any_database) if event.kind.startswith("user.")]
    assert [event.kind for event in events] == ["user.created", "user.changed", "user.password", "user.removed"]
    assert {(event.account_id, event.subject) for event in events} == {(ana, LUIS)}
    assert orjson.loads(events[1].body) == {"before": {"role": OPERATOR}, "after": {"role": READER}}


def test_checked_role_and_common_scopes() -> None:
    assert checked_role(READER) == READER
    assert common_scopes(None, None) is None
    assert common_scopes(None, frozenset({READ})) == common_scopes(frozenset({READ}), None) == frozenset({READ})
    assert common_scopes(frozenset({READ, STAMP}), frozenset({STAMP, MANAGE})) == frozenset({STAMP})
