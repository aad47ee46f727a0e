"""The waits of deliveries that failed, and the circuit of a destination that does not answer."""

from __future__ import annotations

from datetime import timedelta

from tests.support.store_records import NOON, MovableClock

from timbra.events.retry import Circuit, RetrySchedule, doubling

SECOND = timedelta(seconds=1)


def test_doubling_waits_end_at_the_longest() -> None:
    assert doubling(2 * SECOND, 15 * SECOND) == (2 * SECOND, 4 * SECOND, 8 * SECOND, 15 * SECOND)
    assert doubling(SECOND, SECOND) == (SECOND,)


def test_policy_repeats_its_last_wait() -> None:
    policy = RetrySchedule((SECOND, 5 * SECOND), 9)
    assert [policy.wait(attempts) for attempts in (0, 1, 2, 3, 8)] == [SECOND, SECOND, *[5 * SECOND] * 3]


def test_policy_spreads_its_waits() -> None:
    waits = [RetrySchedule((10 * SECOND,), 9, (0.5, 1), lambda part=part: part).wait(1) for part in (0, 0.5, 1)]  # type: ignore[misc]
    assert waits == [5 * SECOND, 7.5 * SECOND, 10 * SECOND]


def test_circuit_lets_one_delivery_through_after_each_pause() -> None:
    clock = MovableClock()
    circuit = Circuit(clock, doubling(5 * SECOND, 20 * SECOND))
    assert circuit.capacity(8) == 8
    for seconds in (5, 10, 20, 20):
        assert circuit.fail() == clock.now() + seconds * SECOND
        clock.advance(seconds=seconds - 1)
        assert circuit.capacity(8) == 0
        clock.advance(seconds=1)
        assert circuit.capacity(8) == 1
    assert circuit.succeed()
    assert not circuit.succeed()
    assert circuit.capacity(8) == 8
    clock.instant = NOON
    assert circuit.fail() == NOON + 5 * SECOND
