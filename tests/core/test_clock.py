"""Local times of documents."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from timbra.core.clock import CENTRAL_MEXICO, to_central_mexico

LOCAL_FORMAT = "%Y-%m-%dT%H:%M:%S"

INSTANTS = st.datetimes(datetime(2004, 1, 1), datetime(2049, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001


def test_to_central_mexico_applies_summer_time_until_2022() -> None:
    assert to_central_mexico(datetime(2022, 7, 1, 17, 0, 0, 999_999, UTC)) == "2022-07-01T12:00:00"
    assert to_central_mexico(datetime(2026, 7, 1, 17, 0, tzinfo=UTC)) == "2026-07-01T11:00:00"


@given(INSTANTS)
def test_to_central_mexico_writes_whole_seconds_without_zone(instant: datetime) -> None:
    local = instant.astimezone(CENTRAL_MEXICO).replace(tzinfo=None, microsecond=0, fold=0)
    assert datetime.strptime(to_central_mexico(instant), LOCAL_FORMAT) == local  # noqa: DTZ007
