"""Password hashes: their cost, their equality, and the limit of concurrent computations."""

from __future__ import annotations

import asyncio
import threading
import time
import unicodedata
from collections.abc import Iterator

import pytest
from argon2 import extract_parameters
from argon2.low_level import Type
from hypothesis import given
from hypothesis import strategies as st
from tests.accounts.support import rejected, rejected_async
from tests.support.shared_results import passwords_with

from timbra.accounts.login import passwords as module
from timbra.accounts.login.passwords import Passwords, is_possible, password_bytes

MAX_PASSWORD_LENGTH = 1024
MAX_RUNNING = 2
MAX_WAITING = 4096
MAX_WAITING_PER_LANE = 2048


@pytest.fixture(scope="module")
def passwords() -> Iterator[Passwords]:
    made = Passwords()
    with passwords_with():
        yield made
    made.close()


def matches(passwords: Passwords, encoded: str | None, password: str) -> bool:
    return asyncio.run(passwords.run("", passwords.matches, encoded, password))


def test_hash_is_argon2id_with_19_mib_two_passes_and_one_lane(passwords: Passwords) -> None:
    found = extract_parameters(passwords.hash("secreta"))
    assert (found.type, found.memory_cost, found.time_cost, found.parallelism) == (Type.ID, 19 * 1024, 2, 1)


def test_dummy_hash_has_the_parameters_of_a_real_hash(passwords: Passwords) -> None:
    assert extract_parameters(module.DUMMY_HASH) == extract_parameters(passwords.hash("secreta"))


def test_hash_is_salted(passwords: Passwords) -> None:
    assert passwords.hash("secreta") != passwords.hash("secreta")


def test_matches_accepts_the_right_password_alone(passwords: Passwords) -> None:
    encoded = passwords.hash("contraseña 🔑\x00")
    assert matches(passwords, encoded, "contraseña 🔑\x00")
    assert not matches(passwords, encoded, "contraseña 🔑")
    assert not matches(passwords, None, "contraseña 🔑\x00")


def test_matches_normalizes_accents(passwords: Passwords) -> None:
    composed = unicodedata.normalize("NFC", "contraseña")
    assert matches(passwords, passwords.hash(composed), unicodedata.normalize("NFD", composed))


@pytest.mark.parametrize("password", ["", "x" * (MAX_PASSWORD_LENGTH + 1), "\ud800"])
def test_hash_rejects_an_impossible_password(passwords: Passwords, password: str) -> None:
    assert rejected(passwords.hash, password).code == "password-invalid"


@given(st.text(st.characters(), max_size=60))
def test_password_bytes_accepts_any_text(password: str) -> None:
    assert isinstance(password_bytes(password), bytes)
    assert not is_possible(password) or password_bytes(password).decode()


def test_run_makes_two_checks_at_once_off_the_event_loop(passwords: Passwords, monkeypatch: pytest.MonkeyPatch) -> None:
    running, most, lock, go_on = 0, 0, threading.Lock(), threading.Event()

    def verify(encoded: str, password: bytes) -> bool:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        assert go_on.wait(10)
        with lock:
            running -= 1
        return True

    async def many() -> list[bool]:
        waiting = [asyncio.create_task(passwords.run("", passwords.matches, "x", "y")) for _ in range(8)]
        deadline = time.monotonic() + 10
        while most < MAX_RUNNING and time.monotonic() < deadline:
            await asyncio.sleep(0.001)
        go_on.set()
        return await asyncio.gather(*waiting)

    monkeypatch.setattr(module, "_verify", verify)
    assert asyncio.run(many()) == [True] * 8
    assert most == MAX_RUNNING


def test_run_rejects_more_checks_than_the_pool_holds(passwords: Passwords, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    monkeypatch.setattr(module, "_verify", lambda encoded, password: go_on.wait(10))

    async def flood() -> None:
        origins = ["a"] * (MAX_RUNNING + MAX_WAITING_PER_LANE) + ["b"] * (MAX_WAITING - MAX_WAITING_PER_LANE)
        waiting = [asyncio.create_task(passwords.run(origin, passwords.matches, "x", "y")) for origin in origins]
        await asyncio.sleep(0)
        rejection = await rejected_async(passwords.run, "c", passwords.matches, "x", "y")
        go_on.set()
        assert (rejection.code, rejection.retry_after) == ("TB4291", 5)
        assert all(await asyncio.gather(*waiting))
        assert await passwords.run("", passwords.matches, "x", "y")

    asyncio.run(flood())


def test_run_takes_lanes_in_turns(passwords: Passwords, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    def verify(encoded: str, password: bytes) -> bool:
        order.append(encoded)
        return True

    monkeypatch.setattr(module, "_verify", verify)

    async def flood() -> None:
        waiting = [passwords.run("a", passwords.matches, "flood", "y") for _ in range(100)]
        await asyncio.gather(*waiting, passwords.run("b", passwords.matches, "other", "y"))

    asyncio.run(flood())
    assert order.index("other") < 10
