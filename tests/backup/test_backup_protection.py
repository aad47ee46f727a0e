"""Encrypted and signed backups, and restore drills that report what a backup contains."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.support.store_records import NOON, claim

from timbra.accounts.build import account_services
from timbra.accounts.certificates import certificate_services
from timbra.app.composition import open_container
from timbra.backup.backup import make_backup
from timbra.backup.protection import CreationKeys, OpeningKeys, create_keys, signature_file
from timbra.backup.reading import read_archive
from timbra.backup.restore import restore
from timbra.backup.restore_drill import DrillReport, RestoredServices, drill
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.settings import Settings
from timbra.stamping.build import stamping_services

MASTER_KEY = "master.key"
IDENTITY_FILE = "backup-identity.txt"
PUBLIC_KEY_FILE = "backup-signing.pub"
SIGNING_KEY_FILE = "backup-signing.pem"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("backup") / "data"
    with open_container(Settings(data=folder)) as container:
        _ = container.get(account_services).accounts
        container.get(stamping_services).stamps.claim([claim(number) for number in range(3)])
    return folder


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[CreationKeys, OpeningKeys]:
    folder = tmp_path_factory.mktemp("keys")
    recipient = create_keys(folder)
    return (
        CreationKeys([recipient], folder / SIGNING_KEY_FILE),
        OpeningKeys(folder / IDENTITY_FILE, folder / PUBLIC_KEY_FILE),
    )


@pytest.fixture
def archive(tmp_path: Path, data: Path, keys: tuple[CreationKeys, OpeningKeys]) -> Path:
    return backed_up(data, tmp_path / "backup.age", keys[0])


def backed_up(data: Path, archive: Path, keys: CreationKeys, *, master_key: bool = True) -> Path:
    with open_container(Settings(data=data)) as container:
        make_backup(
            data, container.get(opened_database), archive, data / MASTER_KEY if master_key else None, NOON, keys
        )
    return archive


def rejection(archive: Path, folder: Path, keys: OpeningKeys) -> str:
    with pytest.raises(ServiceError) as caught:
        restore(archive, folder, "sandbox", NOON, keys=keys)
    assert list(folder.iterdir()) == []
    return caught.value.code


def test_restore_opens_an_encrypted_and_signed_backup(
    tmp_path: Path, data: Path, archive: Path, keys: tuple[CreationKeys, OpeningKeys]
) -> None:
    assert (data / MASTER_KEY).read_bytes() not in archive.read_bytes()
    read = restore(archive, tmp_path / "restored", "sandbox", NOON, keys=keys[1])
    assert (read.provenance.encrypted, len(read.provenance.signed_by)) == (True, 16)
    assert (tmp_path / "restored" / MASTER_KEY).read_bytes() == (data / MASTER_KEY).read_bytes()


def test_restore_rejects_an_archive_with_any_changed_byte(
    tmp_path: Path, archive: Path, keys: tuple[CreationKeys, OpeningKeys]
) -> None:
    content = archive.read_bytes()
    for place in (0, 30, len(content) // 2, len(content) - 1):
        archive.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        assert rejection(archive, tmp_path / "restored", keys[1]) == "backup-signature"


def test_restore_without_public_key_detects_changes_by_the_encryption(
    tmp_path: Path, archive: Path, keys: tuple[CreationKeys, OpeningKeys]
) -> None:
    content = archive.read_bytes()
    unsigned = OpeningKeys(keys[1].identity)
    for changed in (content[:-1], content + b"a", content[:-40] + bytes(1) + content[-39:]):
        archive.write_bytes(changed)
        assert rejection(archive, tmp_path / "restored", unsigned) == "backup-damaged"


def test_restore_needs_the_keys_of_the_archive(
    tmp_path: Path, data: Path, archive: Path, keys: tuple[CreationKeys, OpeningKeys]
) -> None:
    create_keys(tmp_path / "others")
    others = OpeningKeys(tmp_path / "others" / IDENTITY_FILE, tmp_path / "others" / PUBLIC_KEY_FILE)
    folder = tmp_path / "restored"
    assert rejection(archive, folder, OpeningKeys()) == "backup-encrypted"
    assert rejection(archive, folder, OpeningKeys(others.identity)) == "backup-encrypted"
    assert rejection(archive, folder, others) == "backup-signature"
    signature_file(archive).unlink()
    assert rejection(archive, folder, keys[1]) == "backup-signature"
    plain = backed_up(data, tmp_path / "plain", CreationKeys())
    assert rejection(plain, folder, keys[1]) == "backup-signature"


def test_create_writes_nothing_with_a_wrong_key(tmp_path: Path, data: Path) -> None:
    for wrong in (CreationKeys(["age1nothing"]), CreationKeys((), tmp_path / "missing")):
        with pytest.raises(ServiceError, match="backup-key"):
            backed_up(data, tmp_path / "folder" / "a", wrong)
    assert list(tmp_path.iterdir()) == []


def test_create_keys_replaces_no_key(tmp_path: Path) -> None:
    create_keys(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ServiceError, match="backup-exists"):
        create_keys(tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert {path.stat().st_mode & 0o777 for path in before} == {0o600}


def test_read_archive_without_folder_verifies_every_hash(archive: Path, keys: tuple[CreationKeys, OpeningKeys]) -> None:
    assert MASTER_KEY in read_archive(archive, keys[1]).manifest.files


@contextmanager
def services(data: Path) -> Iterator[RestoredServices]:
    with open_container(Settings(data=data)) as container:
        yield RestoredServices(
            container.get(opened_database),
            container.get(stamping_services).stamps,
            lambda: container.get(certificate_services).vault,
        )


def drilled(archive: Path, keys: OpeningKeys, damage: str = "") -> DrillReport:
    @contextmanager
    def opened(data: Path) -> Iterator[RestoredServices]:
        with services(data) as restored:
            if damage:
                with restored.database.write() as connection:
                    connection.execute(text(damage))
            yield restored

    return drill(archive, "sandbox", NOON, opened, keys=keys, folder=archive.parent)


@pytest.fixture
def sealed_archive(tmp_path: Path) -> Path:
    """Return a backup with stamps whose documents have their seals."""
    folder = tmp_path / "sealed"
    claims = []
    for number in range(3):
        one = claim(number)
        cfdi = f'<c Sello="AAA{number}" UUID="{one.record.uuid.upper()}"/>'.encode()
        seal = sha256(b"\0\0" + bytes([(52 + number)])).digest()
        claims.append(replace(one, record=replace(one.record, cfdi=cfdi, seal_hash=seal)))
    with open_container(Settings(data=folder)) as container:
        _ = container.get(account_services).accounts
        container.get(stamping_services).stamps.claim(claims)
    return backed_up(folder, tmp_path / "sealed.tar.zst", CreationKeys())


def test_drill_reads_everything_back(sealed_archive: Path) -> None:
    before = sorted(path.name for path in sealed_archive.parent.iterdir())
    report = drilled(sealed_archive, OpeningKeys())
    assert report.problems == []
    assert (report.read_back, report.counts["stamps"], report.counts["deliveries"], report.keys) == (3, 3, 3, 0)
    assert report.newest_stamp == NOON.isoformat()
    assert sorted(path.name for path in sealed_archive.parent.iterdir()) == before


DAMAGES = {
    "DELETE FROM event WHERE id = (SELECT min(id) FROM event WHERE kind = 'stamped')": "eventos",
    "UPDATE stamp SET cfdi = x'01AA' WHERE cursor = 2": "document",
    "UPDATE stamp SET uuid = (SELECT uuid FROM stamp WHERE cursor = 1) WHERE cursor = 2": "folios",
    "UPDATE stamp SET seal_hash = zeroblob(32) WHERE cursor = 1": "sello",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_drill_reports_inconsistent_rows(sealed_archive: Path, damage: str) -> None:
    report = drilled(sealed_archive, OpeningKeys(), damage)
    assert any(DAMAGES[damage] in problem for problem in report.problems), report.problems


def test_drill_names_every_damaged_document_and_reads_the_others(sealed_archive: Path) -> None:
    report = drilled(sealed_archive, OpeningKeys(), "UPDATE stamp SET cfdi = x'01AA' WHERE cursor < 3")
    assert (report.read_back, sum("damaged stored document" in problem for problem in report.problems)) == (1, 2)


def test_drill_reports_a_missing_master_key_and_a_damaged_archive(tmp_path: Path, data: Path) -> None:
    archive = backed_up(data, tmp_path / "a", CreationKeys(), master_key=False)
    assert any("llave maestra" in problem for problem in drilled(archive, OpeningKeys()).problems)
    archive.write_bytes(archive.read_bytes()[:-5])
    report = drilled(archive, OpeningKeys())
    assert (len(report.problems), report.counts) == (1, {})
