"""Sessions that end on the server, tokens with scopes and expiry, and rotation of the secret, on both databases."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import ParamSpec, TypeVar

import pytest
from tests.accounts.support import ENVELOPE, MovableClock, rejected

from timbra.accounts.accounts import Accounts
from timbra.app.operation_table import OPERATIONS
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.core.scopes import checked_scopes, scopes_text
from timbra.database.database import Database, open_database
from timbra.web.framework.operation import OperationAccess
from timbra.web.framework.scopes import scope_of

READ = "read"
SCOPES = ("stamp", "cancel", "read", "manage")
STAMP = "stamp"
EVERY_SCOPE = "all"

P = ParamSpec("P")
T = TypeVar("T")

USER, PASSWORD = "ana@empresa.mx", "contraseña 1"
DAY = 86_400


@pytest.fixture
def accounts(any_database: Database, wall: MovableClock) -> Iterator[Accounts]:
    opened = Accounts(any_database, ENVELOPE, "sandbox", wall, wall)
    opened.create(USER, PASSWORD)
    yield opened
    opened.close()


@pytest.fixture
def other_node(accounts: Accounts, any_address: str, wall: MovableClock) -> Iterator[tuple[Accounts, Database]]:
    database = open_database(any_address, "sandbox")
    opened = Accounts(database, ENVELOPE, "sandbox", wall, wall)
    yield opened, database
    opened.close()
    database.close()


def _session(accounts: Accounts) -> str:
    return asyncio.run(accounts.authenticate(USER, PASSWORD)).token


def _code(accounts: Accounts, token: str) -> str:
    return rejected(accounts.caller, f"Bearer {token}").code


def test_ended_session_is_rejected_in_all_processes(accounts: Accounts, other_node: tuple[Accounts, Database]) -> None:
    other, database = other_node
    stolen, kept = _session(accounts), _session(accounts)
    assert accounts.caller(f"Bearer {stolen}") == other.caller(f"Bearer {stolen}")
    accounts.end_session(stolen)
    accounts.end_session(stolen)
    database.poll()
    assert (_code(accounts, stolen), _code(other, stolen)) == ("AU4000", "AU4000")
    assert other.caller(f"Bearer {kept}").user == USER


class Threads:
    """Runs work in threads and counts it."""

    def __init__(self) -> None:
        self.started = 0

    async def run(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        self.started += 1
        return await asyncio.to_thread(work, *args, **kwargs)


def test_request_caller_needs_a_thread_only_for_a_change_and_a_new_token(accounts: Accounts) -> None:
    threads = Threads()
    header, other = (f"Bearer {_session(accounts)}" for _ in range(2))

    def started_for(sent: str) -> int:
        before = threads.started
        assert asyncio.run(accounts.request_caller(sent, threads.run)).user == USER
        return threads.started - before

    assert [started_for(sent) for sent in (header, header, other, header)] == [1, 0, 1, 0]
    accounts.set_password(USER, "contraseña 2")
    with pytest.raises(ServiceError, match="AU4000"):
        asyncio.run(accounts.request_caller(header, threads.run))


@pytest.mark.parametrize(
    ("header", "code"), [(None, "AU4101"), ("Bearer a.b", "token-parts"), ("Basic x", "token-parts")]
)
def test_request_caller_rejects_what_is_no_token_without_a_thread(
    accounts: Accounts, header: str | None, code: str
) -> None:
    threads = Threads()
    asyncio.run(accounts.request_caller(f"Bearer {_session(accounts)}", threads.run))
    before = threads.started
    with pytest.raises(ServiceError, match=code):
        asyncio.run(accounts.request_caller(header, threads.run))
    assert threads.started == before


def test_end_session_does_not_end_infinite_tokens(accounts: Accounts) -> None:
    forever, month = accounts.create_infinite_token(USER), accounts.create_infinite_token(USER, "", None, timedelta(30))
    for token in (forever, month):
        accounts.end_session(token)
        assert accounts.caller(f"Bearer {token}").user == USER


def test_ended_sessions_are_read_by_a_new_process(
    accounts: Accounts, any_database: Database, wall: MovableClock
) -> None:
    token = _session(accounts)
    accounts.end_session(token)
    started = Accounts(any_database, ENVELOPE, "sandbox", wall, wall)
    assert _code(started, token) == "AU4000"
    started.close()


def test_token_with_expiry_ends_with_it_or_when_it_is_revoked(accounts: Accounts, wall: MovableClock) -> None:
    token, revoked = (accounts.create_infinite_token(USER, "mes", None, timedelta(days=30)) for _ in range(2))
    accounts.revoke(revoked)
    assert _code(accounts, revoked) == "AU4000"
    accounts.set_password(USER, "otra contraseña")
    wall.advance(30 * DAY - 1)
    assert accounts.caller(f"Bearer {token}").user == USER
    assert [found.label for found in accounts.list_infinite_tokens(USER)] == ["mes"]
    wall.advance(1)
    assert _code(accounts, token) == "AU4000"
    assert accounts.list_infinite_tokens(USER) == []


def test_token_has_the_scopes_that_it_was_created_with(accounts: Accounts) -> None:
    caller = accounts.caller(f"Bearer {accounts.create_infinite_token(USER, '', frozenset({STAMP, READ}))}")
    assert [scope for scope in SCOPES if caller.may(scope)] == [STAMP, READ]
    [token] = accounts.list_infinite_tokens(USER)
    assert token.scopes == "stamp read"
    everything = accounts.caller(f"Bearer {accounts.create_infinite_token(USER)}")
    assert all(map(everything.may, SCOPES))


def test_checked_scopes_rejects_unknown_names() -> None:
    assert checked_scopes([]) is None
    assert scopes_text(checked_scopes(["read", "stamp"])) == "stamp read"
    with pytest.raises(ValueError, match="root"):
        checked_scopes(["root"])


def test_every_operation_of_an_account_has_a_scope() -> None:
    for operation in OPERATIONS:
        needs_account = operation.access in (OperationAccess.ACCOUNT, OperationAccess.ADMINISTRATOR)
        assert (scope_of(operation) in (*SCOPES, EVERY_SCOPE)) is needs_account, operation.name


def test_scope_of_operations_that_write_is_never_read() -> None:
    reading = {one.name for one in OPERATIONS if scope_of(one) == READ and one.method != "GET"}
    assert reading == {
        "validate",
        "validate-retencion",
        "relations-csd",
        "relations-pfx",
        "relations-xml",
        "relations-uuid",
        "pdf-generate",
        "pdf-regenerate",
        "totals",
    }


def test_caller_without_scopes_may_do_everything() -> None:
    assert all(map(Caller(1, "ana", "account").may, SCOPES))


def test_rotated_secret_verifies_older_tokens_until_the_overlap_ends(
    accounts: Accounts, other_node: tuple[Accounts, Database], wall: MovableClock
) -> None:
    other, database = other_node
    older = accounts.create_infinite_token(USER)
    until = accounts.rotate_token_secret(timedelta(days=2))
    assert until == wall.now() + timedelta(days=2)
    newer = accounts.create_infinite_token(USER)
    database.poll()
    for accepting in (accounts, other):
        assert accepting.caller(f"Bearer {older}") == accepting.caller(f"Bearer {newer}")
    wall.advance(2 * DAY)
    for accepting in (accounts, other):
        assert _code(accepting, older) == "AU4000"
        assert accepting.caller(f"Bearer {newer}").user == USER


def test_secrets_that_ended_are_deleted_by_the_next_rotation(accounts: Accounts, wall: MovableClock) -> None:
    token = accounts.create_infinite_token(USER)
    accounts.rotate_token_secret(timedelta(0))
    wall.advance(1)
    accounts.rotate_token_secret(timedelta(days=1))
    assert _code(accounts, token) == "token-signature"
