"""The SAT's schemas and stylesheets from the development package `satcfdi`: oracle of tests, and input of builds."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from lxml import etree

from timbra.cfdi.structure.standards import CompiledSchema
from timbra.snapshot import Snapshot, SnapshotSource, open_snapshot
from timbra.snapshot.build import write_manifest
from timbra.snapshot.build.folder import write_files
from timbra.snapshot.build.resources import Resources
from timbra.snapshot.build.schemas import schema_files
from timbra.snapshot.build.stylesheets import program_files

SCHEMAS = Path("transform/schemas/www.sat.gob.mx")
CFD = SCHEMAS / "sitio_internet/cfd"
RETENCIONES = SCHEMAS / "esquemas/retencionpago"
OLD = ("cfdv32.xsd", "retencionpagov1.xsd", "planesderetiro.xsd")
"""Schemas of documents and complements that the server does not read."""
XS = "{http://www.w3.org/2001/XMLSchema}"


def package() -> Path:
    """Return the folder of the installed package without importing it."""
    spec = find_spec("satcfdi")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(next(iter(spec.submodule_search_locations)))


@cache
def schemas_wheel() -> bytes:
    """Return a wheel with schemas and stylesheets only."""
    return _zipped(schema_folder_files())


def schema_folder_files() -> list[Path]:
    """Return the files of the SAT's schemas and stylesheets."""
    folders = (package() / CFD, package() / RETENCIONES)
    return [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]


def whole_wheel(path: Path) -> SnapshotSource:
    """Write a wheel with everything that a build reads, and return its description."""
    database = package() / "catalogs/catalogs.db"
    content = _zipped([*schema_folder_files(), database])
    path.write_bytes(content)
    return SnapshotSource("satcfdi", "26.10.1", hashlib.sha256(content).hexdigest())


def _zipped(files: Iterable[Path]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as wheel:
        for file in sorted(files):
            name = "satcfdi/" + file.relative_to(package()).as_posix()
            wheel.writestr(zipfile.ZipInfo(name), file.read_bytes())
    return buffer.getvalue()


def resources() -> Resources:
    return Resources(zipfile.ZipFile(io.BytesIO(schemas_wheel())))


def make_snapshot(folder: Path) -> Snapshot:
    """Write a snapshot of schemas and stylesheets, without catalogs and QR tables."""
    write_files(folder, _snapshot_files())
    write_manifest(folder, SnapshotSource("satcfdi", "26.10.1", hashlib.sha256(schemas_wheel()).hexdigest()))
    return open_snapshot(folder)


@cache
def _snapshot_files() -> dict[str, bytes]:
    """Return the files of `make_snapshot`, which take seconds."""
    return {**schema_files(resources()), **program_files(resources())}


@cache
def full_schema() -> CompiledSchema:
    """SAT's published schemas of CFDI 3.3, 4.0, Retenciones 2.0 and every complement in its newest version, as one."""
    driver = etree.Element(f"{XS}schema")
    for namespace, file in sorted(_newest().items()):
        etree.SubElement(driver, f"{XS}import", namespace=namespace, schemaLocation=file.as_uri())
    return CompiledSchema(driver)


def _newest() -> dict[str, Path]:
    """Namespace -> file; later names of one namespace are later versions (ine10, ine11)."""
    newest: dict[str, Path] = {}
    schemas = (path for path in schema_folder_files() if path.suffix == ".xsd")
    for file in sorted(schemas, key=lambda path: path.name):
        root = etree.parse(file, etree.XMLParser(huge_tree=True)).getroot()
        if file.name not in OLD and root.find(f"{XS}element") is not None:
            newest[str(root.get("targetNamespace"))] = file
    return newest
