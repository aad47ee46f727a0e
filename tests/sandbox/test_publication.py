"""When lists are due, over any instants."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from timbra.core.clock import to_central_mexico
from timbra.sandbox.authority.taxpayers.publication import Publication, first_publication, midnight_before

INSTANTS = st.datetimes(datetime(2004, 1, 2), datetime(2049, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001
STEPS = st.timedeltas(-timedelta(days=3), timedelta(days=3))


@given(INSTANTS, STEPS)
def test_due_on_another_day_or_when_the_clock_went_back(considered: datetime, step: timedelta) -> None:
    lists, now = Publication(considered, considered), considered + step
    went_back = step < -timedelta(minutes=1)
    next_day = step > timedelta() and to_central_mexico(now)[:10] > to_central_mexico(considered)[:10]
    assert lists.ahead_of(now) is went_back
    assert lists.due(now) is (went_back or next_day)


@given(INSTANTS)
def test_first_publication_is_named_after_the_midnight_before(now: datetime) -> None:
    lists = first_publication(now)
    assert lists.version == to_central_mexico(midnight_before(now))
    assert lists.version[10:] == "T00:00:00"
    assert not lists.due(now)
