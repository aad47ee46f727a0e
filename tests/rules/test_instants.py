from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.rules.engine.instants import instants, local_date, local_time, offset_instants

TIJUANA = ZoneInfo("America/Tijuana")


@given(st.datetimes(datetime.fromisoformat("2010-01-01"), datetime.fromisoformat("2099-12-31")))
def test_local_time_reads_the_form_of_the_sat(moment: datetime) -> None:
    text = moment.strftime("%Y-%m-%dT%H:%M:%S")
    assert local_time(text) == moment.replace(microsecond=0)
    assert local_date(text) == moment.date()


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-17",
        "2026-11-17 12:00:00",
        "2026-11-17T12:00:00Z",
        "2026-11-17T12:00:00.5",
        "2026-02-30T12:00:00",
        "2026-11-17T24:00:00",
        "2009-12-31T12:00:00",
        "٢٠٢٦-11-17T12:00:00",
        "2026-11-17T12:00:00\n",
    ],
)
def test_local_time_is_none_for_other_text(text: str) -> None:
    assert local_time(text) is None
    assert instants(text, TIJUANA) == ()


@given(st.text())
def test_local_time_accepts_any_text(text: str) -> None:
    assert local_time(text) is None or len(text) == 19


def test_instants_returns_both_instants_of_a_repeated_hour() -> None:
    assert instants("2026-11-01T01:30:00", TIJUANA) == (
        datetime(2026, 11, 1, 8, 30, tzinfo=UTC),
        datetime(2026, 11, 1, 9, 30, tzinfo=UTC),
    )
    assert instants("2026-11-01T03:00:00", TIJUANA) == (datetime(2026, 11, 1, 11, tzinfo=UTC),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2015-03-06T05:59:08-06:00", (datetime(2015, 3, 6, 11, 59, 8, tzinfo=UTC),)),
        ("2015-03-06T05:59:08+01:30", (datetime(2015, 3, 6, 4, 29, 8, tzinfo=UTC),)),
        ("2015-03-06T05:59:08", ()),
        ("2015-03-06T05:59:08Z", ()),
        ("2015-02-30T05:59:08-06:00", ()),
        ("2015-03-06T05:59:08-99:00", ()),
        ("", ()),
    ],
)
def test_offset_instants_reads_a_time_with_its_offset(text: str, expected: tuple[datetime, ...]) -> None:
    assert offset_instants(text) == expected
