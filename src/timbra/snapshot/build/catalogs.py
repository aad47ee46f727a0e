"""The catalogs of the snapshot: the project's own dated tables, and the large key sets of the pinned wheel.

They are written to `catalogs/<standard>/`: NAME.csv (key first, then columns, dates included), NAME.keys, NAME.table
and NAME.postal (see `timbra.snapshot.packed`). Where both have a table, the newer edition is written.
"""

from __future__ import annotations

import csv
import io
import shutil
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from timbra.core.errors import ServiceError
from timbra.snapshot.build.labels import write_labels
from timbra.snapshot.build.pickles import read_texts
from timbra.snapshot.build.resources import CFD, RETENCIONES, Resources
from timbra.snapshot.build.tables import (
    EDITIONS_FILE,
    TABLES,
    OwnTable,
    newest_table,
    own_editions,
    read_large_table,
)
from timbra.snapshot.editions import Edition
from timbra.snapshot.packed import TIME_ZONES, pack_keys, pack_postal_codes, pack_table

DATABASE = "satcfdi/catalogs/catalogs.db"
PRODUCTS = "cfdi40/c_ClaveProdServ"
POSTAL = "cfdi40/c_CodigoPostal"
PEDIMENTOS = "cfdi40/c_NumPedimentoAduana"
PRODUCT_KEYS = "C756_c_ClaveProdServ"
POSTAL_CODES = "C756_c_CodigoPostal"
TIME_ZONE = "huso_horario"
POSTAL_COLUMNS = ("estado", "municipio", "localidad", "estimulo_frontera", TIME_ZONE)
STATIONS = "C592_c_Estaciones"
KEY_SETS = {
    "cfdi40/c_Colonia": ("C756_c_Colonia", (4, 5)),
    "cartaporte31/c_ClaveProdServCP": ("C592_c_ClaveProdServCP", (8,)),
}
_HYDROCARBONS = CFD + "catalogos/hidrocarburos/catHidrocarburos.xsd"
_RETENCIONES = RETENCIONES + "1/catalogos/catRetenciones.xsd"
_PLATFORMS = RETENCIONES + "1/PlataformasTecnologicas10/catalogos/CatPlataformasTecnologicas.xsd"
ENUMERATIONS = {
    "cartaporte31/c_ClaveProdSTCC": CFD + "catalogos/CartaPorte/catCartaPorte.xsd",
    "ecc12/c_ClaveTipoCombustible": CFD + "catalogos/Combustible/catCombustible.xsd",
    "gceh10/c_Actividad": _HYDROCARBONS,
    "gceh10/c_SubActividad": _HYDROCARBONS,
    "gceh10/c_Tarea": _HYDROCARBONS,
    "retenciones20/c_Periodo": _RETENCIONES,
    "plataformastecnologicas10/c_EntidadesFederativas": _RETENCIONES,
    "plataformastecnologicas10/c_FormaPagoServ": _PLATFORMS,
    "plataformastecnologicas10/c_Periodicidad": _RETENCIONES,
    "plataformastecnologicas10/c_SubTipoServ": _PLATFORMS,
}
"""Catalogs that exist only as enumerations of a schema."""

TYPES = {
    "gceh10/c_Actividad": "Actividades",
    "gceh10/c_SubActividad": "SubActividad",
    "gceh10/c_Tarea": "Tareas",
}
"""Names of types in the schema that differ from the name of the catalog."""


def write_catalogs(wheel: zipfile.ZipFile, destination: Path, package: Edition) -> None:
    """Write `destination/catalogs/` and `destination/labels/` from the wheel and the project's tables.

    Args:
        wheel: the pinned `satcfdi` wheel, whose hash is verified already.
        destination: folder of the new snapshot.
        package: edition of the tables of the wheel.

    Raises:
        ServiceError: "snapshot-source" when the wheel misses a catalog, has one in another form, or has values other
            than texts in its database.
    """
    target = destination / "catalogs"
    shutil.copytree(TABLES, target, ignore=shutil.ignore_patterns("*.md", "*.xz", EDITIONS_FILE))
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(_database(wheel))
            _write_packed(database, target)
            _write_newest(database, target, package)
            write_labels(database, destination)
            names = {key[0]: value[0] for key, value in _rows(database, STATIONS)}
        _add_column(target / "cartaporte31/c_Estaciones.csv", "descripcion", names)
        _write_enumerations(Resources(wheel), target)
    except (KeyError, ValueError, sqlite3.Error, zipfile.BadZipFile) as error:
        raise ServiceError("snapshot-source", f"Los catálogos del paquete no son los esperados: {error}.") from error


def _database(wheel: zipfile.ZipFile) -> bytes:
    content = wheel.read(DATABASE)
    if not content.startswith(b"SQLite format 3\0"):
        raise ValueError(f"{DATABASE} no es una base SQLite")
    return content


def _write_packed(database: sqlite3.Connection, target: Path) -> None:
    for name, (table, widths) in KEY_SETS.items():
        keys = ("|".join(key) for key in _keys(database, table))
        (target / f"{name}.keys").write_bytes(pack_keys(keys, widths))


def _write_newest(database: sqlite3.Connection, target: Path, package: Edition) -> None:
    """Write the tables of which both sources have an edition, and c_NumPedimentoAduana, which only Timbra has."""
    products, postal = read_large_table(PRODUCTS), read_large_table(POSTAL)
    if not own_editions()[PRODUCTS].replaces(package):
        keys = {key: () for (key,) in _keys(database, PRODUCT_KEYS)}
        products = newest_table(products, OwnTable((), keys))
    if not own_editions()[POSTAL].replaces(package):
        codes = {key[0]: values for key, values in _rows(database, POSTAL_CODES)}
        postal = newest_table(postal, OwnTable(POSTAL_COLUMNS, codes))
    place = postal.columns.index(TIME_ZONE)
    unknown = {values[place] for values in postal.values.values()} - set(TIME_ZONES)
    if unknown:
        raise ValueError(f"husos horarios desconocidos: {', '.join(sorted(unknown))}")
    (target / f"{POSTAL}.postal").write_bytes(pack_postal_codes(postal.columns, postal.values))
    for name, table, widths in (
        (PRODUCTS, products, (8,)),
        (PEDIMENTOS, read_large_table(PEDIMENTOS), (2, 4, 2)),
    ):
        (target / f"{name}.table").write_bytes(pack_table(table.columns, table.values, widths))


def _keys(database: sqlite3.Connection, table: str) -> Iterator[tuple[str, ...]]:
    for (key,) in database.execute(f"SELECT key FROM {table}"):  # noqa: S608 (constants of this file)
        yield read_texts(key)


def _rows(database: sqlite3.Connection, table: str) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    for key, value in database.execute(f"SELECT key, value FROM {table}"):  # noqa: S608 (constants of this file)
        yield read_texts(key), read_texts(value)


def _add_column(file: Path, column: str, values: dict[str, str]) -> None:
    """Append a column to a table, with the value of each key; KeyError for a key without value."""
    header, *rows = csv.reader(io.StringIO(file.read_text("utf-8"), newline=""))
    _write_csv(file, [[*header, column], *([*row, values[row[0]]] for row in rows)])


def _write_enumerations(resources: Resources, target: Path) -> None:
    for name, schema in ENUMERATIONS.items():
        file = target / f"{name}.csv"
        kind = TYPES.get(name, file.stem)
        path = f"{{*}}simpleType[@name='{kind}']/{{*}}restriction/{{*}}enumeration"
        keys = [str(item.get("value")) for item in resources.root(schema).findall(path)]
        if not keys:
            raise KeyError(f"{schema} {kind}")
        file.parent.mkdir(exist_ok=True)
        _write_csv(file, [["clave"], *([key] for key in keys)])


def _write_csv(file: Path, rows: list[list[str]]) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    file.write_text(text.getvalue(), "utf-8", newline="")
