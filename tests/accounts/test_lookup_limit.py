"""Unknown users and tokens are looked up once before they are rejected, with a limit under a flood."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import event
from tests.accounts.support import ENVELOPE, MovableClock, rejected, rejected_async

from timbra.accounts.accounts import Accounts
from timbra.accounts.lookup_limit import NegativeCache
from timbra.database.database import Database, open_database

BURST = 50
KEY_SECONDS = 1.0
MAX_KEYS = 4096
PER_SECOND = 50.0

USER = "ana@example.com"
PASSWORD = "una contraseña larga"


class Ticks:
    """A monotonic clock that a test moves."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_negative_cache_admits_a_key_once_a_second() -> None:
    ticks = Ticks()
    cache = NegativeCache(ticks)
    assert [cache.allow("a"), cache.allow("a"), cache.allow("b")] == [True, False, True]
    ticks.seconds = KEY_SECONDS
    assert [cache.allow("a"), cache.allow("a")] == [True, False]


@given(st.lists(st.tuples(st.floats(0, 2), st.integers(0, 200)), max_size=300))
def test_negative_cache_bounds_all_keys_together(steps: list[tuple[float, int]]) -> None:
    ticks = Ticks()
    cache = NegativeCache(ticks)
    admitted = 0
    for wait, key in steps:
        ticks.seconds += wait
        admitted += cache.allow(str(key))
    assert admitted <= BURST + ticks.seconds * PER_SECOND + 1


def test_negative_cache_has_a_bounded_size() -> None:
    ticks = Ticks()
    cache = NegativeCache(ticks)
    for key in range(2 * MAX_KEYS):
        ticks.seconds += 1 / PER_SECOND
        assert cache.allow(str(key))
    assert len(cache._expiries) == MAX_KEYS


@pytest.fixture
def nodes(any_address: str) -> Iterator[tuple[Accounts, Accounts, Database]]:
    """Accounts of two nodes without notification of changes, and the database of the second one."""
    databases = [open_database(any_address, "sandbox") for _ in range(2)]
    wall = MovableClock()
    first, second = (Accounts(database, ENVELOPE, "sandbox", wall, wall) for database in databases)
    yield first, second, databases[1]
    for accounts in (first, second):
        accounts.close()
    for database in databases:
        database.close()


def test_login_accepts_a_user_that_another_node_has_just_made(nodes: tuple[Accounts, Accounts, Database]) -> None:
    first, second, _ = nodes
    first.create(USER, PASSWORD)
    session = asyncio.run(second.authenticate(USER, PASSWORD))
    assert second.caller(f"Bearer {session.token}").user == USER


def test_login_accepts_a_password_that_another_node_has_just_set(
    nodes: tuple[Accounts, Accounts, Database],
) -> None:
    first, second, _ = nodes
    first.create(USER, "otra")
    asyncio.run(second.authenticate(USER, "otra"))
    first.set_password(USER, PASSWORD)
    session = asyncio.run(second.authenticate(USER, PASSWORD))
    assert second.caller(f"Bearer {session.token}").user == USER


def test_token_is_accepted_when_another_node_has_just_made_it(nodes: tuple[Accounts, Accounts, Database]) -> None:
    first, second, _ = nodes
    first.create(USER, PASSWORD)
    for _ in range(3):
        assert second.caller(f"Bearer {first.create_infinite_token(USER)}").user == USER
    first.set_active(USER, False)
    first.set_active(USER, True)
    first.set_password(USER, "otra")
    assert second.caller(f"Bearer {first.session_token(USER).token}").user == USER


@pytest.fixture
def queries(nodes: tuple[Accounts, Accounts, Database]) -> Callable[[], int]:
    """Return the number of statements of the second node."""
    statements: list[str] = []
    event.listen(nodes[2].engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    return lambda: len(statements)


def test_token_that_is_revoked_is_looked_up_once(
    nodes: tuple[Accounts, Accounts, Database], queries: Callable[[], int]
) -> None:
    first, second, _ = nodes
    first.create(USER, PASSWORD)
    token = first.create_infinite_token(USER)
    first.revoke(token)
    codes = {rejected(second.caller, f"Bearer {token}").code for _ in range(2)}
    sent = queries()
    codes |= {rejected(second.caller, f"Bearer {token}").code for _ in range(200)}
    assert codes == {"AU4000"}
    assert queries() - sent <= 1


def test_token_with_a_bad_signature_is_never_looked_up(
    nodes: tuple[Accounts, Accounts, Database], queries: Callable[[], int]
) -> None:
    first, second, _ = nodes
    first.create(USER, PASSWORD)
    head, payload, signature = first.create_infinite_token(USER).split(".")
    forged = f"{head}.{payload}.{signature[::-1]}"
    rejected(second.caller, f"Bearer {forged}")
    sent = queries()
    assert {rejected(second.caller, f"Bearer {forged}").code for _ in range(100)} == {"token-signature"}
    assert queries() == sent


def test_login_of_unknown_users_sends_a_bounded_number_of_queries(
    nodes: tuple[Accounts, Accounts, Database], queries: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, second, _ = nodes
    monkeypatch.setattr("timbra.accounts.lookup_limit.PER_SECOND", 0.0)
    asyncio.run(rejected_async(second.authenticate, "unknown", PASSWORD))
    sent = queries()
    for number in range(2 * BURST):
        # A password that is rejected without a hash, so that only the look-ups are counted.
        assert asyncio.run(rejected_async(second.authenticate, f"user{number}", "")).code == "AU2000"
    assert queries() - sent <= 2 * BURST
