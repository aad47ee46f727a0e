"""Catalogs renewed by published tables, each form of table, and the overlay of an edition."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

import pytest

from timbra.catalogs import SnapshotCatalogs
from timbra.catalogs.labels import CatalogLabels
from timbra.catalogs.overlay import CatalogOverlay
from timbra.catalogs.renewal import EditionDays, Renewal, renew
from timbra.catalogs.workbook import Sheet, read_tables
from timbra.core.errors import ServiceError
from timbra.snapshot import Edition, Snapshot, locate, open_snapshot
from timbra.snapshot.packed import pack_keys, pack_postal_codes, pack_table

ON, PUBLISHED, ENDED = date(2026, 11, 22), date(2026, 11, 20), date(2026, 11, 21)
DAYS = EditionDays(ON, PUBLISHED, ENDED)
DATES = ("Fecha inicio de vigencia", "Fecha fin de vigencia")


@pytest.fixture(scope="module")
def installed() -> Snapshot:
    return open_snapshot(locate(None))


def renewed(
    snapshot: Snapshot, name: str, header: Sequence[str], *rows: Sequence[str], standard: str = "cfdi40"
) -> Renewal:
    tables = read_tables([Sheet(name, (tuple(header), *map(tuple, rows)))])
    return renew(tables, snapshot, DAYS, "cat.xls", standard)


def catalogs_of(renewal: Renewal, snapshot: Snapshot) -> SnapshotCatalogs:
    return SnapshotCatalogs(renewal.overlay.apply(snapshot))


def rejection(*arguments: object) -> str:
    with pytest.raises(ServiceError) as caught:
        renewed(*arguments)  # type: ignore[arg-type]
    assert caught.value.code == "catalog-refused"
    return str(caught.value.detail)


METHODS = ("c_MetodoPago", "Descripción", *DATES)
PUE = ("PUE", "Pago en una sola exhibición", "2022-01-01", "")
PPD = ("PPD", "Pago en parcialidades o diferido", "2022-01-01", "")


def test_renew_adds_a_key_and_ends_one(installed: Snapshot) -> None:
    catalogs = catalogs_of(
        renewed(installed, "c_MetodoPago", METHODS, PUE, ("PEX", "Pago en especie", "", "")), installed
    )
    assert [catalogs.contains("c_MetodoPago", "PEX", day) for day in (date(2026, 11, 19), PUBLISHED, ON)] == [
        False,
        True,
        True,
    ]
    assert [catalogs.contains("c_MetodoPago", "PPD", day) for day in (date(2022, 1, 1), ENDED, ON)] == [
        True,
        True,
        False,
    ]
    assert catalogs.contains("c_MetodoPago", "PUE", ON)


def test_renew_takes_the_dates_of_the_file_and_of_conversions(installed: Snapshot) -> None:
    added = ("PEX", "Pago en especie", "01/12/2026", "31/12/2027")
    catalogs = catalogs_of(renewed(installed, "c_MetodoPago", METHODS, PUE, PPD, added), installed)
    row = catalogs.row("c_MetodoPago", "PEX", date(2026, 12, 1))
    assert row == {"clave": "PEX", "vigencia_desde": "2026-12-01", "vigencia_hasta": "2027-12-31"}
    assert not catalogs.contains("c_MetodoPago", "PEX", ON)


def test_renew_keeps_the_earlier_values_for_earlier_documents(installed: Snapshot) -> None:
    header = ("c_UsoCFDI", "Descripción", "Física", "Moral", *DATES, "Régimen Fiscal Receptor")
    catalogs = SnapshotCatalogs(installed)
    rows = [
        (
            key,
            "",
            "No" if key == "G01" else _yes(row["aplica_fisica"]),
            _yes(row["aplica_moral"]),
            row["vigencia_desde"],
            "",
            row["regimenes_fiscales_receptores"],
        )
        for key in catalogs.keys("c_UsoCFDI")
        if (row := catalogs.row("c_UsoCFDI", key, ON))
    ]
    renewal = renewed(installed, "c_UsoCFDI", header, *rows)
    assert [each.key for each in renewal.tables[0].differences] == ["G01"]
    after = catalogs_of(renewal, installed)
    assert [_flag(after, day) for day in (date(2026, 11, 19), PUBLISHED)] == ["1", ""]


def _yes(flag: str) -> str:
    return "Sí" if flag else "No"


def _flag(catalogs: SnapshotCatalogs, on: date) -> str:
    row = catalogs.row("c_UsoCFDI", "G01", on)
    assert row is not None
    return row["aplica_fisica"]


def test_renew_puts_an_ended_key_in_force_again(installed: Snapshot) -> None:
    without = renewed(installed, "c_MetodoPago", METHODS[:2], PUE[:2]).overlay.apply(installed)
    assert not SnapshotCatalogs(without).contains("c_MetodoPago", "PPD", ON)
    again = renewed(without, "c_MetodoPago", METHODS[:2], PUE[:2], PPD[:2])
    assert catalogs_of(again, without).contains("c_MetodoPago", "PPD", ON)


PRODUCTS = ("c_ClaveProdServ", "Descripción", "Incluir IVA trasladado", "Incluir IEPS trasladado", *DATES)


COLUMNS = ("iva_trasladado", "ieps_trasladado", "complemento", "estimulo_frontera", "vigencia_desde", "vigencia_hasta")


@pytest.fixture(scope="module")
def small(installed: Snapshot) -> Snapshot:
    """The installed snapshot with few products and neighborhoods."""
    products = {
        "01010101": ("", "", "", "0", "2022-01-01", ""),
        "84111506": ("", "", "", "0", "2022-01-01", ""),
    }
    files = {
        "catalogs/cfdi40/c_ClaveProdServ.table": pack_table(COLUMNS, products, (8,)),
        "catalogs/cfdi40/c_Colonia.keys": pack_keys(["0001|01000", "0002|01000"], (4, 5)),
    }
    return installed.with_files(files)


def test_renew_of_a_packed_table_keeps_its_other_columns(small: Snapshot) -> None:
    kept = ("01010101", "", "", "", "2022-01-01", "")
    added = ("01019999", "Servicios nuevos", "Sí", "", "2026-11-01", "")
    renewal = renewed(small, "c_ClaveProdServ", PRODUCTS, kept, added)
    after, before = catalogs_of(renewal, small), SnapshotCatalogs(small)
    assert [(each.key, str(each.change)) for each in renewal.tables[0].differences] == [
        ("01019999", "added"),
        ("84111506", "ended"),
    ]
    assert after.row("c_ClaveProdServ", "01019999", ON) == {
        "clave": "01019999",
        "iva_trasladado": "1",
        "ieps_trasladado": "",
        "complemento": "",
        "estimulo_frontera": "",
        "vigencia_desde": "2026-11-01",
        "vigencia_hasta": "",
    }
    assert [after.contains("c_ClaveProdServ", "84111506", day) for day in (ENDED, ON)] == [True, False]
    assert after.row("c_ClaveProdServ", "01010101", ON) == before.row("c_ClaveProdServ", "01010101", ON)
    labels = CatalogLabels(renewal.overlay.apply(small))
    assert labels.get("c_ClaveProdServ", "01019999") == "Servicios nuevos"
    assert labels.get("c_ClaveProdServ", "01010101") == "No existe en el catálogo"


def test_renew_gives_a_set_of_keys_dates(small: Snapshot) -> None:
    rows = (("0002", "01000", ""), ("9999", "01000", "Colonia nueva"))
    renewal = renewed(small, "c_Colonia", ("c_Colonia", "c_CodigoPostal", "Nombre del asentamiento"), *rows)
    after = catalogs_of(renewal, small)
    assert [after.contains("c_Colonia", "0001|01000", day) for day in (ENDED, ON)] == [True, False]
    assert [after.contains("c_Colonia", "9999|01000", day) for day in (date(2026, 11, 19), ON)] == [False, True]
    assert after.contains("c_Colonia", "0002|01000", date(2022, 1, 1))
    assert [*after.keys("c_Colonia")] == ["0001|01000", "0002|01000", "9999|01000"]


POSTAL = ("c_CodigoPostal", "c_Estado", "c_Municipio", "c_Localidad", "Estímulo Franja Fronteriza", *DATES)


def test_renew_of_postal_codes_rejects_an_unknown_time_zone(installed: Snapshot) -> None:
    columns = (
        "estado",
        "municipio",
        "localidad",
        "estimulo_frontera",
        "huso_horario",
        "vigencia_desde",
        "vigencia_hasta",
    )
    codes = {"20000": ("AGU", "001", "01", "0", "Tiempo del Centro", "2019-01-07", "")}
    few = installed.with_files({"catalogs/cfdi40/c_CodigoPostal.postal": pack_postal_codes(columns, codes)})
    header = (*POSTAL, "Descripción del Huso Horario")
    row = ("20998", "AGU", "001", "01", "0", "2026-11-01", "")
    after = catalogs_of(renewed(few, "c_CodigoPostal", header, (*row, "Tiempo del Centro")), few)
    assert str(after.zone("20998")) == "America/Mexico_City"
    assert [after.contains("c_CodigoPostal", "20000", day) for day in (ENDED, ON)] == [True, False]
    assert "huso horario desconocido: 'Tiempo de la Luna'" in rejection(
        few, "c_CodigoPostal", header, (*row, "Tiempo de la Luna")
    )


RATES = ("Rango o Fijo", "c_TasaOCuota", "", "Impuesto", "Factor", "Traslado", "Retención", *DATES)
BELOW = ("", "Valor mínimo", "Valor máximo", "", "", "", "", "", "")


def test_renew_of_rates_replaces_a_range_and_keeps_what_the_sat_omits(installed: Snapshot) -> None:
    renewal = renewed(
        installed,
        "C_TasaOCuota",
        RATES,
        BELOW,
        ("Rango", "0.000000", "75.500000", "IEPS", "Cuota", "Sí", "Sí", "2027-01-01", ""),
        ("Fijo", "No aplica", "0.160000", "IVA", "Tasa", "Sí", "No", "2022-01-01", "2026-12-31"),
        ("Fijo", "No aplica", "0.120000", "IVA", "Tasa", "Sí", "No", "2027-01-01", ""),
    )
    after = catalogs_of(renewal, installed)

    def allowed(tax: str, factor: str, value: str, on: date) -> bool:
        rates = [
            rate for rate in after.rates("cfdi40", on) if (rate.tax, rate.factor, rate.transfer) == (tax, factor, True)
        ]
        return any(rate.allows(Decimal(value)) for rate in rates)

    old, new = date(2026, 12, 31), date(2027, 1, 1)
    assert [allowed("003", "Cuota", "75.5", day) for day in (old, new)] == [False, True]
    assert [allowed("003", "Cuota", "72.0", day) for day in (old, new)] == [True, True]
    assert [allowed("002", "Tasa", "0.12", day) for day in (old, new)] == [False, True]
    assert [allowed("002", "Tasa", "0.16", day) for day in (old, new)] == [True, False]
    assert [allowed("003", "Tasa", "2.00", day) for day in (old, new)] == [True, True]
    assert "el valor 'mucho' no es un número" in rejection(
        installed, "C_TasaOCuota", RATES, BELOW, ("Fijo", "", "mucho", "IVA", "Tasa", "Sí", "No", "", "")
    )


def test_renew_rejects_keys_and_dates_of_another_form(installed: Snapshot, small: Snapshot) -> None:
    assert rejection(small, "c_ClaveProdServ", PRODUCTS, ("8411150X", "", "", "", "", "")) == (
        "c_ClaveProdServ: la clave '8411150X' no tiene la forma de las demás."
    )
    assert rejection(installed, "c_MetodoPago", METHODS, PUE, ("PEXX", "", "", "")) == (
        "c_MetodoPago: la clave 'PEXX' no tiene la forma de las demás."
    )
    assert rejection(installed, "c_MetodoPago", METHODS, ("PUE", "", "ayer", "")) == (
        "c_MetodoPago: PUE: la fecha 'ayer' no es válida."
    )
    assert rejection(installed, "c_MetodoPago", METHODS, ("PUE", "", "2026-12-01", "2026-11-01")) == (
        "c_MetodoPago: PUE: empieza el 2026-12-01 y termina el 2026-11-01."
    )
    assert rejection(installed, "c_MetodoPago", METHODS, PUE, ("PUE", "Otro", "2022-01-01", "")) == (
        "c_MetodoPago: la clave 'PUE' está repetida con otros valores."
    )
    assert (
        rejection(installed, "c_Nuevo", ("c_Nuevo", "Descripción"), ("1", "uno"))
        == "cat.xls no tiene catálogos de cfdi40."
    )


def test_renew_rejects_a_pattern_that_no_account_can_be_compared_with(installed: Snapshot) -> None:
    header = ("id", "texto", "patron_cuenta_ordenante")
    assert rejection(installed, "c_FormaPago", header, ("99", "Por definir", r"\V*")) == (
        r"c_FormaPago: 99: el patrón '\\V*' no es válido."
    )
    allowed = renewed(installed, "c_FormaPago", header, ("99", "Por definir", "[0-9]{10}"))
    row = catalogs_of(allowed, installed).row("c_FormaPago", "99", ON)
    assert row is not None
    assert row["patron_cuenta_ordenante"] == "[0-9]{10}"


def test_renew_warns_of_much_fewer_keys(installed: Snapshot) -> None:
    [table] = renewed(installed, "c_Exportacion", ("c_Exportacion", "Descripción"), ("01", "No aplica")).tables
    assert [*table.warnings] == ["c_Exportacion tiene 1 de las 4 claves vigentes."]
    [table] = renewed(installed, "c_MetodoPago", METHODS, PUE, PPD).tables
    assert [*table.warnings] == []


def test_overlay_survives_its_archive_and_gives_way_to_a_later_release(installed: Snapshot) -> None:
    overlay = renewed(installed, "c_MetodoPago", METHODS, PUE, PPD, ("PEX", "Pago en especie", "", "")).overlay
    read = CatalogOverlay.from_bytes(overlay.to_bytes())
    assert (read.digest, read.to_bytes()) == (overlay.digest, overlay.to_bytes())
    applied = read.apply(installed)
    assert applied.version != installed.version
    assert applied.version == overlay.apply(installed).version
    assert SnapshotCatalogs(applied).published("c_MetodoPago") == PUBLISHED
    later = CatalogOverlay({}, {"cfdi40/c_MetodoPago": Edition("package", date(2027, 1, 1))}).apply(installed)
    assert read.apply(later).version == later.version
    with pytest.raises(ValueError, match="no edition of catalogs"):
        CatalogOverlay.from_bytes(b"PK")
