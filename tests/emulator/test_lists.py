"""The lists: listing, digests, conditional requests, and the product's importer with the signature of the list."""

from __future__ import annotations

import gzip
import hashlib
from base64 import b64encode
from pathlib import Path

import pytest
from lxml import etree
from tests.emulator.emulator_support import EmulatorRun, running_emulator

from timbra.core.clock import WallClock
from timbra.core.errors import ServiceError
from timbra.emulator.list_files import LRFC_COLUMNS
from timbra.lists.importer import ListImporter
from timbra.lists.ingest import ListColumns
from timbra.lists.published import PublishedLists
from timbra.lists.signer_policy import ListSigners
from timbra.lists.sources.columns import known_columns
from timbra.lists.sources.part_names import ListKind
from timbra.sandbox.authority.build import sandbox_registry
from timbra.sandbox.authority.taxpayers.models import TaxpayerChange
from timbra.seals.ports import trust_store

GENERIC = frozenset({"EXT990101NI1", "XAXX010101000", "XEXX010101000"})

LISTING = "/lco?restype=container&comp=list"


def names(emulator: EmulatorRun, query: str = "") -> list[str]:
    root = etree.fromstring(emulator.client.get(emulator.url(LISTING + query)).content)
    return [str(name.text) for name in root.iterfind(".//Name")]


def download(emulator: EmulatorRun, folder: Path, prefix: str) -> list[Path]:
    paths = []
    for name in names(emulator, f"&prefix={prefix}"):
        path = folder / name
        path.write_bytes(emulator.client.get(emulator.url(f"/lco/{name}")).content)
        paths.append(path)
    return paths


def importer(emulator: EmulatorRun, folder: Path) -> ListImporter:
    """Return an importer that accepts lists of the SAT only, and trusts the emulator's authority."""
    signers = ListSigners(emulator.container.get(trust_store), strict=True)
    return ListImporter(folder / "lists", signers, ListColumns(known_columns(LRFC_COLUMNS)), WallClock())


def test_files_are_signed_once_when_nothing_changes(tmp_path: Path) -> None:
    with running_emulator(tmp_path) as new:
        files = new.emulator.list_files
        assert files.files() is files.files()


def test_listing_has_the_parts_of_both_lists_with_their_names(emulator: EmulatorRun) -> None:
    assert names(emulator) == [
        "LCO_2026-11-17_1.XML.gz",
        "LCO_2026-11-17_2.XML.gz",
        "L_CNE_2026_11_17_1.txt.gz",
        "L_CNE_2026_11_17_control.txt",
        "l_RFC_2026_11_17_1.txt.gz",
        "l_RFC_2026_11_17_2.txt.gz",
    ]


def test_listing_has_address_and_digest_of_every_file(emulator: EmulatorRun) -> None:
    root = etree.fromstring(emulator.client.get(emulator.url(LISTING)).content)
    for blob in root.iterfind(".//Blob"):
        content = emulator.client.get(str(blob.findtext("Url"))).content
        assert (
            blob.findtext(".//Content-MD5") == b64encode(hashlib.md5(content, usedforsecurity=False).digest()).decode()
        )
        assert blob.findtext(".//Content-Length") == str(len(content))


def test_listing_has_pages(emulator: EmulatorRun) -> None:
    everything, found, marker = names(emulator), [], ""
    while True:
        page = etree.fromstring(emulator.client.get(emulator.url(f"{LISTING}&maxresults=4&marker={marker}")).content)
        found += [str(name.text) for name in page.iterfind(".//Name")]
        marker = page.findtext("NextMarker") or ""
        if not marker:
            break
    assert found == everything


@pytest.mark.parametrize(
    ("path", "status"),
    [("/lco", 404), (f"{LISTING}&maxresults=0", 400), ("/lco/other", 404), ("/lco/..%2Fx", 404)],
)
def test_other_requests_are_rejected(emulator: EmulatorRun, path: str, status: int) -> None:
    assert emulator.client.get(emulator.url(path)).status_code == status


def test_download_is_conditional(emulator: EmulatorRun) -> None:
    address = emulator.url(f"/lco/{names(emulator)[0]}")
    first = emulator.client.get(address)
    for header, value in (
        ("If-None-Match", first.headers["etag"]),
        ("If-Modified-Since", first.headers["last-modified"]),
    ):
        response = emulator.client.get(address, headers={header: value})
        assert (response.status_code, response.content) == (304, b"")
    assert emulator.client.get(address, headers={"If-None-Match": '"other"'}).status_code == 200


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_importer_of_the_product_reads_the_signed_lists(emulator: EmulatorRun, tmp_path: Path, parts: int) -> None:
    emulator.control("PATCH", "/options", {"list_parts": parts})
    seal = emulator.holder("EKU9003173C9").certificate
    for prefix, kind in (("LCO_", ListKind.LCO), ("l_RFC_", ListKind.LRFC)):
        paths = download(emulator, tmp_path, prefix)
        assert len(paths) == parts
        importer(emulator, tmp_path).run(kind, paths)
    lists = PublishedLists(tmp_path / "lists").current
    registry = emulator.container.get(sandbox_registry)
    registered = registry.taxpayer("URE180429TM6")
    assert registered is not None
    for entry in registry.entries():
        expected = registry.taxpayer(entry.taxpayer.rfc)
        found = lists.taxpayers.taxpayer(entry.taxpayer.rfc) if lists.taxpayers else None
        if expected is None or expected.cancelled or expected.rfc in GENERIC:
            continue
        assert found is not None
        assert (found.name, found.postal_code, found.regimes) == (expected.name, expected.postal_code, expected.regimes)
    assert lists.obligations is not None
    listed = lists.obligations.certificate(seal.rfc, seal.number)
    assert listed is not None
    assert (listed.status, listed.valid_from, listed.valid_to) == ("A", seal.valid_from, seal.valid_to)


def test_importer_of_the_product_rejects_a_broken_signature(emulator: EmulatorRun, tmp_path: Path) -> None:
    emulator.fault("broken-signature", service="lists", skip=1)
    paths = download(emulator, tmp_path, "LCO_")
    with pytest.raises(ServiceError, match="list-signature"):
        importer(emulator, tmp_path).run(ListKind.LCO, paths)


def test_importer_of_the_product_rejects_half_a_file(emulator: EmulatorRun, tmp_path: Path) -> None:
    emulator.fault("truncated", service="lists", skip=1)
    paths = download(emulator, tmp_path, "LCO_")
    with pytest.raises(ServiceError, match="list-unreadable"):
        importer(emulator, tmp_path).run(ListKind.LCO, paths)


def test_lists_change_with_the_registry(emulator: EmulatorRun) -> None:
    def digests() -> set[str]:
        root = etree.fromstring(emulator.client.get(emulator.url(f"{LISTING}&prefix=l_RFC")).content)
        return {str(digest.text) for digest in root.iterfind(".//Content-MD5")}

    before = digests()
    assert digests() == before
    emulator.container.get(sandbox_registry).add("XAXX190128AB1", TaxpayerChange(name="NUEVA"))
    assert digests() != before


def test_control_file_of_the_permits_has_the_hash_of_each_file(emulator: EmulatorRun) -> None:
    rows = ["PL/1/EXP/ES/2015|EKU9003173C9|PR03", "PL/2/EXP/ES/2015|URE180429TM6|PR07"]
    assert emulator.control("PUT", "/lists/L_CNE", {"rows": rows}).json() == {"rows": 2}
    control, packed = (
        emulator.client.get(emulator.url(f"/lco/L_CNE_2026_11_17_{name}")).content
        for name in ("control.txt", "1.txt.gz")
    )
    count, line = control.decode().split()
    assert (count, line) == ("1", f"L_CNE_2026_11_17_1.txt.gz|{hashlib.sha256(packed).hexdigest()}")
    assert all(row.encode() in gzip.decompress(packed) for row in rows)
    assert emulator.control("PUT", "/lists/L_CNE", {"rows": ["a|b"]}).status_code == 400
