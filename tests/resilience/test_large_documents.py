"""A document of ten thousand Conceptos through a real server, stamped in a child process."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from httpx2 import Client, Response
from lxml import etree
from psutil import Process  # type: ignore[import-untyped]
from tests.resilience.killing import workers_of
from tests.support.hostile_archives import HOSTILE
from tests.support.sealing import sealed
from tests.support.server import Server, minted, running, seed

from timbra import examples
from timbra.app.composition import open_container
from timbra.settings import Settings

FECHA = "2026-11-17T11:00:00"
CLOCK = {"TIMBRA_CLOCK": "2026-11-17T12:00:00"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("large")
    token = seed(data, clock=CLOCK["TIMBRA_CLOCK"])
    with running(data, token=token, environment=CLOCK) as started:
        yield started


@pytest.fixture(scope="module")
def small_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that never processed a large document: recording one takes memory after its answer."""
    data = tmp_path_factory.mktemp("small")
    token = seed(data, clock=CLOCK["TIMBRA_CLOCK"])
    with running(data, token=token, environment=CLOCK) as started:
        yield started


def archive(data: Path, concepts: int) -> bytes:
    credential = minted(data)
    with open_container(Settings(data=data)) as container:
        return zipped(sealed(container, examples.ingreso(fecha=FECHA, concepts=concepts), credential))


def zipped(document: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("archivo.xml", document)
    return buffer.getvalue()


def send(client: Client, path: str, content: bytes) -> Response:
    return client.post(path, files={"xml": ("zip", content, "application/octet-stream")})


def document_processes(worker: Process) -> list[int]:
    return [child.pid for child in worker.children() if "timbra.pools.worker" in child.cmdline()]


def test_stamp_zip_stamps_once_in_a_process_that_stays(server: Server) -> None:
    content = archive(server.data, 10_000)
    [worker] = workers_of(server)
    with server.client() as client:
        send(client, "/cfdi/stamp/v1/zip", b"no ZIP")
        assert document_processes(worker) == []
        first = send(client, "/cfdi/stamp/v1/zip/v1", content)
        started = document_processes(worker)
        again = send(client, "/cfdi/stamp/V1/zip", content)

    assert (first.status_code, first.json()["status"]) == (200, "success"), first.text[:500]
    assert again.json()["message"].startswith("307")
    assert again.json()["data"] == first.json()["data"]
    assert len(started) == 1
    assert document_processes(worker) == started
    assert list((server.data / "large").iterdir()) == []


def test_issue_zip_seals_and_stamps_an_unsealed_document(server: Server) -> None:
    minted(server.data)
    draft = zipped(examples.ingreso(fecha=FECHA, concepts=10_000).encode())
    with server.client() as client:
        rejected = send(client, "/cfdi/stamp/v1/zip", draft)
        issued = send(client, "/cfdi/issue/v1/zip/v3", draft)

    assert rejected.json()["message"].startswith("CFDI40106")
    assert (issued.status_code, issued.json()["status"]) == (200, "success"), issued.text[:500]
    root = etree.fromstring(issued.json()["data"]["cfdi"].encode())
    assert len(root.findall("{*}Conceptos/{*}Concepto")) == 10_000
    [stamp] = root.findall("{*}Complemento/{*}TimbreFiscalDigital")
    assert stamp.get("SelloCFD") == root.get("Sello") != ""


def test_stamp_zip_rejects_a_small_document(server: Server) -> None:
    with server.client() as client:
        answer = send(client, "/cfdi/stamp/v1/zip", archive(server.data, 3))

    assert answer.status_code == 400
    assert "entre 10000 y 120000 nodos cfdi:Concepto" in answer.json()["message"]


@pytest.mark.parametrize("case", ["bzip2", "no name", "overlapping", "offset into the content"])
def test_stamp_zip_rejects_a_hostile_archive_without_memory_growth(small_server: Server, case: str) -> None:
    [worker] = workers_of(small_server)
    before = worker.memory_info().rss
    with small_server.client() as client:
        answer = send(client, "/cfdi/stamp/v1/zip", HOSTILE[case])

    assert answer.status_code == 400
    assert answer.json()["message"].startswith("301 - ")
    assert "El archivo ZIP no se puede leer" in answer.json()["messageDetail"]
    assert worker.memory_info().rss - before < 32 * 1024 * 1024
