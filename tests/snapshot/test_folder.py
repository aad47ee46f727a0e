"""Opening, reading and verifying a snapshot folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.errors import ServiceError
from timbra.snapshot import MANIFEST, Difference, Entry, Manifest, Snapshot, Source, locate, open_snapshot, verify
from timbra.snapshot.build import write_manifest
from timbra.snapshot.manifest import content_version

SOURCE = Source("paquete", "26.1.0", "a" * 64)


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    (tmp_path / "xsd").mkdir()
    (tmp_path / "xsd/a.xsd").write_bytes(b"a")
    (tmp_path / "b.txt").write_bytes(b"bb")
    write_manifest(tmp_path, SOURCE)
    return open_snapshot(tmp_path)


def test_the_setting_decides_where_it_lies() -> None:
    assert locate(Path("x")) == Path("x")
    assert locate(None) == Path(sys.prefix, "share/timbra/sat-data")


def test_a_snapshot_reads_what_the_manifest_names(snapshot: Snapshot) -> None:
    assert snapshot.read("xsd/a.xsd") == b"a"
    assert snapshot.path("b.txt") == snapshot.root / "b.txt"
    assert snapshot.version.startswith("2026.1.0-")
    assert len(snapshot.version) == len("2026.1.0-") + 12
    assert snapshot.manifest.source == SOURCE


@pytest.mark.parametrize("name", ["../b.txt", "/etc/passwd", "xsd", "c.txt", "", MANIFEST])
def test_other_names_are_refused(snapshot: Snapshot, name: str) -> None:
    for action in (snapshot.path, snapshot.read):
        with pytest.raises(ServiceError) as refusal:
            action(name)
        assert refusal.value.code == "snapshot-damaged"


def test_a_missing_snapshot_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match="timbra data build") as refusal:
        open_snapshot(tmp_path / "none")
    assert refusal.value.code == "snapshot-missing"


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"format": 2}', b'{"format": 1, "files": []}', b"\xff"])
def test_a_manifest_that_is_none_is_damaged(tmp_path: Path, content: bytes) -> None:
    (tmp_path / MANIFEST).write_bytes(content)
    with pytest.raises(ServiceError, match="snapshot-damaged"):
        open_snapshot(tmp_path)


@given(
    st.binary(max_size=200)
    | st.recursive(st.none() | st.text(max_size=5), st.lists).map(lambda x: json.dumps(x).encode())
)
def test_any_bytes_are_a_manifest_or_a_value_error(data: bytes) -> None:
    try:
        assert isinstance(Manifest.from_json(data), Manifest)
    except ValueError:
        return


@given(
    st.dictionaries(
        st.text(st.characters(categories=["L", "N"]), min_size=1),
        st.builds(Entry, st.text("0123456789abcdef", min_size=64, max_size=64), st.integers(0)),
    )
)
def test_a_manifest_survives_writing_and_reading(files: dict[str, Entry]) -> None:
    manifest = Manifest(content_version(SOURCE, files), SOURCE, files)
    assert Manifest.from_json(manifest.to_json()) == manifest
    assert manifest.version == content_version(SOURCE, dict(reversed(files.items())))


def test_an_untouched_folder_verifies(snapshot: Snapshot) -> None:
    assert verify(snapshot) == []


def test_every_difference_is_told(snapshot: Snapshot) -> None:
    (snapshot.root / "b.txt").write_bytes(b"bc")
    (snapshot.root / "xsd/a.xsd").unlink()
    (snapshot.root / "xsd/new.xsd").write_bytes(b"")
    assert verify(snapshot) == [
        Difference("b.txt", "changed"),
        Difference("xsd/a.xsd", "missing"),
        Difference("xsd/new.xsd", "unknown"),
    ]
    for name in ("b.txt", "xsd/a.xsd"):
        with pytest.raises(ServiceError, match="snapshot-damaged"):
            snapshot.read(name)


def test_a_manifest_that_contradicts_itself_is_told(snapshot: Snapshot) -> None:
    manifest = snapshot.manifest
    other = Manifest("2026.1.0-000000000000", manifest.source, manifest.files)
    (snapshot.root / MANIFEST).write_bytes(other.to_json())
    assert verify(open_snapshot(snapshot.root)) == [Difference(MANIFEST, "version")]
