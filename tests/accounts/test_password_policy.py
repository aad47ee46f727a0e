"""Requirements of new passwords: enforced in production, a warning in the sandbox; existing passwords stay valid."""

from __future__ import annotations

import asyncio

import pytest
from tests.accounts.support import ENVELOPE, MovableClock, rejected

from timbra.accounts.accounts import Accounts
from timbra.accounts.login.password_policy import PasswordPolicy, weakness
from timbra.database.database import Database, open_database

USER = "ana.lopez@empresa.mx"
STRONG = "caballo pila grapa correcta"
WEAK = [
    "corta",
    "x" * 11,
    "123456789012",
    "password1234",
    "qwertyuiop12",
    "a" * 40,
    "ana.lopez@empresa.mx",
    "Facturas-sat1",
]


@pytest.mark.parametrize("password", WEAK)
def test_production_rejects_weak_passwords(password: str) -> None:
    rejection = rejected(PasswordPolicy(enforced=True).require, USER, password)
    assert rejection.code == "password-invalid"
    assert rejection.detail


@pytest.mark.parametrize(
    "password", [STRONG, "Zq7#vLw2!pXe", "ñandú-océano-9-trébol", "k" * 5 + "Rt8$uPz1@mQ" + "x" * 500]
)
def test_production_accepts_strong_passwords(password: str) -> None:
    PasswordPolicy(enforced=True).require(USER, password)
    assert weakness(USER, password) is None


@pytest.mark.parametrize("password", WEAK)
def test_sandbox_accepts_weak_passwords_with_a_warning(password: str) -> None:
    policy = PasswordPolicy(enforced=False)
    policy.require(USER, password)
    assert "producción" in (policy.warning(USER, password) or "")
    assert policy.warning(USER, STRONG) is None


def test_accounts_of_production_need_strong_passwords_and_keep_old_ones(
    sqlite_address: str, wall: MovableClock
) -> None:
    database = open_database(sqlite_address)
    try:
        _scene(database, wall)
    finally:
        database.close()


def _scene(database: Database, wall: MovableClock) -> None:
    before = Accounts(database, ENVELOPE, "sandbox", wall, wall)
    before.create(USER, "corta")
    before.close()
    accounts = Accounts(database, ENVELOPE, "production", wall, wall)
    try:
        assert asyncio.run(accounts.authenticate(USER, "corta")).token
        assert rejected(accounts.create, "luis@empresa.mx", "corta").code == "password-invalid"
        assert rejected(accounts.set_password, USER, "otra corta").code == "password-invalid"
        assert asyncio.run(accounts.authenticate(USER, "corta")).token
        accounts.set_password(USER, STRONG)
        assert asyncio.run(accounts.authenticate(USER, STRONG)).token
    finally:
        accounts.close()
