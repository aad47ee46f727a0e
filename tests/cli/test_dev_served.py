"""`timbra dev` as a program: what it prints works, over HTTP and HTTPS."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from httpx2 import Client, ConnectError
from tests.support.dev_server import DevServer, running_dev
from tests.support.requirements import need

from timbra import examples
from timbra.app.composition import open_container
from timbra.core.clock import CENTRAL_MEXICO
from timbra.operations.build import operations_services
from timbra.rejections.store import RejectionFilter
from timbra.settings import Settings

SERVICES = "services.test.sw.com.mx"
LOCAL_FORMAT = "%Y-%m-%dT%H:%M:%S"

CSRF_TOKEN = re.compile(r'name="csrf_token" value="([0-9a-f]+)"')
USED = "El enlace para entrar ya se usó"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("dev") / "data"


@pytest.fixture(scope="module")
def server(data: Path) -> Iterator[DevServer]:
    with running_dev("--data", str(data)) as started:
        yield started


@pytest.fixture(scope="module")
def secure_server(data: Path) -> Iterator[DevServer]:
    with running_dev("--https", "--data", str(data)) as started:
        yield started


def invoice(issuer: examples.ExampleParty = examples.KEMPER) -> bytes:
    fecha = datetime.now(CENTRAL_MEXICO) - timedelta(minutes=5)
    return examples.ingreso(fecha=fecha.strftime(LOCAL_FORMAT), issuer=issuer).encode()


def issue(client: Client, token: str, document: bytes) -> dict[str, object]:
    headers = {"Authorization": f"Bearer {token}"}
    return dict(client.post("/cfdi33/issue/v4", files={"xml": ("a.xml", document)}, headers=headers).json())


def client_for(server: DevServer, **options: object) -> Client:
    return Client(base_url=server.printed["api"], timeout=30, **options)  # type: ignore[arg-type]


def test_dev_prints_the_address_of_the_documentation(server: DevServer) -> None:
    with client_for(server) as client:
        assert client.get(f"{server.printed['docs']}api/").status_code == 200


def test_dev_runs_the_emulator_of_the_sat_over_its_sandbox(server: DevServer) -> None:
    base = f"{server.printed['sat']}/descarga-masiva"
    assert {name: value for name, value in server.printed.items() if name.startswith("TIMBRA_SAT_BULK_")} == {
        "TIMBRA_SAT_BULK_AUTHENTICATION_URL": f"{base}/cfdi/Autenticacion/Autenticacion.svc",
        "TIMBRA_SAT_BULK_REQUEST_URL": f"{base}/cfdi/SolicitaDescargaService.svc",
        "TIMBRA_SAT_BULK_VERIFICATION_URL": f"{base}/cfdi/VerificaSolicitudDescargaService.svc",
        "TIMBRA_SAT_BULK_DOWNLOAD_URL": f"{base}/cfdi/DescargaMasivaService.svc",
        "TIMBRA_SAT_BULK_RETENCIONES_URL": f"{base}/retenciones",
    }
    with Client(timeout=30) as client:
        assert client.get(f"{server.printed['sat-control']}/state").json()["address"] == server.printed["sat"]
        answer = client.post(server.printed["TIMBRA_SAT_BULK_REQUEST_URL"], content=b"<a/>")
        assert (answer.status_code, b"faultstring" in answer.content) == (500, True)


@pytest.mark.parametrize("name", ["portal", "validator", "openapi", "metrics", "health"])
def test_dev_prints_addresses_that_answer(server: DevServer, name: str) -> None:
    with client_for(server, follow_redirects=True) as client:
        assert client.get(server.printed[name]).status_code == 200


@pytest.mark.parametrize("issuer", [examples.KEMPER, examples.XODAR], ids=lambda party: party.rfc)
def test_dev_prints_a_token_that_issues(server: DevServer, issuer: examples.ExampleParty) -> None:
    assert issuer.rfc in server.printed["rfc"].split()
    with client_for(server) as client:
        assert issue(client, server.printed["token"], invoice(issuer))["status"] == "success"


def test_dev_prints_credentials_that_log_in(server: DevServer) -> None:
    printed = server.printed
    with client_for(server) as client:
        credentials = {"user": printed["user"], "password": printed["password"]}
        assert client.post("/v2/security/authenticate", json=credentials).json()["status"] == "success"


def test_dev_prints_a_link_that_signs_in_once(server: DevServer) -> None:
    link = server.printed["link"]
    with client_for(server) as client:
        (found,) = set(CSRF_TOKEN.findall(client.get(link).text))
        assert client.post(link, data={"csrf_token": found}).status_code == 303
        assert server.printed["user"] in client.get("/portal").text
    with client_for(server) as other:
        answer = other.get(link)
        assert (answer.status_code, USED in answer.text) == (404, True)


def test_dev_prints_a_command_that_issues_an_example(server: DevServer, tmp_path: Path) -> None:
    need("curl", shutil.which("curl"), "curl is not installed")
    program = tmp_path / "timbra"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m timbra.cli "$@"\n')
    program.chmod(0o755)
    variables = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    answer = subprocess.run(
        ["sh", "-c", server.printed["curl"]], capture_output=True, text=True, env=variables, check=True, timeout=60
    )
    assert '"status":"success"' in answer.stdout


def test_dev_keeps_rejected_documents(server: DevServer, data: Path) -> None:
    with client_for(server) as client:
        rejected = issue(client, server.printed["token"], invoice().replace(b'Moneda="MXN"', b'Moneda="ZZZ"'))
    assert rejected["status"] == "error"
    with open_container(Settings(data=data)) as container:
        store = container.get(operations_services).rejection_store
        deadline = time.monotonic() + 10
        while not store.page(RejectionFilter(None)).rejections:
            assert time.monotonic() < deadline, "the rejection was not written"
            time.sleep(0.1)
        assert [row.has_document for row in store.page(RejectionFilter(None)).rejections] == [True]


def test_dev_https_serves_names_that_its_ca_certifies(secure_server: DevServer) -> None:
    context = ssl.create_default_context(cafile=secure_server.printed["ca"])
    with client_for(secure_server, verify=context) as client:
        assert client.get("/health").status_code == 200
        assert issue(client, secure_server.printed["token"], invoice())["status"] == "success"
        vendor = client.get("/health", headers={"Host": SERVICES}, extensions={"sni_hostname": SERVICES})
        assert vendor.status_code == 200
        cookie = client.get(secure_server.printed["link"]).headers["set-cookie"]
        assert "secure" in cookie.casefold()


def test_dev_https_is_not_trusted_without_its_ca(secure_server: DevServer) -> None:
    with client_for(secure_server) as client, pytest.raises(ConnectError):
        client.get("/health")


def test_dev_https_mentions_hosts_and_port(secure_server: DevServer) -> None:
    assert any("--port 443" in note for note in secure_server.notes)
    assert any(f"127.0.0.1 {SERVICES}" in note for note in secure_server.notes)


def test_dev_without_data_removes_its_folder(tmp_path: Path) -> None:
    with running_dev("--seed", str(Path(__file__).resolve().parents[2] / "deploy" / "seed.yaml")) as started:
        folder = Path(started.printed["data"])
        assert (folder / "efirma" / "ABC010203AB9.key").stat().st_mode & 0o777 == 0o600
        assert "--data" in started.printed["curl"]
    assert started.process.returncode == 0
    assert not folder.exists()
