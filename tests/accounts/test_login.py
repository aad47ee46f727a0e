"""Logins: cached when repeated, slow to guess, and always possible with the right password."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from typing import ParamSpec, TypeVar

import pytest
from tests.accounts.support import MovableClock, rejected_async

from timbra.accounts.login.limits import LoginLimiter, LoginLimits, LoginSubject
from timbra.accounts.login.login import Login, LoginAttempt, PasswordCache
from timbra.accounts.login.passwords import Passwords
from timbra.accounts.store.account_repository import AccountRepository
from timbra.accounts.store.models import NewAccount
from timbra.core.errors import ServiceError
from timbra.database.database import Database

MAX_PAUSE_SECONDS = 3.0
MAX_QUEUE_LENGTH = 512
PAUSE_SECONDS = 0.2
LIFETIME_SECONDS = 600.0
MAX_ENTRIES = 8192

P = ParamSpec("P")
T = TypeVar("T")

RIGHT = "la buena"
HOME, ELSEWHERE = "address:198.51.100.2", "address:203.0.113.7"
BURST = LoginLimits().failures


class ComparedPasswords(Passwords):
    """Compares texts and records its calls; can hold the checks until a number of logins have joined the queue."""

    def __init__(self) -> None:
        super().__init__()
        self.examined: list[str] = []
        self._missing = 0
        self._is_complete = asyncio.Event()
        self._is_complete.set()

    def hold_until(self, logins: int) -> None:
        """Start no check before as many logins have read their limits, the last step before the queue."""
        self._missing = logins
        self._is_complete.clear()

    async def read(self, lane: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        result = await super().read(lane, work, *args, **kwargs)
        self._missing -= 1
        if self._missing == 0:
            self._is_complete.set()
        return result

    async def run(self, lane: str, check: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        await self._is_complete.wait()
        return await super().run(lane, check, *args, **kwargs)

    def matches(self, encoded: str | None, password: str) -> bool:
        self.examined.append(password)
        return encoded is not None and password == encoded


class Bench:
    """A login with a test clock that records its pauses without waiting."""

    def __init__(self, database: Database) -> None:
        self.wall = MovableClock()
        self.passwords = ComparedPasswords()
        self.pauses: list[float] = []
        limiter = LoginLimiter(database, LoginLimits(), self.wall, lambda *_: None)
        self.login = Login(self.wall, self.passwords, limiter, self._pause)
        new = NewAccount("ana", "ana", "x", "account", True, self.wall.now())
        with database.write() as transaction:
            self.account_id = AccountRepository().insert(transaction, 1, new)

    async def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        await asyncio.sleep(0)

    def attempt(
        self, password: str, name: str = "ana", origin: str = HOME, generation: int = 1, encoded: str | None = RIGHT
    ) -> LoginAttempt:
        subject = LoginSubject(name, self.account_id if encoded else None, name, origin)
        return LoginAttempt(subject, f"id:{name}", generation, encoded, password)

    async def right(self, origin: str = HOME, generation: int = 1, password: str = RIGHT) -> None:
        attempt = self.attempt(password, origin=origin, generation=generation, encoded=password)
        await self.login.verify(attempt)

    async def wrong(self, password: str, name: str = "ana", origin: str = HOME, encoded: str | None = RIGHT) -> str:
        return (await self.rejection(password, name, origin, encoded)).code

    async def rejection(
        self, password: str, name: str = "ana", origin: str = HOME, encoded: str | None = RIGHT
    ) -> ServiceError:
        return await rejected_async(self.login.verify, self.attempt(password, name, origin, encoded=encoded))

    async def spend(self, origin: str = HOME, encoded: str | None = RIGHT) -> None:
        for number in range(BURST):
            assert await self.wrong(f"mala {number}", origin=origin, encoded=encoded) == "AU2000"


@pytest.fixture
def bench(database: Database) -> Iterator[Bench]:
    made = Bench(database)
    yield made
    made.passwords.close()


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
        rejection = await rejected_async(bench.login.verify, bench.attempt(RIGHT, generation=2, encoded="otra"))
        assert rejection.code == "AU2000"

    asyncio.run(scene())


def test_verify_checks_equal_concurrent_logins_once(bench: Bench) -> None:
    async def scene() -> None:
        await asyncio.gather(*(bench.right() for _ in range(50)))

    asyncio.run(scene())
    assert bench.passwords.examined == [RIGHT]


def test_verify_stops_checking_beyond_the_limit_of_an_unknown_origin(bench: Bench) -> None:
    async def scene() -> None:
        await bench.spend(ELSEWHERE)
        last = await bench.rejection("una más", origin=ELSEWHERE)
        assert (last.code, last.retry_after) == ("AU2000", 1)
        examined = len(bench.passwords.examined)
        unchecked = await bench.rejection(RIGHT, origin=ELSEWHERE)
        assert (unchecked.code, unchecked.retry_after) == ("TB4291", 1)
        assert len(bench.passwords.examined) == examined

    asyncio.run(scene())


def test_verify_doubles_the_delay_with_each_failure(bench: Bench) -> None:
    async def scene() -> list[int | None]:
        await bench.spend(ELSEWHERE)
        delays = []
        for number in range(6):
            delays.append((await bench.rejection(f"más {number}", origin=ELSEWHERE)).retry_after)
            bench.wall.advance(delays[-1] or 0)
        return delays

    assert asyncio.run(scene()) == [1, 2, 4, 8, 16, 32]


def test_verify_checks_the_right_password_after_the_delay(bench: Bench) -> None:
    async def scene() -> None:
        await bench.spend(ELSEWHERE)
        bench.wall.advance((await bench.rejection("una más", origin=ELSEWHERE)).retry_after or 0)
        await bench.right(ELSEWHERE)

    asyncio.run(scene())


def test_verify_never_rejects_the_owner_at_a_known_origin(bench: Bench) -> None:
    async def scene() -> None:
        await bench.right()
        bench.wall.advance(LIFETIME_SECONDS)
        await bench.spend(HOME)
        await bench.spend(ELSEWHERE)
        flood = [asyncio.create_task(bench.wrong(f"flujo {number}")) for number in range(100)]
        await asyncio.sleep(0)
        await bench.right()
        assert set(await asyncio.gather(*flood)) == {"AU2000"}

    asyncio.run(scene())


def test_verify_bounds_guesses_at_known_origins_and_lets_the_owner_in_soon(bench: Bench) -> None:
    """Neighbours of the owner behind one address guess at most 300 passwords, then one or two a minute."""

    async def scene() -> Counter[str]:
        await bench.right()
        bench.wall.advance(LIFETIME_SECONDS)
        outcomes = Counter([await bench.wrong(f"adivina {number}") for number in range(500)])
        waiting = await bench.rejection("otra")
        assert (waiting.code, waiting.retry_after is not None and waiting.retry_after <= 30) == ("TB4291", True)
        bench.wall.advance(30)
        await bench.right()
        return outcomes

    assert asyncio.run(scene()) == {"AU2000": 301, "TB4291": 199}
    assert len(bench.passwords.examined) == 303


def test_verify_forgets_the_failures_of_an_origin_after_the_right_password(bench: Bench) -> None:
    async def scene() -> None:
        await bench.spend()
        await bench.right()
        assert (await bench.rejection("una más")).retry_after is None

    asyncio.run(scene())


def test_verify_neither_counts_nor_checks_a_repeated_wrong_password(bench: Bench) -> None:
    """A client that keeps an outdated password does not lock its account out."""

    async def scene() -> set[tuple[str, int | None]]:
        rejections = [await bench.rejection("la de antes") for _ in range(10 * BURST)]
        return {(rejection.code, rejection.retry_after) for rejection in rejections}

    assert asyncio.run(scene()) == {("AU2000", None)}
    assert bench.passwords.examined == ["la de antes"]


def test_verify_treats_unknown_names_like_existing_ones(bench: Bench) -> None:
    async def scene(name: str, encoded: str | None, origin: str) -> list[tuple[str, int | None]]:
        found = [await bench.rejection(f"mala {number}", name, origin, encoded) for number in range(BURST + 5)]
        return [(rejection.code, rejection.retry_after) for rejection in found]

    existing = asyncio.run(scene("ana", RIGHT, ELSEWHERE))
    assert existing == asyncio.run(scene("nadie", None, "address:203.0.113.8"))


def test_verify_shortens_the_pauses_of_a_known_origin_as_the_queue_grows(bench: Bench) -> None:
    async def scene() -> None:
        await bench.right()
        await bench.spend()
        await bench.wrong("una más")
        bench.passwords.hold_until(200)
        await asyncio.gather(*(bench.wrong(f"flujo {number}") for number in range(200)))

    asyncio.run(scene())
    assert bench.pauses[0] == pytest.approx(PAUSE_SECONDS)
    assert bench.pauses[1:] == pytest.approx([MAX_PAUSE_SECONDS / 200] * 199)


def test_verify_rejects_logins_beyond_the_limit_of_the_queue(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("timbra.accounts.login.limits.KNOWN_BURST", 2 * MAX_QUEUE_LENGTH)

    async def scene() -> None:
        await bench.right()
        bench.wall.advance(LIFETIME_SECONDS)
        bench.passwords.hold_until(2 * MAX_QUEUE_LENGTH)
        line = [asyncio.create_task(bench.wrong(f"flujo {number}")) for number in range(2 * MAX_QUEUE_LENGTH)]
        outcomes = Counter(await asyncio.gather(*line))
        assert outcomes == {"AU2000": MAX_QUEUE_LENGTH, "TB4291": MAX_QUEUE_LENGTH}
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
    assert asyncio.run(bench.wrong(password)) == "AU2000"
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
