"""Wheels for building catalogs: the content of the development package, and small ones with one change."""

from __future__ import annotations

import csv
import io
import pickle
import sqlite3
import zipfile
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import date
from pathlib import Path

from timbra.snapshot import Edition, Snapshot, SnapshotSource
from timbra.snapshot.build.catalogs import DATABASE, ENUMERATIONS, TYPES, write_catalogs
from timbra.snapshot.build.labels import LABELS, LARGE_LABELS, UNTYPED
from timbra.snapshot.build.tables import TABLES
from timbra.snapshot.folder import open_snapshot
from timbra.snapshot.manifest import SnapshotManifest, content_version, to_entry

MANIFEST = "manifest.json"

Rows = Mapping[object, object]
PACKAGE = Edition("satcfdi 26.10.1", date(2026, 10, 1))
"""The edition of the pinned package, which the project's own tables replace."""
NEWER_PACKAGE = Edition("satcfdi 27.1.1", date(2027, 1, 1))
"""A package that replaces the project's own tables."""

SCHEMA = (
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">'
    + "".join(
        f'<xs:simpleType name="{TYPES.get(name, name.partition("/")[2])}"><xs:restriction base="xs:string">'
        f'<xs:enumeration value="{key}"/></xs:restriction></xs:simpleType>'
        for name, key in zip(ENUMERATIONS, ("01", "1", "01", "001", "0001", *["01"] * 5), strict=True)
    )
    + "</xs:schema>"
).encode()


def wheel_of(members: Mapping[str, bytes]) -> zipfile.ZipFile:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as wheel:
        for name, content in members.items():
            wheel.writestr(name, content)
    return zipfile.ZipFile(buffer)


def small_tables() -> dict[str, Rows]:
    with (TABLES / "cartaporte31/c_Estaciones.csv").open(encoding="utf-8") as file:
        stations = {row["clave"]: f"Estación {row['clave']}" for row in csv.DictReader(file)}
    return label_tables() | {
        "C756_c_ClaveProdServ": {"01010101": "", "84111506": ""},
        "C756_c_Colonia": {("0001", "01000"): "", ("0002", "01000"): ""},
        "C592_c_ClaveProdServCP": {"10101500": ""},
        "C756_c_CodigoPostal": {
            "01000": ["CMX", "010", "01", "0", "Tiempo del Centro"],
            "22000": ["BCN", "004", None, "1", "Tiempo del Noroeste"],
            "83000": ["SON", "030", "", "1", "Tiempo del Pacífico"],
        },
        "C592_c_Estaciones": stations,
    }


def label_tables() -> dict[str, Rows]:
    named = [*LABELS.values(), *LARGE_LABELS.values()]
    tables: dict[str, Rows] = {f"{prefix}_c_{name}": {"01": name} for prefix, names in named for name in names.split()}
    tables |= {f"{prefix}_{name}": {"01": name} for prefix, names in UNTYPED.values() for name in names}
    return {
        **tables,
        "C756_c_Estado": {"01": ["MEX", "Estado"]},
        "Ca37_t_ClaveEntidad": {"AGU": ["MEX", "Aguascalientes"]},
        "C756_c_Moneda": {"01": ["Moneda", 2]},
    }


def database_of(tables: Mapping[str, Rows], blobs: Iterable[tuple[str, object, object]] = ()) -> bytes:
    """Write a database of pickles. blobs: table, key and value to write unchanged."""
    with closing(sqlite3.connect(":memory:")) as database:
        for table, rows in tables.items():
            database.execute(f"CREATE TABLE {table} (key BLOB PRIMARY KEY, value BLOB)")
            pairs = ((pickle.dumps(key, 4), pickle.dumps(value, 4)) for key, value in rows.items())
            database.executemany(f"INSERT INTO {table} VALUES (?, ?)", pairs)
        for table, key, value in blobs:
            database.execute(f"INSERT INTO {table} VALUES (?, ?)", (key, value))
        database.commit()
        return database.serialize()


def small_wheel(database: bytes) -> zipfile.ZipFile:
    return wheel_of({DATABASE: database, **dict.fromkeys(ENUMERATIONS.values(), SCHEMA)})


def catalogs_snapshot(wheel: zipfile.ZipFile, root: Path, package: Edition = PACKAGE) -> Snapshot:
    """Write a snapshot with catalogs only."""
    write_catalogs(wheel, root, package)
    return described(root)


def described(root: Path) -> Snapshot:
    """Return the snapshot of the files in the folder."""
    source = SnapshotSource("satcfdi", "26.10.1", "0" * 64)
    names = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    files = {name: to_entry((root / name).read_bytes()) for name in names}
    (root / MANIFEST).write_bytes(SnapshotManifest(content_version(source, files), source, files).to_json())
    return open_snapshot(root)
