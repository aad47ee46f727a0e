"""Selection of the connection that is closed when the limit is reached, without sockets."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from timbra.web.server.connections import SURPLUS, ConnectionTracker

IDLE_GRACE_SECONDS = 1.0
SLOW_BODY_SECONDS = 5.0

LIMIT = 4


@dataclass(eq=False)
class FakeConnection:
    """A connection that records how it ended."""

    tracker: ConnectionTracker[FakeConnection]
    is_authenticated: bool = False
    ended: list[str] = field(default_factory=list)

    def evict_idle(self) -> None:
        self.ended.append("evicted")

    def evict_request(self) -> None:
        self.ended.append("rejected")
        self.tracker.start_closing(self)

    def abort(self) -> None:
        self.ended.append("aborted")


def opened(
    tracker: ConnectionTracker[FakeConnection], count: int, now: float = 0, *, is_authenticated: bool = False
) -> list[FakeConnection]:
    made = [FakeConnection(tracker, is_authenticated) for _ in range(count)]
    for connection in made:
        tracker.add(connection, now)
    return made


def receiving(
    tracker: ConnectionTracker[FakeConnection], count: int, now: float = 0, *, is_authenticated: bool = False
) -> list[FakeConnection]:
    made = opened(tracker, count, now, is_authenticated=is_authenticated)
    for connection in made:
        assert tracker.admit_request(connection, now, always=False)
        tracker.start_body(connection, now)
    return made


def ended(connections: list[FakeConnection]) -> list[str]:
    return [how for connection in connections for how in connection.ended]


def test_idle_connections_beyond_the_limit_have_time_for_a_head() -> None:
    tracker = ConnectionTracker[FakeConnection](LIMIT)
    first = opened(tracker, 2 * LIMIT)
    assert ended(first) == []
    opened(tracker, 1, IDLE_GRACE_SECONDS)
    assert ended(first) == ["evicted"] * (LIMIT + 1)


def test_oldest_connection_is_cut_off_beyond_the_surplus() -> None:
    tracker = ConnectionTracker[FakeConnection](LIMIT)
    first, *others = opened(tracker, LIMIT + SURPLUS + 1)
    assert first.ended == ["aborted"]
    assert ended(others) == []


def test_newest_connection_is_cut_off_when_all_others_are_active() -> None:
    tracker = ConnectionTracker[FakeConnection](LIMIT)
    busy = opened(tracker, LIMIT + SURPLUS)
    assert all(tracker.admit_request(connection, 0, always=True) for connection in busy)
    (newest,) = opened(tracker, 1)
    assert newest.ended == ["aborted"]
    assert ended(busy) == []


def test_anonymous_bodies_make_room_before_authenticated_ones() -> None:
    tracker = ConnectionTracker[FakeConnection](LIMIT)
    authenticated = receiving(tracker, 2, is_authenticated=True)
    anonymous = receiving(tracker, 2)
    newer = opened(tracker, 3)
    assert [tracker.admit_request(connection, 0, always=False) for connection in newer] == [True, True, False]
    assert ended(anonymous) == ["rejected"] * 2
    assert tracker.admit_request(newer[-1], SLOW_BODY_SECONDS, always=False)
    assert authenticated[0].ended == ["rejected"]
    assert authenticated[1].ended == []


def test_probe_is_served_when_nothing_makes_room() -> None:
    tracker = ConnectionTracker[FakeConnection](LIMIT)
    for connection in receiving(tracker, LIMIT):
        tracker.finish_body(connection)
    request, probe = opened(tracker, 2)
    assert not tracker.admit_request(request, 0, always=False)
    assert tracker.admit_request(probe, 0, always=True)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 400), st.booleans()), max_size=200))
def test_connections_stay_within_limit_and_surplus(steps: list[tuple[int, int, bool]]) -> None:
    """For any sequence of events the groups contain no ended connection and stay within their limits."""
    tracker = ConnectionTracker[FakeConnection](LIMIT)
    alive: list[FakeConnection] = []
    for now, (step, index, authenticated) in enumerate(steps):
        alive = [connection for connection in alive if not connection.ended]
        if step < 2 or not alive:
            alive += opened(tracker, 100 if step else 1, now / 2, is_authenticated=authenticated)
            continue
        connection = alive[index % len(alive)]
        if step == 2 and not tracker.admit_request(connection, now / 2, always=authenticated):
            tracker.start_closing(connection)
        elif step == 3:
            tracker.start_body(connection, now / 2)
        elif step == 4:
            tracker.finish_body(connection)
        elif step == 5:
            tracker.finish_request(connection, now / 2)
        else:
            tracker.remove(connection)
    groups = [tracker._idle, tracker._active, tracker._closing]
    assert sum(map(len, groups)) <= LIMIT + SURPLUS
    assert set(tracker._receiving) <= tracker._active
    assert all("evicted" not in one.ended and "aborted" not in one.ended for group in groups for one in group)
