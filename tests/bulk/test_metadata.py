"""Metadata files of the SAT's mass download."""

from __future__ import annotations

import io
from datetime import datetime
from decimal import Decimal

from timbra.validation.metadata_files import HEADINGS, MetadataLines, read_metadata

UUID = "11111111-2222-4333-8444-555555555555"
VALUES = [UUID.upper(), "AAA010101AAA", "Ñandú", "XAXX010101000", "P", "SPR190613I52"]
TIMES = ["2026-11-01 10:00:00", "2026-11-01 10:00:01"]


def rows(*lines: str, head: str = "~".join(HEADINGS)) -> list[object]:
    text = "\r\n".join((head, *lines))
    return list(read_metadata(io.BytesIO(text.encode("utf-8-sig")), "m.txt"))


def test_read_metadata_reads_a_line() -> None:
    [row] = rows("~".join([*VALUES, *TIMES, "$1,160.50", "I", "0", "2026-11-03 09:00:00"]))
    assert row == {
        "source": "m.txt",
        "uuid": UUID,
        "issuer_rfc": "AAA010101AAA",
        "issuer_name": "Ñandú",
        "receiver_rfc": "XAXX010101000",
        "receiver_name": "P",
        "provider_rfc": "SPR190613I52",
        "fecha": datetime(2026, 11, 1, 10),  # noqa: DTZ001 - a time without zone, as the file has it
        "fecha_timbrado": datetime(2026, 11, 1, 10, 0, 1),  # noqa: DTZ001
        "total": Decimal("1160.50"),
        "tipo_de_comprobante": "I",
        "status": "Cancelado",
        "cancelled_at": datetime(2026, 11, 3, 9),  # noqa: DTZ001
    }


def test_read_metadata_returns_none_for_a_damaged_line() -> None:
    assert rows("x~y", "~".join([*VALUES, *TIMES, "1", "I", "1", "", "more"])) == [None, None]


def test_read_metadata_ignores_another_kind_of_file() -> None:
    assert rows("~".join(VALUES), head="Notes") == []


def test_read_metadata_repairs_names_with_line_feeds_and_separators() -> None:
    name = 'Uno\nDos "~" \r Tres'
    line = "~".join([*VALUES[:2], name, *VALUES[3:], *TIMES, "1", "I", "1", ""])
    [first, second] = rows(line, "~".join([*VALUES, *TIMES, "2", "I", "1"]))
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    assert (first["issuer_name"], first["receiver_rfc"], first["total"]) == (
        'Uno Dos " " \r Tres',
        "XAXX010101000",
        Decimal(1),
    )
    assert (second["total"], second["cancelled_at"]) == (Decimal(2), None)


def test_read_metadata_reads_columns_by_their_headings() -> None:
    values = dict(zip(HEADINGS, [*VALUES, *TIMES, "1", "I", "1", ""], strict=True))
    turned = {"Nuevo": "x", **dict(reversed(values.items()))}
    head = "~".join(turned).replace("RfcPac", "PacCertifico")
    [row] = rows("~".join(turned.values()), head=head)
    assert isinstance(row, dict)
    assert (row["uuid"], row["provider_rfc"], row["total"]) == (UUID, "SPR190613I52", Decimal(1))


def test_metadata_lines_counts_repaired_and_damaged_lines() -> None:
    broken = "~".join([*VALUES[:2], "a\nb~c", *VALUES[3:], *TIMES, "1", "I", "1", ""])
    text = "\r\n".join(("~".join(HEADINGS), broken, "basura", "~".join([*VALUES, *TIMES, "2", "I", "1", ""])))
    lines = MetadataLines(io.BytesIO(text.encode("latin-1")))
    assert [line is None for line in lines] == [False, True, False]
    assert (lines.repaired, lines.damaged) == (1, 1)
