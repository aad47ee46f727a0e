from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.catalogs.dated import DatedTable, read_rows

DAYS = st.dates(date(2017, 1, 1), date(2027, 12, 31))
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "clave": st.sampled_from(["01", "02", "03"]),
            "flag": st.sampled_from(["", "1"]),
            "vigencia_desde": st.just("") | DAYS.map(date.isoformat),
            "vigencia_hasta": st.just("") | DAYS.map(date.isoformat),
        }
    ),
    max_size=8,
)
COLUMNS = ("clave", "flag", "vigencia_desde", "vigencia_hasta")


@given(rows=ROWS, key=st.sampled_from(["01", "02", "03", "04"]), on=DAYS)
def test_row_returns_first_valid_row(rows: list[dict[str, str]], key: str, on: date) -> None:
    def in_force_then(row: dict[str, str]) -> bool:
        return (row["vigencia_desde"] or "0001-01-01") <= on.isoformat() <= (row["vigencia_hasta"] or "9999-12-31")

    in_force = [row for row in rows if row["clave"] == key and in_force_then(row)]
    table = DatedTable(COLUMNS, [tuple(row[column] for column in COLUMNS) for row in rows])

    assert table.contains(key, on) == bool(in_force)
    assert table.row(key, on) == (in_force[0] if in_force else None)


def test_table_without_dates_is_always_valid() -> None:
    table = DatedTable(*read_rows(b"clave,pais\nAGU,MEX\n"))

    assert table.contains("AGU", date.min)
    assert table.row("AGU", date.max) == {"clave": "AGU", "pais": "MEX"}


def test_row_can_be_changed_without_changing_the_catalog() -> None:
    table = DatedTable(*read_rows(b"clave,pais\nAGU,MEX\n"))
    row = dict(table.row("AGU", date.min) or {})
    row["pais"] = "USA"

    assert table.row("AGU", date.min) == {"clave": "AGU", "pais": "MEX"}


def test_read_rows_reads_quoted_values() -> None:
    columns, rows = read_rows('clave,patron\n01,"[0-9]{10,11}|a\u2028b"\n'.encode())

    assert columns == ("clave", "patron")
    assert rows == [("01", "[0-9]{10,11}|a\u2028b")]


def test_dated_table_rejects_invalid_date() -> None:
    with pytest.raises(ValueError, match="isoformat"):
        DatedTable(*read_rows(b"clave,vigencia_desde\n01,soon\n"))


def test_dated_table_rejects_row_of_another_length() -> None:
    with pytest.raises(ValueError, match="columns"):
        DatedTable(*read_rows(b"clave,pais\nAGU\n"))
