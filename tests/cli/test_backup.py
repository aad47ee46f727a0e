"""`timbra backup` under load, and what `timbra restore` makes of it: no answered stamp is missing, 307 works there."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from httpx2 import Client
from tests.support.server import Server, furnish, invoice, running
from typer.testing import CliRunner

from timbra.cli.main import app
from timbra.settings import Settings
from timbra.wiring import open_house

CLIENTS = 3


class Load:
    """Clients that stamp until they are stopped. told: folio of the document to UUID of its stamp, once answered."""

    def __init__(self, server: Server, documents: list[bytes]) -> None:
        self._server = server
        self._documents = documents
        self._stopped = threading.Event()
        self._progress = threading.Semaphore(0)
        self.told: dict[int, str] = {}
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
                self.told[number] = uuid_of(client, self._documents[number], 200)
                self._progress.release()


def uuid_of(client: Client, xml: bytes, status: int) -> str:
    answer = client.post("/cfdi33/issue/v4", files={"xml": ("a.xml", xml)})
    assert answer.status_code == status
    return str(answer.json()["data"]["uuid"])


def timbra(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "timbra.cli", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_a_backup_under_load_holds_every_answered_stamp(tmp_path: Path) -> None:
    data, restored, archive = tmp_path / "data", tmp_path / "restored", tmp_path / "backup"
    token = furnish(data)
    sample = invoice(data, "SAMPLE")
    documents = [sample.replace(b"SAMPLE", str(number).encode()) for number in range(3000)]
    with running(data, token=token, workers=2) as server:
        load = Load(server, documents)
        try:
            load.wait_for(30)
            before = dict(load.told)
            made = timbra("backup", str(archive), "--include-master-key", "--data", str(data))
            load.wait_for(1)
        finally:
            load.stop()
    assert (made.returncode, made.stderr) == (0, "")
    assert timbra("restore", str(archive), "--data", str(restored)).returncode == 0
    with running(restored, token=token) as server, server.client() as client:
        assert {number: uuid_of(client, documents[number], 400) for number in before} == before
        assert len(load.told) > len(before)


def test_without_the_master_key_it_is_said(tmp_path: Path) -> None:
    data, archive = tmp_path / "data", tmp_path / "backup"
    furnish(data)
    made = CliRunner().invoke(app, ["backup", str(archive), "--data", str(data)])
    assert (made.exit_code, "master key" in made.stderr) == (0, True)
    back = CliRunner().invoke(app, ["restore", str(archive), "--data", str(tmp_path / "restored")])
    assert (back.exit_code, str(tmp_path / "restored" / "master.key") in back.stderr) == (0, True)
    assert back.stdout == made.stdout


def test_a_key_that_is_no_file_cannot_be_included(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIMBRA_MASTER_KEY", "A" * 43 + "=")
    made = CliRunner().invoke(
        app, ["backup", str(tmp_path / "b"), "--include-master-key", "--data", str(tmp_path / "d")]
    )
    assert made.exit_code == 2
    assert not (tmp_path / "b").exists()


def test_a_refusal_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "something").touch()
    back = CliRunner().invoke(app, ["restore", str(tmp_path / "none"), "--data", str(tmp_path / "full")])
    assert back.exit_code == 1
    assert len(back.stderr.splitlines()) == 1


def test_settings_may_name_the_key_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIMBRA_MASTER_KEY_FILE", str(tmp_path / "elsewhere.key"))
    archive, restored = tmp_path / "backup", tmp_path / "restored"
    furnish(tmp_path / "data", master_key_file=tmp_path / "elsewhere.key")
    command = ["backup", str(archive), "--include-master-key", "--data", str(tmp_path / "data")]
    assert CliRunner().invoke(app, command).exit_code == 0
    monkeypatch.delenv("TIMBRA_MASTER_KEY_FILE")
    assert CliRunner().invoke(app, ["restore", str(archive), "--data", str(restored)]).exit_code == 0
    with open_house(Settings(data=restored)) as house:
        _ = house.accounts  # opens a secret
