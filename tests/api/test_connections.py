"""Selection of the connection that is closed when the limit is reached, without sockets."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from timbra.api.server.connections import IDLE_GRACE_SECONDS, SLOW_BODY_SECONDS, SURPLUS, Slots

LIMIT = 4


@dataclass(eq=False)
class FakeConnection:
    """A connection that records how it ended."""

    slots: Slots[FakeConnection]
    is_authenticated: bool = False
    ended: list[str] = field(default_factory=list)

    def evict_idle(self) -> None:
        self.ended.append("gave way")

    def drop_request(self) -> None:
        self.ended.append("dropped")
        self.slots.rejected(self)

    def cut_off(self) -> None:
        self.ended.append("cut off")


def opened(
    slots: Slots[FakeConnection], count: int, now: float = 0, *, is_authenticated: bool = False
) -> list[FakeConnection]:
    made = [FakeConnection(slots, is_authenticated) for _ in range(count)]
    for connection in made:
        slots.opened(connection, now)
    return made


def receiving(
    slots: Slots[FakeConnection], count: int, now: float = 0, *, is_authenticated: bool = False
) -> list[FakeConnection]:
    made = opened(slots, count, now, is_authenticated=is_authenticated)
    for connection in made:
        assert slots.request_begins(connection, now, always=False)
        slots.body_awaited(connection, now)
    return made


def ended(connections: list[FakeConnection]) -> list[str]:
    return [how for connection in connections for how in connection.ended]


def test_idle_connections_beyond_the_limit_have_time_for_a_head() -> None:
    slots = Slots[FakeConnection](LIMIT)
    first = opened(slots, 2 * LIMIT)
    assert ended(first) == []
    opened(slots, 1, IDLE_GRACE_SECONDS)
    assert ended(first) == ["gave way"] * (LIMIT + 1)


def test_oldest_connection_is_cut_off_beyond_the_surplus() -> None:
    slots = Slots[FakeConnection](LIMIT)
    first, *others = opened(slots, LIMIT + SURPLUS + 1)
    assert first.ended == ["cut off"]
    assert ended(others) == []


def test_newest_connection_is_cut_off_when_all_others_are_active() -> None:
    slots = Slots[FakeConnection](LIMIT)
    busy = opened(slots, LIMIT + SURPLUS)
    assert all(slots.request_begins(connection, 0, always=True) for connection in busy)
    (newest,) = opened(slots, 1)
    assert newest.ended == ["cut off"]
    assert ended(busy) == []


def test_anonymous_bodies_make_room_before_authenticated_ones() -> None:
    slots = Slots[FakeConnection](LIMIT)
    authenticated = receiving(slots, 2, is_authenticated=True)
    anonymous = receiving(slots, 2)
    newer = opened(slots, 3)
    assert [slots.request_begins(connection, 0, always=False) for connection in newer] == [True, True, False]
    assert ended(anonymous) == ["dropped"] * 2
    assert slots.request_begins(newer[-1], SLOW_BODY_SECONDS, always=False)
    assert authenticated[0].ended == ["dropped"]
    assert authenticated[1].ended == []


def test_probe_is_served_when_nothing_makes_room() -> None:
    slots = Slots[FakeConnection](LIMIT)
    for connection in receiving(slots, LIMIT):
        slots.body_complete(connection)
    request, probe = opened(slots, 2)
    assert not slots.request_begins(request, 0, always=False)
    assert slots.request_begins(probe, 0, always=True)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 400), st.booleans()), max_size=200))
def test_connections_stay_within_limit_and_surplus(steps: list[tuple[int, int, bool]]) -> None:
    """For any sequence of events the groups contain no ended connection and stay within their limits."""
    slots = Slots[FakeConnection](LIMIT)
    alive: list[FakeConnection] = []
    for now, (step, index, authenticated) in enumerate(steps):
        alive = [connection for connection in alive if not connection.ended]
        if step < 2 or not alive:
            alive += opened(slots, 100 if step else 1, now / 2, is_authenticated=authenticated)
            continue
        connection = alive[index % len(alive)]
        if step == 2 and not slots.request_begins(connection, now / 2, always=authenticated):
            slots.rejected(connection)
        elif step == 3:
            slots.body_awaited(connection, now / 2)
        elif step == 4:
            slots.body_complete(connection)
        elif step == 5:
            slots.request_ended(connection, now / 2)
        else:
            slots.closed(connection)
    groups = [slots._idle, slots._active, slots._closing]
    assert sum(map(len, groups)) <= LIMIT + SURPLUS
    assert set(slots._receiving) <= slots._active
    assert all("gave way" not in one.ended and "cut off" not in one.ended for group in groups for one in group)
