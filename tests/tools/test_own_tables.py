"""Renewal of the large tables by a newer workbook."""

from __future__ import annotations

import lzma
from datetime import date

from tools.own_tables import packed, renewed

from timbra.catalogs.workbook import PublishedTable
from timbra.snapshot.build.tables import OwnTable

COLUMNS = ("iva_trasladado", "estimulo_frontera", "vigencia_desde", "vigencia_hasta")
PUBLISHED = PublishedTable(
    "c_ClaveProdServ",
    "3",
    ("c claveprodserv", "descripcion", "incluir iva trasladado", "fechainiciovigencia", "fechafinvigencia"),
    (
        ("84111506", "Servicios", "Sí", "2022-01-01", ""),
        ("99999999", "Nueva", "Opcional", "2027-01-01", "2028-01-01"),
        ("Continúa en otra hoja", "", "", "", ""),
    ),
)


def test_renewed_table_has_the_rows_of_the_workbook_and_ends_the_others() -> None:
    own = OwnTable(
        COLUMNS,
        {
            "84111506": ("", "1", "2022-01-01", ""),
            "15101507": ("", "1", "2022-01-01", ""),
            "15101506": ("", "1", "2022-01-01", "2025-12-31"),
        },
    )
    table = renewed(own, PUBLISHED, date(2026, 12, 31))
    assert table.values == {
        "84111506": ("1", "", "2022-01-01", ""),
        "99999999": ("", "", "2027-01-01", "2028-01-01"),
        "15101507": ("", "1", "2022-01-01", "2026-12-31"),
        "15101506": ("", "1", "2022-01-01", "2025-12-31"),
    }


def test_packed_table_is_sorted_by_key() -> None:
    text = lzma.decompress(packed(OwnTable(("cantidad",), {"02": ("b",), "01": ("a",)}))).decode()
    assert text == "clave,cantidad\n01,a\n02,b\n"
