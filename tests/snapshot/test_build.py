"""Building a snapshot: from a wheel with the right hash, reproducible, completely or not at all."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.sat import schemas_wheel, whole_wheel

from timbra.core.errors import ServiceError
from timbra.snapshot import Snapshot, SnapshotSource, locate, open_snapshot, verify
from timbra.snapshot.build import STEPS, build, source
from timbra.snapshot.build.folder import replace_folder
from timbra.snapshot.build.source import PINNED
from timbra.snapshot.manifest import to_entry


def silent(_step: str, _done: int, _all: int) -> None:
    """Ignore the progress."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, SnapshotSource]:
    file = tmp_path_factory.mktemp("wheel") / "satcfdi.whl"
    return file, whole_wheel(file)


@pytest.fixture(scope="module")
def reported() -> list[tuple[str, int, int]]:
    """The progress of the build."""
    return []


@pytest.fixture(scope="module")
def built(
    wheel: tuple[Path, SnapshotSource], reported: list[tuple[str, int, int]], tmp_path_factory: pytest.TempPathFactory
) -> Snapshot:
    """A snapshot in a folder that had other content."""
    destination = tmp_path_factory.mktemp("built") / "sat-data"
    destination.mkdir()
    (destination / "old.txt").write_text("old")
    return build(destination, wheel[0], lambda *step: reported.append(step), wheel[1])


def test_build_is_complete_and_verifies(built: Snapshot) -> None:
    assert verify(built) == []
    folders = {name.partition("/")[0] for name in built.manifest.files}
    assert folders == {"xsd", "cadena", "catalogs", "editions.json", "labels", "qr"}
    assert built.version.startswith("2026.10.1-")


def test_build_replaces_the_folder_and_tells_its_steps(built: Snapshot, reported: list[tuple[str, int, int]]) -> None:
    assert [path.name for path in built.root.parent.iterdir()] == ["sat-data"]
    assert not (built.root / "old.txt").exists()
    assert [done for _, done, _ in reported] == list(range(STEPS + 1))
    assert {total for _, _, total in reported} == {STEPS}


def test_build_is_reproducible(built: Snapshot) -> None:
    """The checkout has what another process built from the whole wheel."""
    of_checkout = open_snapshot(locate(None))
    assert (built.version, built.manifest.files) == (of_checkout.version, of_checkout.manifest.files)


def test_build_rejects_wheel_with_another_hash(wheel: tuple[Path, SnapshotSource], built: Snapshot) -> None:
    before = built.manifest
    with pytest.raises(ServiceError, match="SHA-256") as rejection:
        build(built.root, wheel[0], silent, PINNED)
    assert rejection.value.code == "snapshot-source"
    assert open_snapshot(built.root).manifest == before


def test_build_keeps_old_folder_when_wheel_is_incomplete(built: Snapshot, tmp_path: Path) -> None:
    file = tmp_path / "partial.whl"
    file.write_bytes(schemas_wheel())
    with pytest.raises(ServiceError, match="snapshot-source"):
        build(built.root, file, silent, _source_of(file))
    assert verify(built) == []
    assert [path.name for path in built.root.parent.iterdir()] == [built.root.name]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=300), cut=st.integers(0, 5000))
def test_build_rejects_any_bytes_with_the_right_hash(tmp_path: Path, content: bytes, cut: int) -> None:
    for data in (content, schemas_wheel()[-cut - 22 :]):
        file = tmp_path / "any.whl"
        file.write_bytes(data)
        with pytest.raises(ServiceError, match="snapshot-source"):
            build(tmp_path / "out", file, silent, _source_of(file))
        assert not (tmp_path / "out").exists()


def test_build_rejects_schemas_with_entity_or_without_root(tmp_path: Path) -> None:
    file = tmp_path / "hostile.whl"
    name = "satcfdi/transform/schemas/www.sat.gob.mx/sitio_internet/cfd/x.xsd"
    for content in ('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]><a>&b;', "", "<a/>"):
        with zipfile.ZipFile(file, "w") as opened:
            opened.writestr(name, content)
        with pytest.raises(ServiceError, match="snapshot-source"):
            build(tmp_path / "out", file, silent, _source_of(file))


def test_build_rejects_missing_wheel(tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match="snapshot-source"):
        build(tmp_path / "out", tmp_path / "none.whl", silent)


def test_replace_folder_keeps_old_folder_on_failure(tmp_path: Path) -> None:
    destination = tmp_path / "data"
    with replace_folder(destination) as fresh:
        (fresh / "a").write_text("1")
    with pytest.raises(ZeroDivisionError), replace_folder(destination) as fresh:
        (fresh / "a").write_text(str(1 / 0))
    assert (destination / "a").read_text() == "1"
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_download_requests_only_the_pinned_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request: dict[str, object] = {}

    def fake(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        request["command"] = command
        request["requirement"] = Path(command[command.index("-r") + 1]).read_text()
        (tmp_path / "satcfdi-26.10.1-py3-none-any.whl").write_bytes(b"")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", fake)
    assert source.download(PINNED, tmp_path).name == "satcfdi-26.10.1-py3-none-any.whl"
    assert request["requirement"] == f"satcfdi==26.10.1 --hash=sha256:{PINNED.sha256}\n"
    command = request["command"]
    assert isinstance(command, list)
    assert {"--no-deps", "--only-binary=:all:", "--require-hashes"} <= set(command)


def test_download_reports_the_error_of_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = subprocess.CompletedProcess([], 1, "", "warning\nERROR: no network\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: answer)
    with pytest.raises(ServiceError, match="ERROR: no network") as rejection:
        source.download(PINNED, tmp_path)
    assert "--wheel" in str(rejection.value)


def _source_of(file: Path) -> SnapshotSource:
    return SnapshotSource("satcfdi", "26.10.1", to_entry(file.read_bytes()).sha256)
