"""One-time sign-in links: used once, by one of several, until they expire or the password changes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import select
from tests.accounts.support import ENVELOPE, START, MovableClock, rejected
from tests.support.events import list_audit_events

from timbra.accounts.accounts import Accounts
from timbra.accounts.sign_in_links import SignInLinks
from timbra.accounts.store.models import SignInLinkRow
from timbra.accounts.store.sign_in_link_repository import SignInLinkRepository
from timbra.core.errors import ServiceError
from timbra.database.database import Database, open_database
from timbra.database.tables.accounts import SIGN_IN_LINK

LIFETIME = timedelta(minutes=15)
PATH = "/portal/entrar/enlace/"

USER = "ana@example.com"
INVALID = "sign-in-link-invalid"


@pytest.fixture
def opened(any_database: Database, wall: MovableClock) -> Iterator[Accounts]:
    accounts = Accounts(any_database, ENVELOPE, "sandbox", wall, wall)
    accounts.create(USER, "una contraseña")
    yield accounts
    accounts.close()


@pytest.fixture
def links(any_database: Database, opened: Accounts, wall: MovableClock) -> SignInLinks:
    return SignInLinks(any_database, opened, wall, wall)


def token_of(links: SignInLinks) -> str:
    return links.create(USER.upper()).path.removeprefix(PATH)


def stored_hashes(database: Database) -> list[bytes]:
    with database.read() as transaction:
        return [row.token_hash for row in transaction.execute(select(SIGN_IN_LINK))]


def test_consume_returns_a_session_of_the_account(links: SignInLinks, opened: Accounts) -> None:
    session = links.consume(token_of(links))
    assert opened.caller(f"Bearer {session.token}").user == USER


def test_consume_rejects_a_used_link(links: SignInLinks, any_database: Database) -> None:
    token = token_of(links)
    links.consume(token)
    assert rejected(links.consume, token).code == INVALID
    assert rejected(links.find_user, token).code == INVALID
    assert stored_hashes(any_database) == []


def test_find_user_does_not_use_the_link(links: SignInLinks) -> None:
    token = token_of(links)
    assert links.find_user(token) == links.find_user(token) == USER
    links.consume(token)


@pytest.mark.parametrize("token", ["", "x" * 43, "\ud800", "ñ\0"])
def test_consume_rejects_an_unknown_token(links: SignInLinks, token: str) -> None:
    token_of(links)
    assert rejected(links.consume, token).code == INVALID


def test_a_link_expires_after_its_lifetime(links: SignInLinks, wall: MovableClock) -> None:
    token = token_of(links)
    wall.advance(LIFETIME.total_seconds() - 1)
    assert links.find_user(token) == USER
    wall.advance(1)
    assert rejected(links.find_user, token).code == rejected(links.consume, token).code == INVALID


def test_create_deletes_expired_links(links: SignInLinks, any_database: Database, wall: MovableClock) -> None:
    token_of(links)
    wall.advance(LIFETIME.total_seconds())
    token = token_of(links)
    assert stored_hashes(any_database) == [hashlib.sha256(token.encode()).digest()]


def test_a_link_ends_with_the_password_of_its_account(links: SignInLinks, opened: Accounts) -> None:
    token = token_of(links)
    opened.set_password(USER, "otra contraseña")
    assert rejected(links.find_user, token).code == rejected(links.consume, token).code == INVALID


def test_a_link_ends_with_its_account(links: SignInLinks, opened: Accounts) -> None:
    token = token_of(links)
    opened.set_active(USER, False)
    assert rejected(links.consume, token).code == INVALID


def test_create_rejects_unknown_and_closed_accounts(links: SignInLinks, opened: Accounts) -> None:
    assert rejected(links.create, "nadie@example.com").code == "account-unknown"
    opened.set_active(USER, False)
    assert rejected(links.create, USER).code == "account-disabled"


def test_links_are_recorded_without_their_token(links: SignInLinks, any_database: Database) -> None:
    token = token_of(links)
    links.consume(token)
    events = [event for event in list_audit_events(any_database) if event.kind.startswith("sign-in-link")]
    assert [(event.kind, event.subject) for event in events] == [
        ("sign-in-link.created", USER),
        ("sign-in-link.used", USER),
    ]
    assert token not in repr(events) + repr(links.create(USER))


def test_one_of_several_nodes_consumes_a_link(any_address: str, links: SignInLinks, wall: MovableClock) -> None:
    token = token_of(links)

    def consume(_: int) -> str:
        database = open_database(any_address, "sandbox")
        accounts = Accounts(database, ENVELOPE, "sandbox", wall, wall)
        try:
            SignInLinks(database, accounts, wall, wall).consume(token)
        except ServiceError as error:
            return error.code
        else:
            return "session"
        finally:
            accounts.close()
            database.close()

    with ThreadPoolExecutor(6) as pool:
        results = sorted(pool.map(consume, range(6)))
    assert results == ["session", *[INVALID] * 5]


def test_repository_consumes_a_row_once(opened: Accounts, any_database: Database) -> None:
    repository, expires = SignInLinkRepository(), START + timedelta(minutes=1)
    row = SignInLinkRow(opened.find(USER).account_id, 1, expires)
    with any_database.write() as transaction:
        repository.insert(transaction, b"1" * 32, row)
        repository.insert(transaction, b"2" * 32, row)
        assert repository.find(transaction, b"1" * 32, START) == row
        assert repository.find(transaction, b"1" * 32, expires) is None
        assert repository.consume(transaction, b"1" * 32, expires) is None
        assert repository.consume(transaction, b"1" * 32, START) == row
        assert repository.consume(transaction, b"1" * 32, START) is None
        repository.delete_expired(transaction, START)
        assert repository.find(transaction, b"2" * 32, START) == row
        repository.delete_expired(transaction, expires)
        assert repository.find(transaction, b"2" * 32, START) is None
