"""Floods of anonymous logins: the owner of an account logs in meanwhile, and no login is answered 503."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator

import pytest
from argon2 import PasswordHasher
from tests.accounts.support import ENVELOPE, MovableClock
from tests.support.effort import cases
from tests.support.shared_results import passwords_with

from timbra.accounts.accounts import Accounts
from timbra.core.errors import ServiceError
from timbra.database.database import Database

LIFETIME_SECONDS = 600.0

CONNECTIONS = 280
HASHER = PasswordHasher(time_cost=1, memory_cost=4 * 1024, parallelism=1)
"""A tenth of the work of a server's hash: the checks of a flood still take longer than their requests need to queue."""
USER, PASSWORD = "ana@empresa.mx", "contraseña 1"
ATTACKER, OWNER, LOOPBACK = "address:203.0.113.7", "address:198.51.100.2", "address:127.0.0.1"


@pytest.fixture(params=cases(["sqlite"], ["sqlite", "postgresql"]))
def any_address(request: pytest.FixtureRequest) -> str:
    """Return the address of an empty database; the limits are tested on both kinds beside."""
    return str(request.getfixturevalue(f"{request.param}_address"))


@pytest.fixture
def accounts(any_database: Database, wall: MovableClock) -> Iterator[Accounts]:
    opened = Accounts(any_database, ENVELOPE, "sandbox", wall, wall)
    with passwords_with(HASHER):
        opened.create(USER, PASSWORD)
        yield opened
    opened.close()


async def _outcome(accounts: Accounts, user: str, password: str, origin: str) -> str:
    try:
        await accounts.authenticate(user, password, origin)
    except ServiceError as error:
        return error.code
    return "token"


async def _flood(accounts: Accounts, origin: str, names: str) -> list[asyncio.Task[str]]:
    """Start the logins of as many connections, each with another password."""
    flood = [
        asyncio.create_task(_outcome(accounts, names.format(number), f"mala {number}", origin))
        for number in range(CONNECTIONS)
    ]
    await asyncio.sleep(0.05)
    return flood


@pytest.mark.parametrize(
    ("names", "owner"),
    cases(
        [("nadie {}", OWNER), (USER, LOOPBACK)],
        [("nadie {}", OWNER), ("nadie {}", LOOPBACK), (USER, OWNER), (USER, LOOPBACK)],
    ),
)
def test_flood_from_one_address_does_not_stop_other_logins(
    accounts: Accounts, wall: MovableClock, names: str, owner: str
) -> None:
    attacker = LOOPBACK if owner == LOOPBACK else ATTACKER

    async def scene() -> tuple[str, Counter[str]]:
        await accounts.authenticate(USER, PASSWORD, owner)
        wall.advance(LIFETIME_SECONDS)
        flood = await _flood(accounts, attacker, names)
        return await _outcome(accounts, USER, PASSWORD, owner), Counter(await asyncio.gather(*flood))

    owner_outcome, flood_outcomes = asyncio.run(scene())
    assert owner_outcome == "token"
    assert set(flood_outcomes) <= {"AU2000", "TB4291"}


def test_first_login_succeeds_behind_the_proxy_of_the_attacker(accounts: Accounts) -> None:
    async def scene() -> tuple[str, Counter[str]]:
        flood = await _flood(accounts, LOOPBACK, "nadie {}")
        return await _outcome(accounts, USER, PASSWORD, LOOPBACK), Counter(await asyncio.gather(*flood))

    assert asyncio.run(scene()) == ("token", {"AU2000": CONNECTIONS})


def test_address_that_guesses_gets_few_checks(accounts: Accounts) -> None:
    async def scene() -> Counter[str]:
        return Counter(await asyncio.gather(*await _flood(accounts, ATTACKER, "nadie {}")))

    outcomes = asyncio.run(scene())
    assert outcomes["AU2000"] < 40
    assert outcomes["TB4291"] == CONNECTIONS - outcomes["AU2000"]
