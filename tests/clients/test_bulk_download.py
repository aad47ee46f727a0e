"""Released clients of the SAT's bulk download with the emulator of `timbra dev`, from login to the last package.

Only the addresses of the services are changed. Each client asks for an example month: XML of what was issued, metadata
of what was received, a third equal request, and a verification with an expired token.
"""

from __future__ import annotations

import io
import json
import shutil
import subprocess
from base64 import b64decode
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from httpx2 import Client
from tests.support.dev_server import DevServer, running_dev
from tests.support.requirements import need
from tests.support.satcfdi_names import SAT, Signer, SWSapien, sat_module

HERE = Path(__file__).parent
CFDICLIENT = HERE.parents[1] / ".venv-clients" / "bin" / "python"
LIBRARY = HERE / "node" / "node_modules" / "@nodecfdi" / "sat-ws-descarga-masiva"
RFC, UNTIL = "EKU9003173C9", "2026-10-31T23:59:59"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevServer]:
    with running_dev("--data", str(tmp_path_factory.mktemp("clients") / "data"), "--month", "2026-10") as started:
        yield started


def arguments(server: DevServer, second: int, separator: str = "T") -> list[str]:
    """Return the arguments of a client program; each client has a period of its own, for the life-time limit."""
    address = f"{server.printed['sat']}/descarga-masiva/cfdi"
    since = f"2026-10-01{separator}00:00:{second:02d}"
    return [address, server.printed["sat-control"], server.printed["efirma"], RFC, since, UNTIL.replace("T", separator)]


def require_whole_month(results: dict[str, Any]) -> None:
    """Check what a client program printed."""
    assert (results["issued"]["count"], len(results["issued"]["found"])) == (112, 112)
    assert results["received"]["count"] == 73
    codes = [str(results[name]["code"]) for name in ("issued", "received")]
    assert [*codes, *(str(results[name]) for name in ("second", "third", "expired", "renewed"))] == [
        "5000",
        "5000",
        "5000",
        "5002",
        "300",
        "5004",
    ]


def test_nodecfdi_downloads_a_month(server: DevServer) -> None:
    need("node", shutil.which("node"), "Node.js is not installed")
    need("node", LIBRARY.is_dir(), "npm ci --prefix tests/clients/node was not run")
    command = ["node", "bulk_download.mjs", *arguments(server, 1, " ")]
    done = subprocess.run(command, cwd=HERE / "node", capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    require_whole_month(results)
    assert len(results["received"]["found"]) == 73


def test_cfdiclient_downloads_a_month(server: DevServer) -> None:
    need("cfdiclient", CFDICLIENT.is_file(), "make clients was not run")
    command = [str(CFDICLIENT), str(HERE / "cfdiclient_download.py"), *arguments(server, 2)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    require_whole_month(json.loads(done.stdout))


@pytest.fixture
def satcfdi_client(server: DevServer, monkeypatch: pytest.MonkeyPatch) -> Any:
    need("satcfdi", SWSapien, "the package is not installed")
    registers = {"cfdi": "cfdi", "rete": "retenciones"}
    for service in vars(sat_module).values():
        url = vars(service).get("soap_url") if isinstance(service, type) else None
        if url:
            register = registers[url.removeprefix("https://")[:4]]
            address = f"{server.printed['sat']}/descarga-masiva/{register}{url.partition('.mx')[2]}"
            monkeypatch.setattr(service, "soap_url", address)
    files = Path(server.printed["efirma"]) / RFC
    signer = Signer.load(
        certificate=files.with_suffix(".cer").read_bytes(),
        key=files.with_suffix(".key").read_bytes(),
        password=files.with_suffix(".txt").read_text(),
    )
    return SAT(signer=signer)


def period(second: int) -> dict[str, datetime]:
    since = datetime.fromisoformat(f"2026-10-01T00:00:{second:02d}")
    return {"fecha_inicial": since, "fecha_final": datetime.fromisoformat(UNTIL)}


@pytest.mark.filterwarnings("ignore:X509.get_:DeprecationWarning")
def test_satcfdi_downloads_a_month(server: DevServer, satcfdi_client: Any) -> None:
    client = satcfdi_client

    def issued() -> dict[str, Any]:
        return dict(client.recover_comprobante_emitted_request(**period(3), estado_comprobante="Vigente"))

    def files(identifier: str, status: Any, download: Any) -> list[str]:
        found = status(identifier)
        while found["EstadoSolicitud"] in (1, 2):
            found = status(identifier)
        names = []
        for package in found["IdsPaquetes"]:
            with ZipFile(io.BytesIO(b64decode(download(package)[1]))) as archive:
                names += archive.namelist()
        return names

    status, download = client.recover_comprobante_status, client.recover_comprobante_download
    assert len(files(issued()["IdSolicitud"], status, download)) == 112
    received = client.recover_comprobante_received_request(**period(3), tipo_solicitud="Metadata")
    assert len(files(received["IdSolicitud"], status, download)) == 2
    files(issued()["IdSolicitud"], status, download)
    third = issued()
    assert third["CodEstatus"] == "5002"
    retenciones = client.recover_retencion_emitted_request(**period(3), estado_comprobante="Vigente")
    reten = (client.recover_retencion_status, client.recover_retencion_download)
    assert len(files(retenciones["IdSolicitud"], *reten)) == 1
    with Client() as control:
        assert control.post(f"{server.printed['sat-control']}/tokens/expire", json={}).status_code == 200
    assert status(third["IdSolicitud"])["CodEstatus"] == "300"
    client.token_comprobante = None
    assert status(third["IdSolicitud"])["CodEstatus"] == "5004"
