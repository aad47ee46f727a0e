"""An edition of catalogs is put in force under a running server: each request is answered, by old or new catalogs."""

from __future__ import annotations

import csv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from httpx2 import Client
from tests.support.forked_program import run
from tests.support.server import invoice, running, seed

from timbra.catalogs import SnapshotCatalogs
from timbra.snapshot import locate, open_snapshot

UNIT, ENDED = b'ClaveUnidad="Z9Z"', b'ClaveUnidad="E48"'
REJECTED = "CFDI40165"


def units(file: Path) -> Path:
    keys = SnapshotCatalogs(open_snapshot(locate(None))).keys("c_ClaveUnidad")
    with file.open("w", encoding="utf-8", newline="") as text:
        csv.writer(text).writerows([("c_ClaveUnidad",), *((key,) for key in (*keys, "Z9Z") if key != "E48")])
    return file


def issue(client: Client, xml: bytes) -> str:
    """Return the code of the rejection; empty for a stamp."""
    answer = client.post("/cfdi33/issue/v1", files={"xml": ("xml", xml)})
    assert answer.status_code in (200, 400), answer.text
    body = answer.json()
    return "" if body["status"] == "success" else str(body["message"]).partition(" ")[0]


@pytest.mark.parametrize("fast_path", ["off", "on"])
def test_server_takes_an_edition_without_a_restart_and_without_losing_a_request(tmp_path: Path, fast_path: str) -> None:
    data = tmp_path / "data"
    token = seed(data)
    template = invoice(data, "F0")
    documents = [template.replace(b'Folio="F0"', f'Folio="F{number}"'.encode()) for number in range(1, 1000)]
    file, stop = units(tmp_path / "c_ClaveUnidad.csv"), Event()
    environment = {"TIMBRA_FAST_PATH": fast_path}
    with running(data, token=token, workers=2, environment=environment) as server, server.client() as client:

        def stamp_all(first: int) -> list[str]:
            found = []
            for number in range(first, len(documents), 2):
                if stop.is_set():
                    break
                found.append(issue(client, documents[number]))
            return found

        with ThreadPoolExecutor() as threads:
            running_stamps = [threads.submit(stamp_all, first) for first in range(2)]
            try:
                before = client.get("/health").json()["data"]
                assert issue(client, template.replace(ENDED, UNIT)) == REJECTED
                installed = run("tests.support.guarded", "catalogs", "install", str(file), "--data", str(data))
                assert installed.returncode == 0, installed.stderr
                assert issue(client, template.replace(ENDED, UNIT)) == ""
                assert issue(client, template) == REJECTED
            finally:
                stop.set()
            answers = [code for each in running_stamps for code in each.result()]
        after = client.get("/health").json()["data"]
    assert set(answers) <= {"", REJECTED}
    assert "" in answers
    assert after["data_version"] != before["data_version"]
    assert (before["catalogs_edition"], after["catalogs_edition"]) == ("", installed.stdout.splitlines()[-1])
