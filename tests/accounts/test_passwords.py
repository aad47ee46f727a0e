"""Password hashes: their cost, their equality, and how many are computed at once."""

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
from tests.accounts.support import refused, refused_async

from timbra.accounts import passwords as module
from timbra.accounts.passwords import AT_ONCE, LONGEST, MOST_WAITING, NOBODY, Passwords, is_possible, password_bytes


@pytest.fixture(scope="module")
def passwords() -> Iterator[Passwords]:
    made = Passwords()
    yield made
    made.close()


def matches(passwords: Passwords, encoded: str | None, password: str) -> bool:
    return asyncio.run(passwords.matches(encoded, password))


def test_the_hash_is_argon2id_with_19_mib_two_passes_and_one_lane(passwords: Passwords) -> None:
    found = extract_parameters(passwords.hash("secreta"))
    assert (found.type, found.memory_cost, found.time_cost, found.parallelism) == (Type.ID, 19 * 1024, 2, 1)


def test_an_unknown_user_costs_the_same_as_a_known_one(passwords: Passwords) -> None:
    assert extract_parameters(NOBODY) == extract_parameters(passwords.hash("secreta"))


def test_two_hashes_of_one_password_differ(passwords: Passwords) -> None:
    assert passwords.hash("secreta") != passwords.hash("secreta")


def test_only_the_right_password_matches(passwords: Passwords) -> None:
    encoded = passwords.hash("contraseña 🔑\x00")
    assert matches(passwords, encoded, "contraseña 🔑\x00")
    assert not matches(passwords, encoded, "contraseña 🔑")
    assert not matches(passwords, None, "contraseña 🔑\x00")


def test_accents_match_however_they_are_composed(passwords: Passwords) -> None:
    composed = unicodedata.normalize("NFC", "contraseña")
    assert matches(passwords, passwords.hash(composed), unicodedata.normalize("NFD", composed))


@pytest.mark.parametrize("password", ["", "x" * (LONGEST + 1), "\ud800"])
def test_an_impossible_password_is_refused(passwords: Passwords, password: str) -> None:
    assert refused(passwords.hash, password).code == "password-invalid"


@given(st.text(st.characters(), max_size=60))
def test_any_text_has_bytes(password: str) -> None:
    assert isinstance(password_bytes(password), bytes)
    assert not is_possible(password) or password_bytes(password).decode()


def test_at_most_two_are_computed_at_once_and_the_loop_goes_on(
    passwords: Passwords, monkeypatch: pytest.MonkeyPatch
) -> None:
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
        waiting = [asyncio.create_task(passwords.matches("x", "y")) for _ in range(8)]
        deadline = time.monotonic() + 10
        while most < AT_ONCE and time.monotonic() < deadline:
            await asyncio.sleep(0.001)
        go_on.set()
        return await asyncio.gather(*waiting)

    monkeypatch.setattr(module, "_verify", verify)
    assert asyncio.run(many()) == [True] * 8
    assert most == AT_ONCE


def test_more_waiting_than_can_be_served_is_told_at_once(passwords: Passwords, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    monkeypatch.setattr(module, "_verify", lambda encoded, password: go_on.wait(10))

    async def flood() -> None:
        waiting = [asyncio.create_task(passwords.matches("x", "y")) for _ in range(MOST_WAITING)]
        await asyncio.sleep(0)
        refusal = await refused_async(passwords.matches, "x", "y")
        go_on.set()
        assert (refusal.code, refusal.retry_after) == ("CO1000", 5)
        assert all(await asyncio.gather(*waiting))
        assert await passwords.matches("x", "y")

    asyncio.run(flood())
