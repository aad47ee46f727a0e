"""Backup and restore of a data folder: complete, verified, and without overwriting a folder in use."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable
from pathlib import Path
from stat import S_IMODE

import pytest
import zstandard
from tests.support.store_records import NOON, claim

from timbra.accounts.build import account_services
from timbra.app.composition import open_container
from timbra.backup.backup import BackupManifest, make_backup
from timbra.backup.restore import restore
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.seals.ports import trust_store
from timbra.settings import Settings
from timbra.stamping.build import stamping_services

MASTER_KEY = "master.key"

Change = Callable[[list[tuple[str, bytes]]], list[tuple[str, bytes]]]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a folder with a stamp, certificates and a list."""
    folder = tmp_path / "data"
    with open_container(Settings(data=folder)) as container:
        _ = container.get(account_services).accounts, container.get(trust_store)
        container.get(stamping_services).stamps.claim([claim(1)])
    for name in ("lists/LCO-1.list", "lists/lock", "lists/making-x/half", "lists/incoming/part.gz", "large/a.xml"):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    return folder


def backed_up(data: Path, archive: Path, *, key: bool = True) -> BackupManifest:
    with open_container(Settings(data=data)) as container:
        return make_backup(data, container.get(opened_database), archive, data / MASTER_KEY if key else None, NOON)


@pytest.fixture
def archive(tmp_path: Path, data: Path) -> Path:
    backed_up(data, tmp_path / "backup.tar.zst")
    return tmp_path / "backup.tar.zst"


def rejected(archive: Path, folder: Path, environment: str = "sandbox", *, force: bool = False) -> str:
    with pytest.raises(ServiceError) as caught:
        restore(archive, folder, environment, NOON, force=force)
    return caught.value.code


def test_restore_returns_all_files(tmp_path: Path, data: Path, archive: Path) -> None:
    folder = tmp_path / "restored"
    restore(archive, folder, "sandbox", NOON)
    with open_container(Settings(data=folder)) as container:
        assert container.get(stamping_services).stamps.by_seal(claim(1).record.seal_hash) is not None
        _ = container.get(account_services).accounts  # decrypts a secret with the master key
    assert (folder / "lists/LCO-1.list").read_text() == "lists/LCO-1.list"
    names = [path.name for path in (data / "certificates").iterdir()]
    assert names
    assert sorted(path.name for path in (folder / "certificates").iterdir()) == sorted(names)


def test_backup_excludes_temporary_files(archive: Path) -> None:
    names = {name for name, _ in members(archive)}
    assert "lists/LCO-1.list" in names
    assert names.isdisjoint({"lists/lock", "lists/making-x/half", "lists/incoming/part.gz", "large/a.xml"})
    assert not {name for name in names if name.endswith(("-wal", "-shm"))}


def test_backup_has_a_folder_of_lists_outside_the_data_folder(tmp_path: Path, data: Path) -> None:
    lists = tmp_path / "shared"
    (lists / "incoming").mkdir(parents=True)
    (lists / "LCO-2.list").write_text("shared")
    (lists / "incoming" / "part.gz").write_text("not complete")
    with open_container(Settings(data=data)) as container:
        manifest = make_backup(data, container.get(opened_database), tmp_path / "a", None, NOON, lists=lists)
    assert {name for name in manifest.files if name.startswith("lists/")} == {"lists/LCO-2.list"}
    restore(tmp_path / "a", tmp_path / "restored", "sandbox", NOON)
    assert (tmp_path / "restored/lists/LCO-2.list").read_text() == "shared"


def test_archive_and_secrets_have_mode_0600(tmp_path: Path, archive: Path) -> None:
    folder = tmp_path / "restored"
    restore(archive, folder, "sandbox", NOON)
    assert [S_IMODE(path.stat().st_mode) for path in (archive, folder / MASTER_KEY, folder / "timbra.db")] == [
        0o600
    ] * 3


def test_backup_contains_master_key_only_on_request(tmp_path: Path, data: Path) -> None:
    manifest = backed_up(data, tmp_path / "without", key=False)
    assert MASTER_KEY not in manifest.files
    assert (data / MASTER_KEY).read_bytes() not in zstandard.ZstdDecompressor().stream_reader(
        (tmp_path / "without").open("rb")
    ).read()


def test_backup_does_not_overwrite_archive(data: Path, archive: Path) -> None:
    before = archive.read_bytes()
    with pytest.raises(ServiceError, match="backup-exists"):
        backed_up(data, archive)
    assert archive.read_bytes() == before


def test_failed_backup_leaves_no_files(tmp_path: Path, data: Path) -> None:
    with pytest.raises(ServiceError, match="backup-storage"):
        backed_up(data, tmp_path / "nowhere" / "archive")
    assert not [path for path in data.iterdir() if path.name.startswith(".")]


def test_restore_rejects_folder_that_is_not_empty(data: Path, archive: Path) -> None:
    assert rejected(archive, data) == "restore-not-empty"


def test_restore_with_force_moves_content_aside(data: Path, archive: Path) -> None:
    with open_container(Settings(data=data)) as container:
        container.get(stamping_services).stamps.claim([claim(2)])
    restore(archive, data, "sandbox", NOON, force=True)
    [aside] = data.glob("replaced-*")
    for folder, later in ((data, False), (aside, True)):
        with open_container(Settings(data=folder)) as container:
            assert (container.get(stamping_services).stamps.by_seal(claim(2).record.seal_hash) is not None) is later


def test_restore_with_force_rejects_folder_in_use(data: Path, archive: Path) -> None:
    with open_container(Settings(data=data)) as container:
        container.get(opened_database).poll()
        assert rejected(archive, data, force=True) == "restore-in-use"
        container.get(stamping_services).stamps.claim([claim(3)])
    assert not list(data.glob("replaced-*"))


def test_restore_rejects_other_environment(tmp_path: Path, archive: Path) -> None:
    assert rejected(archive, tmp_path / "restored", "production") == "CO1000"
    assert list((tmp_path / "restored").iterdir()) == []


def members(archive: Path) -> list[tuple[str, bytes]]:
    plain = zstandard.ZstdDecompressor().stream_reader(archive.open("rb")).read()
    with tarfile.open(fileobj=io.BytesIO(plain)) as tar:
        return [(member.name, tar.extractfile(member).read()) for member in tar]  # type: ignore[union-attr]


def written(archive: Path, content: list[tuple[str, bytes]]) -> None:
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as tar:
        for name, data in content:
            header = tarfile.TarInfo(name)
            header.size = len(data)
            tar.addfile(header, io.BytesIO(data))
    archive.write_bytes(zstandard.ZstdCompressor().compress(plain.getvalue()))


DAMAGES: dict[str, Change] = {
    "a byte changed": lambda all_: [(name, b"X" + data[1:] if "list" in name else data) for name, data in all_],
    "a file missing": lambda all_: [pair for pair in all_ if "list" not in pair[0]],
    "a file more": lambda all_: [("more", b""), *all_],
    "twice the same": lambda all_: [all_[0], *all_],
    "outside of the folder": lambda all_: [("../evil", b""), *all_],
    "an absolute path": lambda all_: [("/var/evil", b""), *all_],
    "no manifest": lambda all_: all_[:-1],
    "more after the manifest": lambda all_: [*all_, ("more", b"")],
    "another manifest": lambda all_: [*all_[:-1], ("manifest.json", b'{"format": "other"}')],
    "no JSON": lambda all_: [*all_[:-1], ("manifest.json", b"\xff")],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_restore_of_damaged_archive_changes_nothing(tmp_path: Path, archive: Path, damage: str) -> None:
    written(archive, DAMAGES[damage](members(archive)))
    folder = tmp_path / "restored"
    assert rejected(archive, folder) == "backup-damaged"
    assert list(folder.iterdir()) == []
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize("left", [0.0, 0.5, 0.999])
def test_restore_of_truncated_archive_changes_nothing(tmp_path: Path, archive: Path, left: float) -> None:
    whole = archive.read_bytes()
    archive.write_bytes(whole[: int(len(whole) * left)])
    assert rejected(archive, tmp_path / "restored") == "backup-damaged"


def test_restore_rejects_missing_archive(tmp_path: Path) -> None:
    assert rejected(tmp_path / "none", tmp_path / "restored") == "backup-damaged"
