from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.lists.packed.certificate_rows import (
    SIZE,
    PublishedCertificate,
    obligations_in,
    packed_seal,
    seal_in,
)

RFC = "EKU9003173C9"
INSTANTS = st.datetimes(datetime(1970, 1, 1), datetime(2106, 2, 7)).map(lambda at: at.replace(microsecond=0))  # noqa: DTZ001
SEALS = st.builds(
    lambda number, status, obligations, start, end: PublishedCertificate(
        RFC, f"{number:020}", status, obligations, start.replace(tzinfo=UTC), end.replace(tzinfo=UTC)
    ),
    st.integers(0, 10**20 - 1),
    st.sampled_from("ACR"),
    st.integers(0, 4),
    INSTANTS,
    INSTANTS,
)


def packed(*seals: PublishedCertificate) -> bytes:
    found = []
    for seal in seals:
        times = (f"{instant:%Y-%m-%dT%H:%M:%S}" for instant in (seal.valid_from, seal.valid_to))
        found.append(packed_seal(seal.number, seal.status, str(seal.obligations), *times))
    assert all(one is not None and len(one) == SIZE for one in found)
    return b"".join(one for one in found if one is not None)


def row(number: int, status: str, obligations: int, year: int) -> PublishedCertificate:
    starts, ends = datetime(year, 1, 1, tzinfo=UTC), datetime(year + 4, 1, 1, tzinfo=UTC)
    return PublishedCertificate(RFC, f"{number:020}", status, obligations, starts, ends)  # type: ignore[arg-type]


@given(st.lists(SEALS, max_size=6))
def test_seal_in_returns_packed_seals(seals: list[PublishedCertificate]) -> None:
    data = packed(*seals)
    by_number = {seal.number: seal for seal in seals}
    for number, seal in by_number.items():
        assert seal_in(RFC, number, data) == seal
    assert seal_in(RFC, "9" * 20, data) == by_number.get("9" * 20)


def test_seal_in_compares_the_number_at_its_offset_only() -> None:
    data = packed(row(0, "A", 1, 2024), row(1, "A", 1, 2024))
    assert seal_in(RFC, data[10:30].decode(), data) is None


@pytest.mark.parametrize(
    ("seals", "obligations"),
    [
        ([], 0),
        ([row(1, "A", 2, 2024)], 2),
        ([row(1, "A", 1, 2024), row(2, "C", 0, 2020)], 1),
        ([row(1, "A", 0, 2024), row(2, "R", 1, 2025)], 0),
        ([row(1, "A", 1, 2023), row(2, "A", 3, 2024)], 3),
        ([row(1, "C", 1, 2016), row(2, "R", 0, 2020)], 0),
    ],
)
def test_obligations_in_returns_those_of_the_newest_active_certificate(
    seals: list[PublishedCertificate], obligations: int
) -> None:
    assert obligations_in(packed(*seals)) == obligations


GOOD = ("00001000000500003416", "A", "1", "2024-01-01T11:43:51", "2028-01-01T11:43:51")


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, "0000100000050000341"),
        (0, "٠٠٠٠١٠٠٠٠٠٠٥٠٠٠٠٣٤١٦"),
        (0, ""),
        (1, ""),
        (1, "AA"),
        (2, "5"),
        (2, ""),
        (2, "01"),
        (3, ""),
        (3, "2024-13-01T11:43:51"),
        (3, "1969-12-31T23:59:59"),
        (4, "2107-01-01T00:00:00"),
        (4, "2028-01-01T11:43+01"),
        (4, "2028-01-01"),
    ],
)
def test_packed_seal_is_none_for_malformed_values(place: int, value: str) -> None:
    assert packed_seal(*GOOD) is not None
    values = list(GOOD)
    values[place] = value
    assert packed_seal(*values) is None


def test_packed_seal_stores_an_unknown_status_as_revoked() -> None:
    data = packed_seal(GOOD[0], "S", *GOOD[2:])
    assert data is not None
    found = seal_in(RFC, GOOD[0], data)
    assert found is not None
    assert found.status == "R"


@given(st.tuples(st.text(), st.text(max_size=2), st.text(max_size=2), st.text(), st.text()))
def test_packed_seal_is_none_for_any_other_text(values: tuple[str, str, str, str, str]) -> None:
    assert packed_seal(*values) is None
