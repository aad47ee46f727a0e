from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.core.errors import ServiceError
from timbra.lists.sources.part_names import ListKind, PartName, date_of_parts, part_name

DAY = date(2026, 11, 20)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("LCO_2026-11-20_1.XML.gz", PartName(ListKind.LCO, DAY, 1)),
        ("LCO_2026-11-20_12.xml", PartName(ListKind.LCO, DAY, 12)),
        ("l_RFC_2026_11_20_3.txt.gz", PartName(ListKind.LRFC, DAY, 3)),
        ("L_RFC_2026-11-20_1.TXT.GZ", PartName(ListKind.LRFC, DAY, 1)),
        ("LCO_2026-13-20_1.XML.gz", None),
        ("LCO_2026-11-20.XML.gz", None),
        ("LCO_2026-11-20_1.XML.gz.part", None),
        ("xLCO_2026-11-20_1.XML.gz", None),
        ("l_RFC_2026_11_20_1.XML.gz", None),
        ("LCO_٢٠٢٦-11-20_1.XML.gz", None),
    ],
)
def test_part_name_reads_kind_date_and_number(name: str, expected: PartName | None) -> None:
    assert part_name(name) == expected


@given(st.text())
def test_part_name_accepts_any_text(text: str) -> None:
    part_name(text)
    assert part_name(text + "/") is None


def paths(*names: str) -> list[Path]:
    return [Path(name) for name in names]


def test_date_of_parts_is_the_common_date() -> None:
    assert date_of_parts(ListKind.LCO, paths("LCO_2026-11-20_2.XML.gz", "LCO_2026-11-20_1.XML.gz")) == DAY
    assert date_of_parts(ListKind.LCO, paths("una", "otra")) is None


@pytest.mark.parametrize(
    "names",
    [
        ("LCO_2026-11-20_1.XML.gz", "otra"),
        ("LCO_2026-11-20_1.XML.gz", "LCO_2026-11-21_2.XML.gz"),
        ("LCO_2026-11-20_1.XML.gz", "LCO_2026-11-20_1.XML.gz"),
        ("LCO_2026-11-20_1.XML.gz", "LCO_2026-11-20_3.XML.gz"),
        ("LCO_2026-11-20_2.XML.gz",),
        ("l_RFC_2026_11_20_1.txt.gz",),
    ],
)
def test_date_of_parts_rejects_parts_of_different_lists(names: tuple[str, ...]) -> None:
    with pytest.raises(ServiceError) as caught:
        date_of_parts(ListKind.LCO, paths(*names))
    assert caught.value.code == "list-refused"
