"""Opening, reading and verifying a snapshot folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import timbra
from timbra.core.errors import ServiceError
from timbra.snapshot import (
    Snapshot,
    SnapshotDifference,
    SnapshotEntry,
    SnapshotManifest,
    SnapshotSource,
    locate,
    open_snapshot,
    verify,
)
from timbra.snapshot.build import write_manifest
from timbra.snapshot.manifest import content_version

MANIFEST = "manifest.json"

SOURCE = SnapshotSource("paquete", "26.1.0", "a" * 64)


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    (tmp_path / "xsd").mkdir()
    (tmp_path / "xsd/a.xsd").write_bytes(b"a")
    (tmp_path / "b.txt").write_bytes(b"bb")
    write_manifest(tmp_path, SOURCE)
    return open_snapshot(tmp_path)


def test_locate_prefers_the_setting() -> None:
    assert locate(Path("x")) == Path("x")
    assert locate(None) == Path(timbra.__file__).parent / "sat_data"


def test_read_returns_files_of_the_manifest(snapshot: Snapshot) -> None:
    assert snapshot.read("xsd/a.xsd") == b"a"
    assert snapshot.path("b.txt") == snapshot.root / "b.txt"
    assert snapshot.version.startswith("2026.1.0-")
    assert len(snapshot.version) == len("2026.1.0-") + 12
    assert snapshot.manifest.source == SOURCE


@pytest.mark.parametrize("name", ["../b.txt", "/etc/passwd", "xsd", "c.txt", "", MANIFEST])
def test_read_rejects_other_names(snapshot: Snapshot, name: str) -> None:
    for action in (snapshot.path, snapshot.read):
        with pytest.raises(ServiceError) as rejection:
            action(name)
        assert rejection.value.code == "snapshot-damaged"


def test_open_snapshot_names_the_build_command_when_missing(tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match="timbra data build") as rejection:
        open_snapshot(tmp_path / "none")
    assert rejection.value.code == "snapshot-missing"


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"format": 2}', b'{"format": 1, "files": []}', b"\xff"])
def test_open_snapshot_rejects_invalid_manifest(tmp_path: Path, content: bytes) -> None:
    (tmp_path / MANIFEST).write_bytes(content)
    with pytest.raises(ServiceError, match="snapshot-damaged"):
        open_snapshot(tmp_path)


@given(
    st.binary(max_size=200)
    | st.recursive(st.none() | st.text(max_size=5), st.lists).map(lambda x: json.dumps(x).encode())
)
def test_from_json_raises_only_value_error(data: bytes) -> None:
    try:
        assert isinstance(SnapshotManifest.from_json(data), SnapshotManifest)
    except ValueError:
        return


@given(
    st.dictionaries(
        st.text(st.characters(categories=["L", "N"]), min_size=1),
        st.builds(SnapshotEntry, st.text("0123456789abcdef", min_size=64, max_size=64), st.integers(0)),
    )
)
def test_manifest_json_round_trips(files: dict[str, SnapshotEntry]) -> None:
    manifest = SnapshotManifest(content_version(SOURCE, files), SOURCE, files)
    assert SnapshotManifest.from_json(manifest.to_json()) == manifest
    assert manifest.version == content_version(SOURCE, dict(reversed(files.items())))


def test_verify_accepts_unchanged_folder(snapshot: Snapshot) -> None:
    assert verify(snapshot) == []


def test_verify_reports_every_difference(snapshot: Snapshot) -> None:
    (snapshot.root / "b.txt").write_bytes(b"bc")
    (snapshot.root / "xsd/a.xsd").unlink()
    (snapshot.root / "xsd/new.xsd").write_bytes(b"")
    assert verify(snapshot) == [
        SnapshotDifference("b.txt", "changed"),
        SnapshotDifference("xsd/a.xsd", "missing"),
        SnapshotDifference("xsd/new.xsd", "unknown"),
    ]
    for name in ("b.txt", "xsd/a.xsd"):
        with pytest.raises(ServiceError, match="snapshot-damaged"):
            snapshot.read(name)


def test_verify_reports_inconsistent_version(snapshot: Snapshot) -> None:
    manifest = snapshot.manifest
    other = SnapshotManifest("2026.1.0-000000000000", manifest.source, manifest.files)
    (snapshot.root / MANIFEST).write_bytes(other.to_json())
    assert verify(open_snapshot(snapshot.root)) == [SnapshotDifference(MANIFEST, "version")]
