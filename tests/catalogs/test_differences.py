"""Comparison of tables that the SAT publishes with the catalogs in force."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest
from tests.support.xlsx import Rows, write_xlsx

from timbra.catalogs import SnapshotCatalogs
from timbra.catalogs.differences import Change, Difference, UnknownTableError, compare
from timbra.catalogs.labels import CatalogLabels
from timbra.catalogs.workbook import PublishedTable, Sheet, read_sheets, read_tables
from timbra.core.errors import ServiceError
from timbra.snapshot import Snapshot, locate, open_snapshot

ON = date(2026, 11, 22)
EDITION = (
    ("Versión CFDI", "Versión catálogo", "Revisión catálogo", "Fecha publicación de catálogo"),
    ("4.0", "3", "1", "2026-12-01"),
)
DATES = ("Fecha inicio de vigencia", "Fecha fin de vigencia")


@pytest.fixture(scope="module")
def installed() -> Snapshot:
    return open_snapshot(locate(None))


@pytest.fixture(scope="module")
def differences(installed: Snapshot) -> Differences:
    return Differences(installed)


class Differences:
    """Compares rows with the installed snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.catalogs, self._labels = SnapshotCatalogs(snapshot), CatalogLabels(snapshot)

    def of(self, name: str, header: Sequence[str], *rows: Sequence[str]) -> list[Difference]:
        (table,) = read_tables([Sheet(name, (*EDITION, tuple(header), *map(tuple, rows)))])
        return compare(table, self.catalogs, self._labels, ON)

    def changes(self, name: str, header: Sequence[str], *rows: Sequence[str]) -> dict[str, tuple[Change, str]]:
        return {each.key: (each.change, each.detail) for each in self.of(name, header, *rows)}


def test_compare_finds_rows_added_ended_and_reworded(differences: Differences) -> None:
    found = differences.of(
        "c_MetodoPago",
        ("c_MetodoPago", "Descripción", *DATES),
        ("PUE", "Pago en una exhibición", "2022-01-01", ""),
        ("PPD", "Pago en parcialidades o diferido.", "2022-01-01", "2026-12-31"),
        ("PEX", "Pago en especie", "2027-01-01", ""),
    )
    assert found == [
        Difference("c_MetodoPago", Change.REWORDED, "PUE", "Pago en una sola exhibición -> Pago en una exhibición"),
        Difference("c_MetodoPago", Change.ENDED, "PPD", "2026-12-31"),
        Difference("c_MetodoPago", Change.ADDED, "PEX", "Pago en especie"),
    ]


def test_compare_reports_keys_absent_from_the_file_as_ended(differences: Differences) -> None:
    changes = differences.changes(
        "c_MetodoPago", ("c_MetodoPago", "Descripción"), ("PUE", "Pago en una sola exhibición")
    )
    assert changes == {"PPD": (Change.ENDED, "")}


def test_compare_skips_rows_that_ended_before_and_notes_below_the_table(differences: Differences) -> None:
    header = ("c_MetodoPago", "Descripción", *DATES)
    old, note = ("PIP", "Pago inicial", "2017-01-01", "2018-01-01"), ("Continúa en otra hoja", "", "", "")
    rows = (("PUE", "", "2022-01-01", ""), ("PPD", "", "2022-01-01", ""))
    assert differences.of("c_MetodoPago", header, *rows, old, note) == []


def test_compare_completes_keys_that_a_workbook_has_as_numbers(differences: Differences) -> None:
    changes = differences.changes("c_ObjetoImp", ("c_ObjetoImp", "Descripción"), *((str(n), "") for n in range(1, 10)))
    assert changes == {"09": (Change.ADDED, "")}


def test_compare_finds_changed_flags_of_products(differences: Differences) -> None:
    catalogs = differences.catalogs
    header = (
        "c_ClaveProdServ",
        "Descripción",
        "Incluir IVA trasladado",
        "Complemento que debe incluir",
        "Estímulo Franja Fronteriza",
    )
    rows = (("84111506", "", "Sí", "iedu", "0"), ("80111700", "", "Sí", "", "1"), ("99999999", "Nueva", "", "", "1"))
    changes = differences.changes("c_ClaveProdServ", header, *rows)
    in_force = sum(catalogs.contains("c_ClaveProdServ", key, ON) for key in catalogs.keys("c_ClaveProdServ"))
    assert changes["84111506"] == (
        Change.REWORDED,
        "iva_trasladado: - -> 1; complemento: - -> iedu; estimulo_frontera: 1 -> 0",
    )
    assert changes["99999999"] == (Change.ADDED, "Nueva")
    assert "80111700" not in changes
    assert sum(change is Change.ENDED for change, _ in changes.values()) == in_force - 2
    assert "15101506" not in changes, "a key that ended before the day is not in force"


def test_compare_joins_the_parts_of_a_key(differences: Differences) -> None:
    header = ("c_Aduana", "Patente", "Ejercicio", "Cantidad")
    changes = differences.changes(
        "c_NumPedimentoAduana", header, ("48", "3009", "2026", "500"), ("48", "3009", "2027", "999999")
    )
    assert changes["48|3009|26"] == (Change.REWORDED, "cantidad: 999999 -> 500")
    assert changes["48|3009|27"] == (Change.ADDED, "")


def test_compare_rates_by_their_values(differences: Differences) -> None:
    header = ("Rango o Fijo", "c_TasaOCuota", "", "Impuesto", "Factor", "Traslado", "Retención", *DATES)
    below = ("", "Valor mínimo", "Valor máximo", "", "", "", "", "", "")
    found = differences.of(
        "c_TasaOCuota",
        header,
        below,
        ("Fijo", "", "0.16", "IVA", "Tasa", "Sí", "No", "2022-01-01", ""),
        ("Fijo", "", "0.08", "IVA Crédito aplicado del 50%", "Tasa", "Sí", "No", "2022-01-01", ""),
        ("Rango", "0", "75.1", "IEPS", "Cuota", "Sí", "Sí", "2027-01-01", ""),
        ("Rango", "0", "69.5255", "IEPS", "Cuota", "Sí", "Sí", "2025-01-01", "2025-12-31"),
    )
    added = [each.key for each in found if each.change is Change.ADDED]
    ended = {each.key for each in found if each.change is Change.ENDED}
    assert added == ["003 Cuota 0-75.1 traslado retención"]
    assert {"003 Cuota 0-72.1605 traslado retención", "003 Tasa 2 traslado retención"} <= ended
    assert not {key for key in ended if key.startswith(("002 Tasa 0.16 ", "002 Tasa 0.08 "))}


def test_compare_rejects_an_unknown_table(differences: Differences) -> None:
    with pytest.raises(UnknownTableError):
        differences.of("c_Nada", ("c_Nada", "Descripción"), ("1", "uno"))


def test_names_lists_the_catalogs_of_a_standard(differences: Differences) -> None:
    assert {"c_FormaPago", "c_ClaveProdServ", "c_CodigoPostal", "c_Colonia"} <= {*differences.catalogs.names("cfdi40")}
    assert differences.catalogs.names("nada") == []


@pytest.mark.parametrize("catalog", ["c_FormaPago", "c_CodigoPostal", "c_Colonia", "c_NumPedimentoAduana"])
def test_keys_are_those_that_contains_accepts(differences: Differences, catalog: str) -> None:
    keys = [*differences.catalogs.keys(catalog)]
    assert keys
    assert len({*keys}) == len(keys)
    assert all(differences.catalogs.contains(catalog, key, ON) for key in keys[:500])


def test_read_tables_joins_parts_and_reads_the_edition() -> None:
    header, below = ("c_CodigoPostal", "c_Estado", "Referencias"), ("", "", "Descripción del Huso Horario")
    sheets = [
        Sheet("c_CodigoPostal", (*EDITION, header, below, (code, "AGU", "Tiempo del Centro"))) for code in ("1", "2")
    ]
    assert [*read_tables([*sheets, Sheet("Notas", (("c_Nota", "x"),))])] == [
        PublishedTable(
            "c_CodigoPostal",
            "3 revisión 1, 2026-12-01",
            ("c codigopostal", "c estado", "descripcion del huso horario"),
            (("1", "AGU", "Tiempo del Centro"), ("2", "AGU", "Tiempo del Centro")),
        )
    ]


def test_read_sheets_reads_csv_and_drops_the_number_of_the_part(tmp_path: Path) -> None:
    file = tmp_path / "c_FormaPago_20261201.csv"
    with file.open("w", encoding="utf-8-sig", newline="") as target:
        csv.writer(target).writerows([("clave", "Descripción"), ("01", "Efectivo")])
    assert read_sheets(file) == [Sheet("c_FormaPago", (("clave", "Descripción"), ("01", "Efectivo")))]


def test_read_sheets_reads_a_workbook(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    rows: Rows = [("c_FormaPago", "Descripción"), (1.0, "Efectivo"), (0.265, "Otra")]
    file = write_xlsx(tmp_path / "catCFDI.xlsx", {"c_FormaPago_Parte_1": rows})
    expected = (("c_FormaPago", "Descripción"), ("1", "Efectivo"), ("0.265", "Otra"))
    assert read_sheets(file) == [Sheet("c_FormaPago", expected)]


@pytest.mark.parametrize("name", ["missing.csv", "damaged.xlsx"])
def test_read_sheets_rejects_a_file_that_it_cannot_read(tmp_path: Path, name: str) -> None:
    if name.endswith("xlsx"):
        pytest.importorskip("python_calamine")
        (tmp_path / name).write_bytes(b"not a workbook")
    with pytest.raises(ServiceError, match="snapshot-source"):
        read_sheets(tmp_path / name)


def test_read_sheets_names_the_extra_when_the_reader_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(ServiceError) as raised:
        read_sheets(tmp_path / "catCFDI.xls")
    assert "timbra[workbooks]" in (raised.value.detail or "")
