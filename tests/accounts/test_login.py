"""Logins: cached when repeated, slow to guess, and always possible with the right password."""

from __future__ import annotations

import asyncio

import pytest
from tests.accounts.support import MovableClock, rejected_async

from timbra.accounts.login.login import MAX_PAUSE_SECONDS, MAX_QUEUE_LENGTH, PAUSE_SECONDS, Login, LoginAttempt
from timbra.accounts.login.password_cache import LIFETIME_SECONDS, MAX_ENTRIES, PasswordCache
from timbra.accounts.login.passwords import Passwords
from timbra.accounts.login.throttle import BURST, MAX_NAMES, SECONDS_PER_FAILURE, FailedLogins
from timbra.errors import ServiceError

RIGHT = "la buena"


class CountedPasswords(Passwords):
    """A hasher that compares texts and counts its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.examined: list[str] = []

    async def matches(self, encoded: str | None, password: str, origin: str = "") -> bool:
        self.examined.append(password)
        await asyncio.sleep(0)
        return encoded is not None and password == encoded


class Bench:
    """A login with a test clock that records its pauses without waiting."""

    def __init__(self) -> None:
        self.wall = MovableClock()
        self.passwords = CountedPasswords()
        self.pauses: list[float] = []
        self.login = Login(self.wall, self.passwords, self._pause)

    async def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        await asyncio.sleep(0)

    async def right(self, name: str = "ana", generation: int = 1, password: str = RIGHT) -> None:
        await self.login.verify(LoginAttempt(name, f"id:{name}", generation, password, password))

    async def wrong(self, password: str, name: str = "ana", encoded: str | None = RIGHT) -> ServiceError:
        return await rejected_async(self.login.verify, LoginAttempt(name, f"id:{name}", 1, encoded, password))

    async def spend(self, name: str = "ana", encoded: str | None = RIGHT) -> None:
        for number in range(BURST):
            await self.wrong(f"mala {number}", name, encoded)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_verify_uses_the_cache_for_ten_minutes(bench: Bench) -> None:
    async def scene() -> None:
        for _ in range(5):
            await bench.right()
        bench.wall.advance(LIFETIME_SECONDS - 1)
        await bench.right()
        assert len(bench.passwords.examined) == 1
        bench.wall.advance(1)
        await bench.right()
        assert len(bench.passwords.examined) == 2

    asyncio.run(scene())


def test_verify_checks_a_new_password_although_the_old_one_is_cached(bench: Bench) -> None:
    async def scene() -> None:
        await bench.right(generation=1)
        await bench.right(generation=2, password="otra")
        rejection = await rejected_async(bench.login.verify, LoginAttempt("ana", "id:ana", 2, "otra", RIGHT))
        assert rejection.code == "AU2000"

    asyncio.run(scene())


def test_verify_checks_equal_concurrent_logins_once(bench: Bench) -> None:
    async def scene() -> None:
        await asyncio.gather(*(bench.right() for _ in range(50)))

    asyncio.run(scene())
    assert bench.passwords.examined == [RIGHT]


def test_verify_sets_retry_after_beyond_the_limit_of_failures(bench: Bench) -> None:
    async def scene() -> list[tuple[str, int | None]]:
        rejections = [await bench.wrong(f"mala {number}") for number in range(BURST + 2)]
        return [(rejection.code, rejection.retry_after) for rejection in rejections]

    assert asyncio.run(scene()) == [("AU2000", None)] * BURST + [("AU2000", 3)] * 2


def test_verify_accepts_the_right_password_after_failures(bench: Bench) -> None:
    async def scene() -> None:
        await bench.spend()
        await bench.wrong("una más")
        await bench.right()

    asyncio.run(scene())


def test_verify_accepts_the_right_password_during_a_flood(bench: Bench) -> None:
    async def scene() -> None:
        flood = [asyncio.create_task(bench.wrong(f"flujo {number}")) for number in range(200)]
        await asyncio.sleep(0)
        await bench.right()
        codes = {rejection.code for rejection in await asyncio.gather(*flood)}
        assert codes == {"AU2000"}

    asyncio.run(scene())


def test_verify_pauses_for_guesses_but_not_for_a_cached_password(bench: Bench) -> None:
    async def scene() -> None:
        await bench.right()
        await bench.spend()
        assert bench.pauses == []
        await bench.wrong("una más")
        assert bench.pauses == [PAUSE_SECONDS]
        await bench.right()
        assert bench.pauses == [PAUSE_SECONDS]

    asyncio.run(scene())


def test_verify_counts_a_repeated_wrong_password_without_a_check(bench: Bench) -> None:
    async def scene() -> int | None:
        for _ in range(BURST):
            await bench.wrong("la de antes")
        return (await bench.wrong("la de antes")).retry_after

    assert asyncio.run(scene()) == 3
    assert bench.passwords.examined == ["la de antes"]
    assert bench.pauses == []


def test_verify_refills_the_limit_of_failures(bench: Bench) -> None:
    async def scene() -> None:
        await bench.spend()
        bench.wall.advance(SECONDS_PER_FAILURE)
        assert (await bench.wrong("tras la espera")).retry_after is None
        assert (await bench.wrong("sin espera")).retry_after == 3

    asyncio.run(scene())


def test_verify_throttles_each_name_separately(bench: Bench) -> None:
    async def scene() -> None:
        await bench.spend("ana")
        assert (await bench.wrong("mala", "luis")).retry_after is None
        assert bench.pauses == []

    asyncio.run(scene())


def test_verify_treats_unknown_names_like_existing_ones() -> None:
    async def scene(encoded: str | None) -> tuple[list[int | None], list[float], int]:
        bench = Bench()
        waits = [(await bench.wrong(f"mala {number}", "x", encoded)).retry_after for number in range(BURST + 5)]
        return waits, bench.pauses, len(bench.passwords.examined)

    assert asyncio.run(scene(RIGHT)) == asyncio.run(scene(None))


def test_verify_shortens_the_pauses_as_the_queue_grows(bench: Bench) -> None:
    async def scene() -> None:
        await bench.spend()
        await asyncio.gather(*(bench.wrong(f"flujo {number}") for number in range(200)))

    asyncio.run(scene())
    assert bench.pauses == pytest.approx([PAUSE_SECONDS] + [MAX_PAUSE_SECONDS / 200] * 199)


def test_verify_rejects_logins_beyond_the_limit_of_the_queue(bench: Bench) -> None:
    async def scene() -> None:
        line = [asyncio.create_task(bench.wrong(f"flujo {number}")) for number in range(MAX_QUEUE_LENGTH)]
        await asyncio.sleep(0)
        rejection = await bench.wrong("una más")
        assert (rejection.code, rejection.retry_after) == ("CO1000", 5)
        await asyncio.gather(*line)
        assert "una más" not in bench.passwords.examined
        await bench.right()

    asyncio.run(scene())


def test_verify_leaves_the_queue_when_it_is_cancelled(bench: Bench) -> None:
    async def scene() -> None:
        first = asyncio.create_task(bench.right())
        second = asyncio.create_task(bench.right())
        await asyncio.sleep(0)
        first.cancel()
        second.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
        await bench.right()

    asyncio.run(scene())


@pytest.mark.parametrize("password", ["", "x" * 1025, "\ud800"])
def test_verify_rejects_an_impossible_password_without_a_check(bench: Bench, password: str) -> None:
    assert asyncio.run(bench.wrong(password)).code == "AU2000"
    assert bench.passwords.examined == []


def test_password_cache_evicts_the_oldest_entry() -> None:
    remembered = PasswordCache(MovableClock())
    digests = {
        remembered.digest(*parts) for parts in [("a", 1, "bc"), ("ab", 1, "c"), ("a", 11, "bc"), ("a", 1, "1:bc")]
    }
    assert len(digests) == 4
    for number in range(MAX_ENTRIES + 1):
        remembered.put(b"%d" % number, True)
    assert remembered.get(b"0") is None
    assert remembered.get(b"1") is True
    assert remembered.get(b"%d" % MAX_ENTRIES) is True


def test_password_cache_keeps_right_passwords_during_a_flood_of_guesses() -> None:
    remembered = PasswordCache(MovableClock())
    remembered.put(b"right", True)
    for number in range(MAX_ENTRIES + 1):
        remembered.put(b"%d" % number, False)
    assert remembered.get(b"right") is True
    assert remembered.get(b"0") is None
    assert remembered.get(b"1") is False


def test_password_cache_has_a_key_of_its_own() -> None:
    wall = MovableClock()
    assert PasswordCache(wall).digest("a", 1, "b") != PasswordCache(wall).digest("a", 1, "b")


def test_failed_logins_evicts_the_oldest_name() -> None:
    failures = FailedLogins(MovableClock())
    for _ in range(BURST):
        failures.record_failure("ana")
    assert failures.is_exhausted("ana")
    for number in range(MAX_NAMES):
        failures.record_failure(f"nadie {number}")
    assert not failures.is_exhausted("ana")


def test_failed_logins_tolerates_a_clock_that_is_set_back() -> None:
    wall = MovableClock()
    failures = FailedLogins(wall)
    for _ in range(BURST + 5):
        failures.record_failure("ana")
    wall.advance(-86_400)
    assert failures.record_failure("ana") == 3
    wall.advance(2 * SECONDS_PER_FAILURE)
    assert not failures.is_exhausted("ana")
