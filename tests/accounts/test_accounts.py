"""Accounts and their tokens over a database: what ends a token, what does not, and who learns of it when."""

from __future__ import annotations

import asyncio
import threading
import unicodedata
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import event, select
from tests.accounts.support import ENVELOPE, START, MovableClock, rejected, rejected_async

from timbra.accounts.accounts import SESSION_SECONDS, Accounts, SessionToken
from timbra.accounts.caller import ADMINISTRATOR, Caller
from timbra.accounts.field_validation import normalize_user
from timbra.accounts.secrets import shared_secret
from timbra.accounts.tokens.token_auth import MAX_CACHED_TOKENS
from timbra.messages import full_message
from timbra.store.accounts.account_repository import AccountRepository
from timbra.store.accounts.models import AccountRow
from timbra.store.database.database import Database, open_database
from timbra.store.database.transaction import Transaction
from timbra.store.tables.accounts import SECRET
from timbra.store.tables.stamps import EVENT

USER, PASSWORD = "Ana@Empresa.mx", "contraseña 1"
Open = Callable[..., Accounts]


@pytest.fixture
def open_accounts(any_database: Database, wall: MovableClock) -> Iterator[Open]:
    """Opens accounts as another process or environment would."""
    made: list[Accounts] = []

    def opened(database: Database = any_database, environment: str = "sandbox") -> Accounts:
        made.append(Accounts(database, ENVELOPE, environment, wall, wall))
        return made[-1]

    yield opened
    for accounts in made:
        accounts.close()


@pytest.fixture
def served(open_accounts: Open) -> Accounts:
    accounts = open_accounts()
    accounts.create(USER, PASSWORD)
    return accounts


def login(accounts: Accounts, user: str = USER, password: str = PASSWORD) -> SessionToken:
    return asyncio.run(accounts.authenticate(user, password))


def failed_login(accounts: Accounts, user: str = USER, password: str = PASSWORD) -> str:
    return asyncio.run(rejected_async(accounts.authenticate, user, password)).code


def code_of(accounts: Accounts, token: str) -> str:
    return rejected(accounts.caller, f"Bearer {token}").code


def test_a_login_gives_a_token_of_two_hours_in_whole_seconds(served: Accounts) -> None:
    session = login(served)
    assert session.expires_at == int(START.timestamp()) + SESSION_SECONDS
    assert served.caller(f"Bearer {session.token}") == Caller(1, USER, "account")
    assert served.caller(f"bearer {session.token}").user == USER


@pytest.mark.parametrize("user", ["ana@empresa.mx", "ANA@EMPRESA.MX", "  Ana@Empresa.mx "])
def test_the_case_of_a_user_name_does_not_matter(accounts: Accounts, user: str) -> None:
    accounts.create(USER, PASSWORD)
    assert accounts.caller(f"Bearer {login(accounts, user).token}").user == USER
    assert rejected(accounts.create, user, "otra").code == "account-exists"


@pytest.mark.parametrize(
    ("user", "password"),
    [
        (USER, "contraseña 2"),
        (USER, PASSWORD.upper()),
        (USER, ""),
        ("luis@empresa.mx", PASSWORD),
        ("", ""),
        ("a\x00b", "x"),
        ("\ud800", "\ud800"),
        ("x" * 1_000_000, "y" * 1_000_000),
    ],
)
def test_wrong_credentials_are_one_rejection(accounts: Accounts, user: str, password: str) -> None:
    accounts.create(USER, PASSWORD)
    assert failed_login(accounts, user, password) == "AU2000"


def test_a_login_costs_no_query(served: Accounts, any_database: Database) -> None:
    login(served)
    statements: list[str] = []
    event.listen(any_database.engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    header = f"Bearer {login(served).token}"
    for _ in range(3):
        served.caller(header)
    assert statements == []


def test_a_session_ends_at_its_second(served: Accounts, wall: MovableClock) -> None:
    token = login(served).token
    header = f"Bearer {token}"
    wall.advance(SESSION_SECONDS - 0.001)
    served.caller(header)
    wall.advance(0.001)
    assert rejected(served.caller, header).code == "AU4000"
    assert rejected(served.caller, f"bearer {token}").code == "AU4000"


def test_a_password_change_ends_sessions_and_spares_infinite_tokens(served: Accounts) -> None:
    session, infinite = login(served).token, served.create_infinite_token(USER)
    served.caller(f"Bearer {session}")
    served.set_password(USER.upper(), "otra")
    assert code_of(served, session) == "AU4000"
    assert served.caller(f"Bearer {infinite}").user == USER
    assert failed_login(served) == "AU2000"
    assert served.caller(f"Bearer {login(served, USER, 'otra').token}").user == USER


def test_the_old_password_given_back_does_not_revive_old_sessions(served: Accounts) -> None:
    session = login(served).token
    served.set_password(USER, "otra")
    served.set_password(USER, PASSWORD)
    assert code_of(served, session) == "AU4000"


def test_infinite_tokens_outlive_time_and_end_when_revoked(served: Accounts, wall: MovableClock) -> None:
    first, second = served.create_infinite_token(USER, "facturación"), served.create_infinite_token(USER)
    wall.advance(20 * 365 * 86_400)
    served.caller(f"Bearer {first}")
    assert [token.label for token in served.list_infinite_tokens(USER)] in (["facturación", ""], ["", "facturación"])
    served.revoke(first)
    assert code_of(served, first) == "AU4000"
    [left] = served.list_infinite_tokens()
    served.caller(f"Bearer {second}")
    served.revoke(left.token_id)
    assert code_of(served, second) == "AU4000"
    assert served.list_infinite_tokens() == []


@pytest.mark.parametrize("token", ["", "x\x00", "0" * 32, "no existe"])
def test_revoking_what_does_not_exist(served: Accounts, token: str) -> None:
    assert rejected(served.revoke, token).code == "token-unknown"


def test_revoking_twice_or_a_session(served: Accounts) -> None:
    infinite = served.create_infinite_token(USER)
    served.revoke(infinite)
    assert rejected(served.revoke, infinite).code == "token-unknown"
    assert rejected(served.revoke, login(served).token).code == "token-unknown"


def test_a_disabled_account_is_shut_until_it_is_enabled(served: Accounts) -> None:
    session, infinite = login(served).token, served.create_infinite_token(USER)
    served.set_active(USER, False)
    assert {code_of(served, session), code_of(served, infinite)} == {"AU2002"}
    assert failed_login(served) == "AU2002"
    assert failed_login(served, password="otra") == "AU2000"
    assert rejected(served.session_token, USER).code == "account-disabled"
    assert rejected(served.create_infinite_token, USER).code == "account-disabled"
    served.set_active(USER, True)
    served.caller(f"Bearer {session}")
    login(served)


def test_a_token_is_good_in_its_environment_only(served: Accounts, open_accounts: Open) -> None:
    production = open_accounts(environment="production")
    for token in (login(served).token, served.create_infinite_token(USER)):
        assert code_of(production, token) == "token-signature"
    assert code_of(served, production.session_token(USER).token) == "token-signature"


def test_other_processes_accept_tokens_and_learn_of_changes(
    served: Accounts, open_accounts: Open, any_address: str
) -> None:
    elsewhere = open_database(any_address, "sandbox")
    other = open_accounts(elsewhere)
    session, infinite = login(other).token, served.create_infinite_token(USER)
    elsewhere.poll()
    assert other.caller(f"Bearer {infinite}") == served.caller(f"Bearer {session}")
    served.revoke(infinite)
    served.set_password(USER, "otra")
    served.create("luis", "x")
    elsewhere.poll()
    assert {code_of(other, session), code_of(other, infinite)} == {"AU4000"}
    assert other.caller(f"Bearer {login(other, 'luis', 'x').token}").user == "luis"
    elsewhere.close()


def test_a_change_is_read_and_not_everything_again(served: Accounts, any_database: Database) -> None:
    served.create("luis", "x")
    login(served)
    rows: list[int] = []
    changed_after = AccountRepository.changed_after

    def counting(repository: AccountRepository, transaction: Transaction, version: int) -> list[AccountRow]:
        accounts = changed_after(repository, transaction, version)
        rows.append(len(accounts))
        return accounts

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AccountRepository, "changed_after", counting)
        served.set_password("luis", "y")
        login(served)
    assert rows == [1]


def test_processes_that_start_at_once_share_one_secret(any_address: str) -> None:
    together = threading.Barrier(4)

    def secret(_: int) -> bytes:
        database = open_database(any_address)
        together.wait(10)
        found = shared_secret(database, ENVELOPE)
        database.close()
        return found

    with ThreadPoolExecutor(4) as pool:
        secrets = set(pool.map(secret, range(4)))
    assert len(secrets) == 1
    assert len(secrets.pop()) == 32


def test_the_secret_is_not_stored_in_the_clear(served: Accounts, any_database: Database) -> None:
    with any_database.read() as connection:
        sealed = connection.execute(select(SECRET.c.sealed)).scalar_one()
    assert shared_secret(any_database, ENVELOPE) not in sealed


def test_accounts_are_listed_in_the_order_they_were_made(served: Accounts) -> None:
    served.create("admin", "x", ADMINISTRATOR)
    served.set_active("admin", False)
    found = [(account.user, account.role, account.active) for account in served.list_accounts()]
    assert found == [(USER, "account", True), ("admin", "administrator", False)]
    assert served.find("ADMIN").account_id == 2


@pytest.mark.parametrize("user", ["", " ", "dos palabras", "x" * 255, "nul\x00", "\ud800", "nueva\nlínea"])
def test_user_names_that_cannot_be(accounts: Accounts, user: str) -> None:
    assert rejected(accounts.create, user, "x").code == "user-invalid"
    assert rejected(accounts.find, user).code == "account-unknown"


def test_what_needs_an_account_says_when_there_is_none(served: Accounts) -> None:
    for call in (served.find, served.session_token, served.create_infinite_token, served.list_infinite_tokens):
        assert rejected(call, "nadie").code == "account-unknown"
    assert rejected(served.set_password, "nadie", "x").code == "account-unknown"
    assert rejected(served.set_active, "nadie", False).code == "account-unknown"


def test_an_impossible_password_changes_nothing(served: Accounts) -> None:
    assert rejected(served.set_password, USER, "").code == "password-invalid"
    assert rejected(served.create, "luis", "x" * 1025).code == "password-invalid"
    login(served)
    assert len(served.list_accounts()) == 1


def test_what_happened_is_in_the_event_log(served: Accounts, any_database: Database) -> None:
    token = served.create_infinite_token(USER)
    served.revoke(token)
    served.set_password(USER, "otra")
    served.set_active(USER, False)
    with any_database.read() as connection:
        rows = connection.execute(select(EVENT).order_by(EVENT.c.id)).all()
    kinds = ["account.created", "token.created", "token.revoked", "account.password", "account.disabled"]
    assert [(row.kind, row.account_id, row.at) for row in rows] == [(kind, 1, START) for kind in kinds]
    assert token not in str(rows)


def test_the_cache_of_checked_tokens_is_bounded(accounts: Accounts) -> None:
    accounts.create(USER, PASSWORD)
    token = accounts.session_token(USER).token
    for blanks in range(1, MAX_CACHED_TOKENS + 10):
        accounts.caller("Bearer" + " " * blanks + token)
    _, checked = accounts._authenticator._checked
    assert len(checked) == MAX_CACHED_TOKENS


def test_a_failed_check_is_not_remembered(accounts: Accounts) -> None:
    for _ in range(3):
        assert rejected(accounts.caller, "Bearer x").code == "token-parts"
        assert rejected(accounts.caller, "Bearer é").code == "token-parts"
        assert rejected(accounts.caller, None).code == "AU4101"
    assert accounts._authenticator._checked[1] == {}


def test_token_check_is_not_cached_when_the_account_changed_meanwhile(
    accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The account closes while its token is being checked: that answer may go out, the next one must not."""
    accounts.create(USER, PASSWORD)
    header = f"Bearer {accounts.session_token(USER).token}"
    keep = accounts._authenticator._keep

    def overtaken(*given: object) -> None:
        accounts.set_active(USER, False)
        rejected(accounts.caller, "Bearer x")
        keep(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(accounts._authenticator, "_keep", overtaken)
    accounts.caller(header)
    monkeypatch.undo()
    assert rejected(accounts.caller, header).code == "AU2002"


def test_a_user_name_is_one_however_its_accents_are_composed() -> None:
    assert normalize_user(unicodedata.normalize("NFD", "ÑANDÚ@x.mx")) == normalize_user("ñandú@x.mx")


def test_an_unexpected_role_is_a_bug(accounts: Accounts) -> None:
    with pytest.raises(ValueError, match="role"):
        accounts.create("luis", "x", "jefe")


def test_every_rejection_has_a_sentence() -> None:
    codes = ["AU2000", "AU4000", "AU4101", "token-parts", "token-signature", "account-unknown", "account-disabled"]
    codes += ["account-exists", "user-invalid", "password-invalid", "token-unknown", "csd-missing", "certificates"]
    assert all(full_message(code) for code in codes)
