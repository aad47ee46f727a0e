"""Logins: cheap when repeated, slow to guess, and never closed to the right password."""

from __future__ import annotations

import asyncio

import pytest
from tests.accounts.support import MovableClock, refused_async

from timbra.accounts.login import LONGEST_WAIT, MOST_IN_LINE, PAUSE, Attempt, Login
from timbra.accounts.passwords import Passwords
from timbra.accounts.remembered import MOST, SECONDS, Remembered
from timbra.accounts.throttle import BURST, MOST_NAMES, SECONDS_EACH, Failures
from timbra.errors import ServiceError

RIGHT = "la buena"


class CountedPasswords(Passwords):
    """Compares instead of hashing, and counts."""

    def __init__(self) -> None:
        super().__init__()
        self.examined: list[str] = []

    async def matches(self, encoded: str | None, password: str) -> bool:
        self.examined.append(password)
        await asyncio.sleep(0)
        return encoded is not None and password == encoded


class Bench:
    """A login with a clock of ours, whose pauses are written down and not waited for."""

    def __init__(self) -> None:
        self.wall = MovableClock()
        self.passwords = CountedPasswords()
        self.pauses: list[float] = []
        self.login = Login(self.wall, self.passwords, self._pause)

    async def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        await asyncio.sleep(0)

    async def right(self, name: str = "ana", generation: int = 1, password: str = RIGHT) -> None:
        await self.login.judge(Attempt(name, f"id:{name}", generation, password, password))

    async def wrong(self, password: str, name: str = "ana", encoded: str | None = RIGHT) -> ServiceError:
        return await refused_async(self.login.judge, Attempt(name, f"id:{name}", 1, encoded, password))

    async def spend(self, name: str = "ana", encoded: str | None = RIGHT) -> None:
        for number in range(BURST):
            await self.wrong(f"mala {number}", name, encoded)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_repeated_login_is_not_computed_again_for_ten_minutes(bench: Bench) -> None:
    async def scene() -> None:
        for _ in range(5):
            await bench.right()
        bench.wall.advance(SECONDS - 1)
        await bench.right()
        assert len(bench.passwords.examined) == 1
        bench.wall.advance(1)
        await bench.right()
        assert len(bench.passwords.examined) == 2

    asyncio.run(scene())


def test_a_new_password_is_examined_though_the_old_one_is_remembered(bench: Bench) -> None:
    async def scene() -> None:
        await bench.right(generation=1)
        await bench.right(generation=2, password="otra")
        refusal = await refused_async(bench.login.judge, Attempt("ana", "id:ana", 2, "otra", RIGHT))
        assert refusal.code == "AU2000"

    asyncio.run(scene())


def test_equal_logins_at_once_are_computed_once(bench: Bench) -> None:
    async def scene() -> None:
        await asyncio.gather(*(bench.right() for _ in range(50)))

    asyncio.run(scene())
    assert bench.passwords.examined == [RIGHT]


def test_failures_within_the_budget_are_plain_and_beyond_it_ask_for_a_wait(bench: Bench) -> None:
    async def scene() -> list[tuple[str, int | None]]:
        refusals = [await bench.wrong(f"mala {number}") for number in range(BURST + 2)]
        return [(refusal.code, refusal.retry_after) for refusal in refusals]

    assert asyncio.run(scene()) == [("AU2000", None)] * BURST + [("AU2000", 3)] * 2


def test_the_right_password_logs_in_whatever_failed_before(bench: Bench) -> None:
    async def scene() -> None:
        await bench.spend()
        await bench.wrong("una más")
        await bench.right()

    asyncio.run(scene())


def test_the_right_password_logs_in_amid_a_flood_of_wrong_ones(bench: Bench) -> None:
    async def scene() -> None:
        flood = [asyncio.create_task(bench.wrong(f"flujo {number}")) for number in range(200)]
        await asyncio.sleep(0)
        await bench.right()
        codes = {refusal.code for refusal in await asyncio.gather(*flood)}
        assert codes == {"AU2000"}

    asyncio.run(scene())


def test_a_remembered_password_does_not_pause_while_guesses_do(bench: Bench) -> None:
    async def scene() -> None:
        await bench.right()
        await bench.spend()
        assert bench.pauses == []
        await bench.wrong("una más")
        assert bench.pauses == [PAUSE]
        await bench.right()
        assert bench.pauses == [PAUSE]

    asyncio.run(scene())


def test_a_repeated_wrong_password_is_counted_but_not_computed(bench: Bench) -> None:
    async def scene() -> int | None:
        for _ in range(BURST):
            await bench.wrong("la de antes")
        return (await bench.wrong("la de antes")).retry_after

    assert asyncio.run(scene()) == 3
    assert bench.passwords.examined == ["la de antes"]
    assert bench.pauses == []


def test_the_budget_comes_back(bench: Bench) -> None:
    async def scene() -> None:
        await bench.spend()
        bench.wall.advance(SECONDS_EACH)
        assert (await bench.wrong("tras la espera")).retry_after is None
        assert (await bench.wrong("sin espera")).retry_after == 3

    asyncio.run(scene())


def test_one_name_does_not_slow_another(bench: Bench) -> None:
    async def scene() -> None:
        await bench.spend("ana")
        assert (await bench.wrong("mala", "luis")).retry_after is None
        assert bench.pauses == []

    asyncio.run(scene())


def test_an_unknown_name_is_treated_like_a_known_one() -> None:
    async def scene(encoded: str | None) -> tuple[list[int | None], list[float], int]:
        bench = Bench()
        waits = [(await bench.wrong(f"mala {number}", "x", encoded)).retry_after for number in range(BURST + 5)]
        return waits, bench.pauses, len(bench.passwords.examined)

    assert asyncio.run(scene(RIGHT)) == asyncio.run(scene(None))


def test_pauses_shrink_as_the_line_grows(bench: Bench) -> None:
    async def scene() -> None:
        await bench.spend()
        await asyncio.gather(*(bench.wrong(f"flujo {number}") for number in range(200)))

    asyncio.run(scene())
    assert bench.pauses == pytest.approx([PAUSE] + [LONGEST_WAIT / 200] * 199)


def test_a_line_beyond_its_bound_is_told_so_without_a_verdict(bench: Bench) -> None:
    async def scene() -> None:
        line = [asyncio.create_task(bench.wrong(f"flujo {number}")) for number in range(MOST_IN_LINE)]
        await asyncio.sleep(0)
        refusal = await bench.wrong("una más")
        assert (refusal.code, refusal.retry_after) == ("CO1000", 5)
        await asyncio.gather(*line)
        assert "una más" not in bench.passwords.examined
        await bench.right()

    asyncio.run(scene())


def test_a_login_given_up_leaves_the_line_free(bench: Bench) -> None:
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
def test_an_impossible_password_fails_without_computation(bench: Bench, password: str) -> None:
    assert asyncio.run(bench.wrong(password)).code == "AU2000"
    assert bench.passwords.examined == []


def test_memory_of_verdicts_is_bounded_and_distinguishes_its_parts() -> None:
    remembered = Remembered(MovableClock())
    digests = {
        remembered.digest(*parts) for parts in [("a", 1, "bc"), ("ab", 1, "c"), ("a", 11, "bc"), ("a", 1, "1:bc")]
    }
    assert len(digests) == 4
    for number in range(MOST + 1):
        remembered.keep(b"%d" % number, True)
    assert remembered.verdict(b"0") is None
    assert remembered.verdict(b"1") is True
    assert remembered.verdict(b"%d" % MOST) is True


def test_a_flood_of_guesses_makes_no_right_password_forgotten() -> None:
    remembered = Remembered(MovableClock())
    remembered.keep(b"right", True)
    for number in range(MOST + 1):
        remembered.keep(b"%d" % number, False)
    assert remembered.verdict(b"right") is True
    assert remembered.verdict(b"0") is None
    assert remembered.verdict(b"1") is False


def test_two_processes_do_not_share_the_digest() -> None:
    wall = MovableClock()
    assert Remembered(wall).digest("a", 1, "b") != Remembered(wall).digest("a", 1, "b")


def test_memory_of_failures_is_bounded() -> None:
    failures = Failures(MovableClock())
    for _ in range(BURST):
        failures.count("ana")
    assert failures.spent("ana")
    for number in range(MOST_NAMES):
        failures.count(f"nadie {number}")
    assert not failures.spent("ana")


def test_a_clock_set_back_does_not_shut_anybody_out() -> None:
    wall = MovableClock()
    failures = Failures(wall)
    for _ in range(BURST + 5):
        failures.count("ana")
    wall.advance(-86_400)
    assert failures.count("ana") == 3
    wall.advance(2 * SECONDS_EACH)
    assert not failures.spent("ana")
