from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.catalogs.wheels import described
from tests.support.corpus import corpus_path

from timbra.catalogs import SnapshotCatalogs
from timbra.core.errors import ServiceError
from timbra.rules.engine.ports import Catalogs
from timbra.snapshot import Snapshot, locate, open_snapshot
from timbra.snapshot.packed import pack_keys

ON = date(2026, 5, 5)


def test_snapshot_catalogs_implements_the_port(catalogs: SnapshotCatalogs, snapshot: Snapshot) -> None:
    port: Catalogs = catalogs

    assert port.version == snapshot.version


@pytest.mark.parametrize(
    ("catalog", "key", "other"),
    [
        ("c_FormaPago", "03", "3"),
        ("c_MetodoPago", "PUE", "pue"),
        ("c_Moneda", "MXN", "MX"),
        ("c_UsoCFDI", "S01", "P01"),
        ("c_RegimenFiscal", "601", "609"),
        ("c_ObjetoImp", "02", "99"),
        ("c_ClaveUnidad", "E48", "e48"),
        ("c_ClaveUnidad", "DX", "DX1"),
        ("c_ClaveProdServ", "01010101", "1010101"),
        ("c_ClaveProdServ", "84111506", "84111599"),
        ("c_CodigoPostal", "42501", "00001"),
        ("c_Municipio", "001|AGU", "001"),
        ("c_Localidad", "01|AGU", "AGU|01"),
        ("c_Colonia", "0001|01000", "01000|0001"),
        ("c_Colonia", "0001|01000", "0001|01001"),
        ("c_Estado", "AGU", "AGS"),
        ("c_Pais", "MEX", "MX"),
        ("c_PatenteAduanal", "0101", "101"),
        ("c_NumPedimentoAduana", "48|3009|26", "48|30092|6"),
        ("cfdi33:c_UsoCFDI", "G03", "S01"),
        ("cfdi33:c_RegimenFiscal", "601", "999"),
        ("cfdi33:c_ClaveProdServ", "84111506", "84111599"),
        ("cfdi33:c_CodigoPostal", "42501", "00001"),
        ("pagos20:c_TipoCadenaPago", "01", "02"),
        ("pagos10:c_TipoCadenaPago", "01", "02"),
        ("nomina12:c_TipoPercepcion", "001", "1"),
        ("nomina12:c_Banco", "002", "2"),
        ("nomina12:c_Estado", "AGU", "AGS"),
        ("comercioexterior20:c_INCOTERM", "CFR", "ABC"),
        ("comercioexterior20:c_FraccionArancelaria", "0101210100", "01012101"),
        ("cartaporte31:c_Estaciones", "PM001", "PM999"),
        ("cartaporte31:c_ClaveProdServCP", "10101500", "99999999"),
        ("cartaporte30:c_ClaveProdServCP", "10101500", "99999999"),
        ("cartaporte31:c_MaterialPeligroso", "0004", "4"),
        ("cartaporte31:c_ClaveProdSTCC", "48", "9999999"),
        ("cartaporte20:c_CveTransporte", "01", "09"),
        ("ecc12:c_ClaveTipoCombustible", "1", "9"),
        ("gceh10:c_Actividad", "05", "06"),
        ("gceh10:c_SubActividad", "039", "040"),
        ("gceh10:c_Tarea", "0155", "0156"),
        ("hidroypetro10:c_TipoPermiso", "PER01", "PER99"),
    ],
)
def test_contains_checks_keys(catalogs: SnapshotCatalogs, catalog: str, key: str, other: str) -> None:
    assert catalogs.contains(catalog, key, ON)
    assert not catalogs.contains(catalog, other, ON)
    row = catalogs.row(catalog, key, ON)
    assert row is not None
    assert row["clave"] == key
    assert catalogs.row(catalog, other, ON) is None
    assert all(catalogs.has(catalog, column) for column in row)


@pytest.mark.parametrize(
    ("catalog", "key", "first", "last"),
    [
        ("c_ObjetoImp", "08", date(2024, 12, 13), None),
        ("c_Exportacion", "04", date(2022, 2, 25), None),
        ("c_FormaPago", "01", date(2022, 1, 1), None),
        ("cfdi33:c_UsoCFDI", "P01", date(2017, 3, 31), date(2023, 6, 30)),
        ("cfdi33:c_TipoRelacion", "08", date(2017, 12, 5), date(2022, 6, 30)),
        ("cartaporte31:c_NumAutorizacionNaviero", "SCT418/068/2018", date(2018, 12, 26), date(2023, 12, 27)),
        ("c_TipoDeComprobante", "N", None, None),
    ],
)
def test_contains_respects_validity_dates(
    catalogs: SnapshotCatalogs, catalog: str, key: str, first: date | None, last: date | None
) -> None:
    day = timedelta(days=1)
    for edge, outside in ((first, first and first - day), (last, last and last + day)):
        if edge is not None and outside is not None:
            assert catalogs.contains(catalog, key, edge)
            assert not catalogs.contains(catalog, key, outside)
            assert catalogs.row(catalog, key, outside) is None
    assert catalogs.contains(catalog, key, date.min) == (first is None)
    assert catalogs.contains(catalog, key, date.max) == (last is None)


@pytest.mark.parametrize(
    ("catalog", "column"),
    [
        ("c_ClaveProdServ", "iva_trasladado"),
        ("c_ClaveProdServ", "complemento"),
        ("c_CodigoPostal", "estimulo_frontera"),
        ("c_Impuesto", "retencion"),
        ("cfdi33:c_ClaveProdServ", "iva_trasladado"),
        ("cartaporte31:c_ClaveProdServCP", "absent"),
        ("c_CodigoPostal", "absent"),
        ("c_Impuesto", "absent"),
    ],
)
def test_keys_with_are_the_keys_with_a_value(catalogs: SnapshotCatalogs, catalog: str, column: str) -> None:
    found = catalogs.keys_with(catalog, (column,))

    rows = {key: catalogs.row(catalog, key, ON) for key in catalogs.keys(catalog)}
    assert {key for key, row in rows.items() if row is not None and row.get(column)} <= found
    assert not any(row.get(column) == "" for key, row in rows.items() if row is not None and key in found)
    assert found <= rows.keys()
    assert catalogs.keys_with(catalog, (column, "absent")) == found


def test_keys_with_joins_the_columns(catalogs: SnapshotCatalogs) -> None:
    columns = ("aplica_fisica", "aplica_moral")
    persons, companies = (catalogs.keys_with("c_RegimenFiscal", (column,)) for column in columns)

    assert persons - companies
    assert companies - persons
    assert catalogs.keys_with("c_RegimenFiscal", columns) == persons | companies


@pytest.mark.parametrize("catalog", ["c_ClaveProdServ", "c_NumPedimentoAduana"])
def test_packed_table_contains_its_keys_and_no_others(catalogs: SnapshotCatalogs, catalog: str) -> None:
    keys = list(catalogs.keys(catalog))
    in_force = {key for key in keys if catalogs.contains(catalog, key, ON)}

    assert len(in_force) > len(keys) * 0.9
    assert all(catalogs.row(catalog, key, ON) is not None for key in in_force)
    for key in keys[::50]:
        for other in (key[:-1], f"{key}0", f" {key}", key[::-1], f"{key[:-1]}x", f"{key[:-1]}٣", f"{key[:-2]}00"):
            assert catalogs.contains(catalog, other, ON) == (other in in_force)


@pytest.mark.parametrize(
    ("catalog", "key", "column", "value"),
    [
        ("c_Moneda", "MXN", "decimales", "2"),
        ("c_Moneda", "JPY", "decimales", "0"),
        ("c_UsoCFDI", "CN01", "regimenes_fiscales_receptores", "605"),
        ("c_UsoCFDI", "D01", "aplica_moral", ""),
        ("c_RegimenFiscal", "601", "aplica_moral", "1"),
        ("c_RegimenFiscal", "601", "aplica_fisica", ""),
        ("c_CodigoPostal", "42501", "estado", "HID"),
        ("c_CodigoPostal", "22000", "estimulo_frontera", "1"),
        ("c_ClaveProdServ", "80111700", "iva_trasladado", "1"),
        ("c_ClaveProdServ", "43231500", "estimulo_frontera", "0"),
        ("c_NumPedimentoAduana", "48|3009|26", "cantidad", "999999"),
        ("c_Estado", "TX", "pais", "USA"),
        ("c_TipoDeComprobante", "T", "valor_maximo", "0"),
        ("cartaporte31:c_Estaciones", "PM001", "clave_transporte", "02"),
        ("cartaporte31:c_ConfigAutotransporte", "VL", "remolque", "0,1"),
        ("cartaporte31:c_RegimenAduanero", "TRA", "impoexpo", "Salida,Entrada"),
        ("cartaporte31:c_TipoEstacion", "01", "claves_transportes", "02,03,04"),
        ("comercioexterior20:c_FraccionArancelaria", "0101210100", "unidad", "07"),
        ("hidroypetro10:c_ClaveHYP", "15101514", "subproductos", "SP16"),
    ],
)
def test_row_has_the_columns(catalogs: SnapshotCatalogs, catalog: str, key: str, column: str, value: str) -> None:
    row = catalogs.row(catalog, key, ON)

    assert row is not None
    assert row[column] == value


def test_patterns_of_catalogs_compile_and_match(catalogs: SnapshotCatalogs) -> None:
    def pattern(catalog: str, key: str, column: str) -> Callable[[str], object]:
        row = catalogs.row(catalog, key, ON)
        assert row is not None
        return re.compile(row[column]).fullmatch

    assert pattern("c_FormaPago", "03", "patron_cuenta_ordenante")("0" * 18)
    assert not pattern("c_FormaPago", "03", "patron_cuenta_ordenante")("0" * 17)
    assert pattern("c_FormaPago", "99", "patron_cuenta_ordenante")("anything")
    assert pattern("c_Pais", "MEX", "patron_identidad_tributaria")("EKU9003173C9")
    assert pattern("c_Pais", "USA", "patron_codigo_postal")("12345-6789")
    assert pattern("hidroypetro10:c_TipoPermiso", "PER10", "patron")("#" + "a1" * 7)


def test_has_distinguishes_absent_columns(catalogs: SnapshotCatalogs) -> None:
    assert catalogs.has("c_UsoCFDI", "regimenes_fiscales_receptores")
    assert catalogs.has("c_ClaveProdServ", "complemento")
    assert catalogs.has("c_NumPedimentoAduana", "cantidad")
    assert not catalogs.has("cartaporte31:c_ClaveProdServCP", "material_peligroso")
    assert not catalogs.has("cfdi33:c_NumPedimentoAduana", "aduana")


def test_snapshot_of_an_earlier_release_has_fewer_columns_and_tables(tmp_path: Path) -> None:
    folder = tmp_path / "catalogs/cfdi40"
    folder.mkdir(parents=True)
    (folder / "c_ClaveProdServ.keys").write_bytes(pack_keys(["84111506"], (8,)))
    catalogs = SnapshotCatalogs(described(tmp_path))

    assert catalogs.contains("c_ClaveProdServ", "84111506", ON)
    assert not catalogs.has("c_ClaveProdServ", "complemento")
    assert not catalogs.has("c_NumPedimentoAduana", "cantidad")
    assert not catalogs.has("cfdi33:c_NumPedimentoAduana", "cantidad")
    assert catalogs.published("c_ClaveProdServ") is None


def test_published_returns_the_day_of_the_edition() -> None:
    catalogs = SnapshotCatalogs(open_snapshot(locate(None)))

    assert catalogs.published("c_NumPedimentoAduana") == date(2026, 8, 21)
    assert catalogs.published("cfdi33:c_ClaveProdServ") == catalogs.published("c_ClaveProdServ") == date(2025, 12, 31)


def test_keys_of_large_tables_respect_their_dates(catalogs: SnapshotCatalogs) -> None:
    for catalog, key, first in (
        ("c_ClaveProdServ", "78111505", date(2022, 12, 23)),
        ("c_CodigoPostal", "77000", date(2021, 1, 1)),
        ("c_NumPedimentoAduana", "48|3009|26", date(2026, 1, 1)),
    ):
        assert catalogs.contains(catalog, key, first)
        assert not catalogs.contains(catalog, key, first - timedelta(days=1))
        assert catalogs.row(catalog, key, first - timedelta(days=1)) is None
    assert catalogs.contains("c_ClaveProdServ", "15101506", date(2025, 12, 31))
    assert not catalogs.contains("c_ClaveProdServ", "15101506", date(2026, 1, 1))


@pytest.mark.parametrize(
    "catalog",
    ["c_Nada", "cfdi40:c_Nada", "nomina12:c_FormaPago", "FormaPago", "", "../c_Pais", "c_Pais\n"],
)
def test_unknown_catalog_raises_key_error(catalogs: SnapshotCatalogs, catalog: str) -> None:
    for ask in (
        lambda: catalogs.contains(catalog, "01", ON),
        lambda: catalogs.row(catalog, "01", ON),
        lambda: catalogs.has(catalog, "clave"),
        lambda: catalogs.load([catalog]),
    ):
        with pytest.raises(KeyError):
            ask()


def test_names_without_prefix_are_cfdi40(catalogs: SnapshotCatalogs) -> None:
    assert catalogs.contains("cfdi40:c_UsoCFDI", "S01", ON)


def test_snapshot_catalogs_reads_every_catalog_file(catalogs: SnapshotCatalogs, snapshot: Snapshot) -> None:
    files = [name for name in snapshot.manifest.files if name.startswith("catalogs/")]
    names = [Path(name).with_suffix("").parts[1:] for name in files]
    keyed = [f"{standard}:{name}" for standard, name in names if name != "c_TasaOCuota"]

    catalogs.load(keyed)

    assert len(keyed) > 140
    assert all(catalogs.has(name, "clave") for name in keyed)


@given(key=st.text(max_size=12) | st.text("0123456789|", max_size=12))
def test_contains_accepts_any_text(catalogs: SnapshotCatalogs, key: str) -> None:
    for catalog in ("c_ClaveProdServ", "c_CodigoPostal", "c_Colonia", "c_FormaPago"):
        assert catalogs.contains(catalog, key, ON) == (catalogs.row(catalog, key, ON) is not None)
    assert (catalogs.zone(key) is not None) == catalogs.contains("c_CodigoPostal", key, ON)


def test_changed_file_raises_snapshot_damaged(tmp_path: Path) -> None:
    folder = tmp_path / "catalogs/cfdi40"
    folder.mkdir(parents=True)
    (folder / "c_MetodoPago.csv").write_text("clave\nPUE\n", "utf-8")
    catalogs = SnapshotCatalogs(described(tmp_path))
    (folder / "c_MetodoPago.csv").write_text("clave\nPUE\nABC\n", "utf-8")

    with pytest.raises(ServiceError, match="snapshot-damaged"):
        catalogs.contains("c_MetodoPago", "PUE", ON)


_ATTRIBUTES = {
    "{http://www.sat.gob.mx/cfd/4}Comprobante": {
        "FormaPago": "c_FormaPago",
        "MetodoPago": "c_MetodoPago",
        "Moneda": "c_Moneda",
        "TipoDeComprobante": "c_TipoDeComprobante",
        "LugarExpedicion": "c_CodigoPostal",
        "Exportacion": "c_Exportacion",
    },
    "{http://www.sat.gob.mx/cfd/4}Emisor": {"RegimenFiscal": "c_RegimenFiscal"},
    "{http://www.sat.gob.mx/cfd/4}Receptor": {
        "UsoCFDI": "c_UsoCFDI",
        "RegimenFiscalReceptor": "c_RegimenFiscal",
        "DomicilioFiscalReceptor": "c_CodigoPostal",
    },
    "{http://www.sat.gob.mx/cfd/4}Concepto": {
        "ClaveProdServ": "c_ClaveProdServ",
        "ClaveUnidad": "c_ClaveUnidad",
        "ObjetoImp": "c_ObjetoImp",
    },
    "{http://www.sat.gob.mx/nomina12}Receptor": {"Banco": "nomina12:c_Banco", "ClaveEntFed": "nomina12:c_Estado"},
    "{http://www.sat.gob.mx/nomina12}Percepcion": {"TipoPercepcion": "nomina12:c_TipoPercepcion"},
    "{http://www.sat.gob.mx/CartaPorte31}Mercancia": {
        "BienesTransp": "cartaporte31:c_ClaveProdServCP",
        "ClaveUnidad": "cartaporte31:c_ClaveUnidadPeso",
    },
}


def test_corpus_documents_use_valid_keys(catalogs: SnapshotCatalogs) -> None:
    """A provider accepted the keys of stamped documents; invented dates before CFDI 4.0 count as its first day."""
    used, unknown = 0, set()
    for path in sorted((corpus_path() / "docs").rglob("*.xml")):
        try:
            root = etree.parse(path, etree.XMLParser(resolve_entities=False)).getroot()
        except etree.XMLSyntaxError:
            continue
        if root.get("Version") != "4.0" or root.find(".//{*}TimbreFiscalDigital") is None:
            continue
        on = max(date.fromisoformat(str(root.get("Fecha"))[:10]), date(2022, 1, 1))
        for element in root.iter(*_ATTRIBUTES):
            for attribute, catalog in _ATTRIBUTES[str(element.tag)].items():
                key = element.get(attribute)
                if key is not None:
                    used += 1
                    if not catalogs.contains(catalog, str(key), on):
                        unknown.add((path.name, catalog, key, str(on)))
    assert used > 200
    assert unknown == {("cfdv40-ejemplo-signed-tfd.xml", "c_RegimenFiscal", "630", "2022-01-01")}, "a key of CFDI 3.3"
