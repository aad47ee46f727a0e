"""Accounts and their tokens over a database: validity of tokens, changes of accounts, and several processes."""

from __future__ import annotations

import asyncio
import threading
import unicodedata
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import event, select
from tests.accounts.support import ENVELOPE, START, MovableClock, rejected, rejected_async
from tests.support.events import list_audit_events

from timbra.accounts.accounts import Accounts
from timbra.accounts.field_validation import normalize_user
from timbra.accounts.secrets import shared_secret
from timbra.accounts.store.account_repository import AccountRepository
from timbra.accounts.store.models import AccountRow
from timbra.accounts.tokens.account_tokens import SessionToken
from timbra.accounts.tokens.token_auth import Checked
from timbra.accounts.tokens.tokens import TokenClaims
from timbra.core.caller import Caller
from timbra.database.database import Database, open_database
from timbra.database.tables.accounts import SECRET
from timbra.database.transaction import Transaction
from timbra.rules.reference.messages import full_message

SESSION_SECONDS = 7200
MAX_CACHED_TOKENS = 8192
ADMINISTRATOR = "administrator"

USER, PASSWORD = "Ana@Empresa.mx", "contraseña 1"
Open = Callable[..., Accounts]


@pytest.fixture
def open_accounts(any_database: Database, wall: MovableClock) -> Iterator[Open]:
    """Open accounts as another process or environment does."""
    made: list[Accounts] = []

    def opened(database: Database = any_database, environment: str = "sandbox") -> Accounts:
        made.append(Accounts(database, ENVELOPE, environment, wall, wall))
        return made[-1]

    yield opened
    for accounts in made:
        accounts.close()


@pytest.fixture
def accounts_with_user(open_accounts: Open) -> Accounts:
    accounts = open_accounts()
    accounts.create(USER, PASSWORD)
    return accounts


def login(accounts: Accounts, user: str = USER, password: str = PASSWORD) -> SessionToken:
    return asyncio.run(accounts.authenticate(user, password))


def failed_login(accounts: Accounts, user: str = USER, password: str = PASSWORD) -> str:
    return asyncio.run(rejected_async(accounts.authenticate, user, password)).code


def code_of(accounts: Accounts, token: str) -> str:
    return rejected(accounts.caller, f"Bearer {token}").code


def test_authenticate_returns_a_token_that_expires_after_two_hours(accounts_with_user: Accounts) -> None:
    session = login(accounts_with_user)
    assert session.expires_at == int(START.timestamp()) + SESSION_SECONDS
    assert accounts_with_user.caller(f"Bearer {session.token}") == Caller(1, USER, "account")
    assert accounts_with_user.caller(f"bearer {session.token}").user == USER


@pytest.mark.parametrize("user", ["ana@empresa.mx", "ANA@EMPRESA.MX", "  Ana@Empresa.mx "])
def test_user_names_ignore_case(accounts: Accounts, user: str) -> None:
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
def test_authenticate_rejects_wrong_credentials_with_one_code(accounts: Accounts, user: str, password: str) -> None:
    accounts.create(USER, PASSWORD)
    assert failed_login(accounts, user, password) == "AU2000"


def test_authenticate_sends_no_query_when_the_login_is_cached(
    accounts_with_user: Accounts, any_database: Database
) -> None:
    login(accounts_with_user)
    statements: list[str] = []
    event.listen(any_database.engine, "before_cursor_execute", lambda *arguments: statements.append(arguments[2]))
    header = f"Bearer {login(accounts_with_user).token}"
    for _ in range(3):
        accounts_with_user.caller(header)
    assert statements == []


def test_caller_rejects_a_session_token_at_its_expiry(accounts_with_user: Accounts, wall: MovableClock) -> None:
    token = login(accounts_with_user).token
    header = f"Bearer {token}"
    wall.advance(SESSION_SECONDS - 0.001)
    accounts_with_user.caller(header)
    wall.advance(0.001)
    assert rejected(accounts_with_user.caller, header).code == "AU4000"
    assert rejected(accounts_with_user.caller, f"bearer {token}").code == "AU4000"


def test_set_password_ends_sessions_and_keeps_infinite_tokens(accounts_with_user: Accounts) -> None:
    session, infinite = login(accounts_with_user).token, accounts_with_user.create_infinite_token(USER)
    accounts_with_user.caller(f"Bearer {session}")
    accounts_with_user.set_password(USER.upper(), "otra")
    assert code_of(accounts_with_user, session) == "AU4000"
    assert accounts_with_user.caller(f"Bearer {infinite}").user == USER
    assert failed_login(accounts_with_user) == "AU2000"
    assert accounts_with_user.caller(f"Bearer {login(accounts_with_user, USER, 'otra').token}").user == USER


def test_set_password_does_not_restore_old_sessions_when_the_old_password_returns(accounts_with_user: Accounts) -> None:
    session = login(accounts_with_user).token
    accounts_with_user.set_password(USER, "otra")
    accounts_with_user.set_password(USER, PASSWORD)
    assert code_of(accounts_with_user, session) == "AU4000"


def test_infinite_token_is_valid_until_it_is_revoked(accounts_with_user: Accounts, wall: MovableClock) -> None:
    first, second = (
        accounts_with_user.create_infinite_token(USER, "facturación"),
        accounts_with_user.create_infinite_token(USER),
    )
    wall.advance(20 * 365 * 86_400)
    accounts_with_user.caller(f"Bearer {first}")
    assert [token.label for token in accounts_with_user.list_infinite_tokens(USER)] in (
        ["facturación", ""],
        ["", "facturación"],
    )
    accounts_with_user.revoke(first)
    assert code_of(accounts_with_user, first) == "AU4000"
    [left] = accounts_with_user.list_infinite_tokens()
    accounts_with_user.caller(f"Bearer {second}")
    accounts_with_user.revoke(left.token_id)
    assert code_of(accounts_with_user, second) == "AU4000"
    assert accounts_with_user.list_infinite_tokens() == []


@pytest.mark.parametrize("token", ["", "x\x00", "0" * 32, "no existe"])
def test_revoke_rejects_an_unknown_token(accounts_with_user: Accounts, token: str) -> None:
    assert rejected(accounts_with_user.revoke, token).code == "token-unknown"


def test_revoke_rejects_revoked_and_session_tokens(accounts_with_user: Accounts) -> None:
    infinite = accounts_with_user.create_infinite_token(USER)
    accounts_with_user.revoke(infinite)
    assert rejected(accounts_with_user.revoke, infinite).code == "token-unknown"
    assert rejected(accounts_with_user.revoke, login(accounts_with_user).token).code == "token-unknown"


def test_set_active_rejects_tokens_and_logins_until_the_account_is_enabled(accounts_with_user: Accounts) -> None:
    session, infinite = login(accounts_with_user).token, accounts_with_user.create_infinite_token(USER)
    accounts_with_user.set_active(USER, False)
    assert {code_of(accounts_with_user, session), code_of(accounts_with_user, infinite)} == {"AU2002"}
    assert failed_login(accounts_with_user) == "AU2002"
    assert failed_login(accounts_with_user, password="otra") == "AU2000"
    assert rejected(accounts_with_user.session_token, USER).code == "account-disabled"
    assert rejected(accounts_with_user.create_infinite_token, USER).code == "account-disabled"
    accounts_with_user.set_active(USER, True)
    accounts_with_user.caller(f"Bearer {session}")
    login(accounts_with_user)


def test_caller_rejects_a_token_of_another_environment(accounts_with_user: Accounts, open_accounts: Open) -> None:
    production = open_accounts(environment="production")
    for token in (login(accounts_with_user).token, accounts_with_user.create_infinite_token(USER)):
        assert code_of(production, token) == "token-signature"
    assert code_of(accounts_with_user, production.session_token(USER).token) == "token-signature"


def test_accounts_accept_tokens_and_read_changes_of_other_processes(
    accounts_with_user: Accounts, open_accounts: Open, any_address: str
) -> None:
    elsewhere = open_database(any_address, "sandbox")
    other = open_accounts(elsewhere)
    session, infinite = login(other).token, accounts_with_user.create_infinite_token(USER)
    elsewhere.poll()
    assert other.caller(f"Bearer {infinite}") == accounts_with_user.caller(f"Bearer {session}")
    accounts_with_user.revoke(infinite)
    accounts_with_user.set_password(USER, "otra")
    accounts_with_user.create("luis", "x")
    elsewhere.poll()
    assert {code_of(other, session), code_of(other, infinite)} == {"AU4000"}
    assert other.caller(f"Bearer {login(other, 'luis', 'x').token}").user == "luis"
    elsewhere.close()


def test_cache_reads_only_the_changed_account(accounts_with_user: Accounts, any_database: Database) -> None:
    accounts_with_user.create("luis", "x")
    login(accounts_with_user)
    rows: list[int] = []
    changed_after = AccountRepository.changed_after

    def counting(repository: AccountRepository, transaction: Transaction, version: int) -> list[AccountRow]:
        accounts = changed_after(repository, transaction, version)
        rows.append(len(accounts))
        return accounts

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AccountRepository, "changed_after", counting)
        accounts_with_user.set_password("luis", "y")
        login(accounts_with_user)
    assert rows == [1]


def test_shared_secret_is_created_once_by_concurrent_processes(any_address: str) -> None:
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


def test_shared_secret_is_encrypted_in_the_database(accounts_with_user: Accounts, any_database: Database) -> None:
    with any_database.read() as connection:
        sealed = connection.execute(select(SECRET.c.sealed)).scalar_one()
    assert shared_secret(any_database, ENVELOPE) not in sealed


def test_list_accounts_returns_accounts_in_order_of_creation(accounts_with_user: Accounts) -> None:
    accounts_with_user.create("admin", "x", ADMINISTRATOR)
    accounts_with_user.set_active("admin", False)
    found = [(account.user, account.role, account.active) for account in accounts_with_user.list_accounts()]
    assert found == [(USER, "account", True), ("admin", "administrator", False)]
    assert accounts_with_user.find("ADMIN").account_id == 2


@pytest.mark.parametrize("user", ["", " ", "dos palabras", "x" * 255, "nul\x00", "\ud800", "nueva\nlínea"])
def test_create_rejects_an_invalid_user_name(accounts: Accounts, user: str) -> None:
    assert rejected(accounts.create, user, "x").code == "user-invalid"
    assert rejected(accounts.find, user).code == "account-unknown"


def test_account_methods_reject_an_unknown_user(accounts_with_user: Accounts) -> None:
    for call in (
        accounts_with_user.find,
        accounts_with_user.session_token,
        accounts_with_user.create_infinite_token,
        accounts_with_user.list_infinite_tokens,
    ):
        assert rejected(call, "nadie").code == "account-unknown"
    assert rejected(accounts_with_user.set_password, "nadie", "x").code == "account-unknown"
    assert rejected(accounts_with_user.set_active, "nadie", False).code == "account-unknown"


def test_invalid_password_changes_nothing(accounts_with_user: Accounts) -> None:
    assert rejected(accounts_with_user.set_password, USER, "").code == "password-invalid"
    assert rejected(accounts_with_user.create, "luis", "x" * 1025).code == "password-invalid"
    login(accounts_with_user)
    assert len(accounts_with_user.list_accounts()) == 1


def test_account_changes_are_in_the_audit_log(accounts_with_user: Accounts, any_database: Database) -> None:
    token = accounts_with_user.create_infinite_token(USER)
    accounts_with_user.revoke(token)
    accounts_with_user.set_password(USER, "otra")
    accounts_with_user.set_active(USER, False)
    rows = list_audit_events(any_database)
    kinds = ["account.created", "token.created", "token.revoked", "account.password", "account.disabled"]
    assert [(row.kind, row.account_id, row.at) for row in rows] == [(kind, 1, START) for kind in kinds]
    assert token not in str(rows)


def test_token_cache_is_bounded(accounts: Accounts) -> None:
    accounts.create(USER, PASSWORD)
    token = accounts.session_token(USER).token
    for spaces in range(1, MAX_CACHED_TOKENS + 10):
        accounts.caller("Bearer" + " " * spaces + token)
    _, checked = accounts._authenticator._checked
    assert len(checked) == MAX_CACHED_TOKENS


def test_token_cache_holds_no_failed_checks(accounts: Accounts) -> None:
    for _ in range(3):
        assert rejected(accounts.caller, "Bearer x").code == "token-parts"
        assert rejected(accounts.caller, "Bearer é").code == "token-parts"
        assert rejected(accounts.caller, None).code == "AU4101"
    assert accounts._authenticator._checked[1] == {}


def test_token_cache_ignores_a_check_when_the_account_changed_meanwhile(
    accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The account is disabled while its token is checked: only that check may succeed, not the next one."""
    accounts.create(USER, PASSWORD)
    header = f"Bearer {accounts.session_token(USER).token}"
    check = accounts._authenticator._check

    def overtaken(claims: TokenClaims, now: float) -> Checked:
        checked = check(claims, now)
        accounts.set_active(USER, False)
        rejected(accounts.caller, "Bearer x")
        return checked

    monkeypatch.setattr(accounts._authenticator, "_check", overtaken)
    accounts.caller(header)
    monkeypatch.undo()
    assert rejected(accounts.caller, header).code == "AU2002"


def test_normalize_user_ignores_the_composition_of_accents() -> None:
    assert normalize_user(unicodedata.normalize("NFD", "ÑANDÚ@x.mx")) == normalize_user("ñandú@x.mx")


def test_create_raises_value_error_for_an_unknown_role(accounts: Accounts) -> None:
    with pytest.raises(ValueError, match="role"):
        accounts.create("luis", "x", "jefe")


def test_full_message_exists_for_every_rejection_of_accounts() -> None:
    codes = ["AU2000", "AU4000", "AU4101", "token-parts", "token-signature", "account-unknown", "account-disabled"]
    codes += ["account-exists", "user-invalid", "password-invalid", "token-unknown", "csd-missing", "certificates"]
    assert all(full_message(code) for code in codes)
