"""The documents in files that an account uploads."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tests.support.hostile_archives import SYSTEM_NAMES, with_system_files

from timbra.received.files import EntryReader, UploadedFile, list_entries


def test_files_of_the_system_are_no_documents(tmp_path: Path) -> None:
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.write_bytes(b"<a/>")
    packed.write_bytes(with_system_files({"lote/a.xml": b"<b/>", "c.xml": b"<c/>"}))
    uploaded = [UploadedFile(name, str(plain)) for name in (*SYSTEM_NAMES, "folder/d.xml")]

    listing = list_entries((*uploaded, UploadedFile("lote.zip", str(packed))), 1000)

    assert [entry.source for entry in listing.entries] == ["folder/d.xml", "lote.zip!lote/a.xml", "lote.zip!c.xml"]
    assert (listing.rejected, listing.ignored) == ((), 0)
    with closing(EntryReader(1000, 1000)) as reader:
        assert [reader.read(entry) for entry in listing.entries] == [b"<a/>", b"<b/>", b"<c/>"]
