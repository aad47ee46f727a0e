"""Instants and durations in the form of commands."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.core.errors import ServiceError
from timbra.sandbox.instants import is_date, parse_duration, parse_instant, shifted


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-11-17T12:00:00", datetime(2026, 11, 17, 18, tzinfo=UTC)),
        ("2026-11-17", datetime(2026, 11, 17, 6, tzinfo=UTC)),
        ("2026-11-17T12:00:00Z", datetime(2026, 11, 17, 12, tzinfo=UTC)),
        ("2026-11-17T12:00:00.75-05:00", datetime(2026, 11, 17, 17, tzinfo=UTC)),
        ("2022-07-01T12:00:00", datetime(2022, 7, 1, 17, tzinfo=UTC)),
    ],
)
def test_parse_instant_uses_central_mexico_without_an_offset(text: str, instant: datetime) -> None:
    assert parse_instant(text) == instant


@pytest.mark.parametrize("text", ["", "today", "2026-13-01", "2003-12-31", "2050-01-01T00:00:00", "0001-01-01", "+72h"])
def test_parse_instant_rejects_other_text(text: str) -> None:
    with pytest.raises(ServiceError, match="time-invalid"):
        parse_instant(text)


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("72h", timedelta(hours=72)),
        ("+1d12h", timedelta(hours=36)),
        ("-90m", timedelta(minutes=-90)),
        ("2w30s", timedelta(weeks=2, seconds=30)),
    ],
)
def test_parse_duration_reads_units(text: str, length: timedelta) -> None:
    assert parse_duration(text) == length


@pytest.mark.parametrize("text", ["", "72", "h", "1.5h", "72H", "1h ", "--1h", "999999999w", "1h-1h"])
def test_parse_duration_rejects_other_text(text: str) -> None:
    with pytest.raises(ServiceError, match="time-invalid"):
        parse_duration(text)


@given(st.text(max_size=30) | st.from_regex(r"[+-]?([0-9]{1,9}[wdhms]){0,3}\Z") | st.datetimes().map(str))
def test_parse_instant_and_parse_duration_read_or_reject_any_text(text: str) -> None:
    for read in (parse_instant, parse_duration):
        try:
            read(text)
        except ServiceError as error:
            assert error.code == "time-invalid"  # noqa: PT017
    assert is_date(text) is (
        len(text) == 10 and text.replace("-", "").isdecimal() and text.isascii() and text[4] == "-" == text[7]
    )


@given(st.timedeltas())
def test_shifted_stays_within_bounds_or_rejects(step: timedelta) -> None:
    start = datetime(2026, 11, 17, 18, tzinfo=UTC)
    try:
        assert shifted(start, step) - start == step
    except ServiceError as error:
        assert error.code == "time-invalid"  # noqa: PT017
