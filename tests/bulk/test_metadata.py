"""Metadata files of the SAT's mass download."""

from __future__ import annotations

import io
from datetime import datetime
from decimal import Decimal

from timbra.validation.metadata_files import HEADINGS, read_metadata

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
