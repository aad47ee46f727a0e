"""`timbra backup` while clients stamp, and `timbra restore`: every answered stamp is restored; repetitions get 307."""

from __future__ import annotations

import sqlite3
import subprocess
import threading
from contextlib import closing
from pathlib import Path

import pytest
from httpx2 import Client
from tests.support.data_folder import create_data
from tests.support.forked_program import run
from tests.support.server import Server, invoice, running, seed
from tests.support.store_records import claim
from typer.testing import CliRunner

from timbra.accounts.build import account_services
from timbra.app.composition import open_container
from timbra.cli.main import app
from timbra.settings import Settings
from timbra.stamping.build import stamping_services

CLIENTS = 3


class StampingClients:
    """Clients that stamp until they are stopped. uuids: UUID of each answered stamp by folio of its document."""

    def __init__(self, server: Server, documents: list[bytes]) -> None:
        self._server = server
        self._documents = documents
        self._stopped = threading.Event()
        self._progress = threading.Semaphore(0)
        self.uuids: dict[int, str] = {}
        self._threads = [threading.Thread(target=self._work, args=(number,)) for number in range(CLIENTS)]
        for thread in self._threads:
            thread.start()

    def wait_for(self, answers: int) -> None:
        for _ in range(answers):
            assert self._progress.acquire(timeout=30)

    def stop(self) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join(30)

    def _work(self, first: int) -> None:
        with self._server.client() as client:
            for number in range(first, len(self._documents), CLIENTS):
                if self._stopped.is_set():
                    return
                self.uuids[number] = post_document(client, self._documents[number], 200)
                self._progress.release()


def post_document(client: Client, xml: bytes, status: int) -> str:
    answer = client.post("/cfdi33/issue/v4", files={"xml": ("a.xml", xml)})
    assert answer.status_code == status
    return str(answer.json()["data"]["uuid"])


def timbra(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run("timbra.cli", *arguments)


def test_backup_contains_every_answered_stamp_when_clients_stamp_meanwhile(tmp_path: Path) -> None:
    data, restored, archive = tmp_path / "data", tmp_path / "restored", tmp_path / "backup"
    token = seed(data)
    sample = invoice(data, "SAMPLE")
    documents = [sample.replace(b"SAMPLE", str(number).encode()) for number in range(3000)]
    with running(data, token=token, workers=2) as server:
        clients = StampingClients(server, documents)
        try:
            clients.wait_for(30)
            before = dict(clients.uuids)
            backup = timbra("backup", str(archive), "--include-master-key", "--data", str(data))
            clients.wait_for(1)
        finally:
            clients.stop()
    assert (backup.returncode, backup.stderr) == (0, "")
    assert timbra("restore", str(archive), "--data", str(restored)).returncode == 0
    with running(restored, token=token) as server, server.client() as client:
        assert {number: post_document(client, documents[number], 400) for number in before} == before
        assert len(clients.uuids) > len(before)


def test_backup_and_restore_report_a_missing_master_key(tmp_path: Path) -> None:
    data, archive = tmp_path / "data", tmp_path / "backup"
    seed(data)
    backup = CliRunner().invoke(app, ["backup", str(archive), "--data", str(data)])
    assert (backup.exit_code, "master key" in backup.stderr) == (0, True)
    restore = CliRunner().invoke(app, ["restore", str(archive), "--data", str(tmp_path / "restored")])
    assert (restore.exit_code, str(tmp_path / "restored" / "master.key") in restore.stderr) == (0, True)
    assert restore.stdout == backup.stdout


def test_backup_rejects_including_a_master_key_that_is_not_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIMBRA_MASTER_KEY", "A" * 43 + "=")
    backup = CliRunner().invoke(
        app, ["backup", str(tmp_path / "b"), "--include-master-key", "--data", str(create_data(tmp_path / "d"))]
    )
    assert backup.exit_code == 2
    assert not (tmp_path / "b").exists()


def test_restore_prints_an_error_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "something").touch()
    restore = CliRunner().invoke(app, ["restore", str(tmp_path / "none"), "--data", str(tmp_path / "full")])
    assert restore.exit_code == 1
    assert len(restore.stderr.splitlines()) == 1


def test_backup_includes_the_key_file_of_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIMBRA_MASTER_KEY_FILE", str(tmp_path / "elsewhere.key"))
    archive, restored = tmp_path / "backup", tmp_path / "restored"
    seed(tmp_path / "data", master_key_file=tmp_path / "elsewhere.key")
    command = ["backup", str(archive), "--include-master-key", "--data", str(tmp_path / "data")]
    assert CliRunner().invoke(app, command).exit_code == 0
    monkeypatch.delenv("TIMBRA_MASTER_KEY_FILE")
    assert CliRunner().invoke(app, ["restore", str(archive), "--data", str(restored)]).exit_code == 0
    with open_container(Settings(data=restored)) as container:
        _ = container.get(account_services).accounts  # decrypts a secret


def test_backup_create_replaces_a_verified_archive_with_a_drill(tmp_path: Path) -> None:
    data, archive = tmp_path / "data", tmp_path / "backup"
    seed(data)
    command = ["backup", "create", str(archive), "--replace", "--drill", "--data", str(data)]
    for _ in range(2):
        made = CliRunner().invoke(app, command)
        assert (made.exit_code, "problems" in made.stdout) == (0, True), made.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "data"]
    assert CliRunner().invoke(app, ["backup", "verify", str(archive)]).exit_code == 0


def test_backup_create_keeps_the_former_archive_when_the_drill_finds_a_problem(tmp_path: Path) -> None:
    data, archive = tmp_path / "data", tmp_path / "backup"
    seed(data)
    with open_container(Settings(data=data)) as container:
        container.get(stamping_services).stamps.claim([claim(1)])
    archive.write_bytes(b"the former one")
    damage = "UPDATE stamp SET seal_hash = zeroblob(32)"
    with closing(sqlite3.connect(data / "timbra.db")) as connection:
        connection.execute("PRAGMA trusted_schema=ON")
        for [trigger] in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")
        connection.execute(damage)
        connection.commit()
    command = ["backup", "create", str(archive), "--replace", "--drill", "--data", str(data)]
    made = CliRunner().invoke(app, command)
    assert made.exit_code == 1
    assert "no tiene el sello" in made.output
    assert archive.read_bytes() == b"the former one"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "data"]


@pytest.mark.parametrize("option", ["--replace", "--drill"])
def test_backup_create_needs_the_private_key_to_verify_an_encrypted_archive(tmp_path: Path, option: str) -> None:
    data, keys = create_data(tmp_path / "data"), tmp_path / "keys"
    recipient = CliRunner().invoke(app, ["backup", "keys", str(keys)]).stdout.strip()
    command = ["backup", "create", str(tmp_path / "b"), option, "--recipient", recipient, "--data", str(data)]
    command += ["--signing-key", str(keys / "backup-signing.pem")]
    assert CliRunner().invoke(app, command).exit_code == 2
    opening = ["--identity", str(keys / "backup-identity.txt"), "--public-key", str(keys / "backup-signing.pub")]
    made = CliRunner().invoke(app, [*command, *opening])
    assert made.exit_code == 0, made.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "b.minisig", "data", "keys"]
    assert CliRunner().invoke(app, ["backup", "verify", str(tmp_path / "b"), *opening]).exit_code == 0
