"""Schemas of a snapshot and the files that they link to."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import etree

from timbra.cfdi.snapshot_xml import trusted_document
from timbra.core.errors import ServiceError
from timbra.snapshot import Snapshot, locate, open_snapshot
from timbra.snapshot.manifest import to_entry

STAMP, TYPES = "TimbreFiscalDigitalv11.xsd", "tdCFDI.xsd"


@pytest.fixture
def copied(tmp_path: Path) -> Snapshot:
    """A snapshot in a folder whose name has characters with a meaning in addresses."""
    folder = tmp_path / "año 100%25 #1"
    shutil.copytree(locate(None), folder)
    return open_snapshot(folder)


def change(snapshot: Snapshot, name: str, edit: Callable[[bytes], bytes]) -> bytes:
    path = snapshot.path(name)
    content = edit(path.read_bytes())
    path.write_bytes(content)
    return content


def test_schema_compiles_without_a_resolver_in_any_folder(copied: Snapshot) -> None:
    schema = etree.XMLSchema(trusted_document(copied, "xsd", STAMP))
    error = etree.fromstring('<TimbreFiscalDigital xmlns="http://www.sat.gob.mx/TimbreFiscalDigital"/>')
    assert not schema.validate(error)
    assert "FechaTimbrado" in str(schema.error_log)


@pytest.mark.parametrize("file", [STAMP, TYPES])
def test_trusted_document_rejects_a_changed_file_or_link(copied: Snapshot, file: str) -> None:
    change(copied, f"xsd/{file}", lambda content: content + b" ")
    with pytest.raises(ServiceError) as caught:
        trusted_document(copied, "xsd", STAMP)
    assert caught.value.code == "snapshot-damaged"


def test_trusted_document_rejects_a_link_outside_of_its_folder(copied: Snapshot) -> None:
    name = f"xsd/{STAMP}"
    content = change(copied, name, lambda content: content.replace(TYPES.encode(), f"../{TYPES}".encode()))
    manifest = replace(copied.manifest, files={**copied.manifest.files, name: to_entry(content)})
    with pytest.raises(ServiceError, match="apunta fuera de su carpeta") as caught:
        trusted_document(replace(copied, manifest=manifest), "xsd", STAMP)
    assert caught.value.code == "snapshot-damaged"
