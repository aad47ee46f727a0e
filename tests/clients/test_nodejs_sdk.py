"""The vendor's Node.js SDK with a real server on port 80, the only port that it supports."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.support.requirements import need
from tests.support.server import PASSWORD, USER, Server, minted, running, sealed_invoice, seed
from tests.support.signing import signed

from timbra import examples
from timbra.cfdi.cancelacion.request import Cancelacion, Folio
from timbra.sandbox.authority.certificates.authority import MintedCredential

NODE = Path(__file__).parent / "node"
EXAMPLE = Path(__file__).parents[2] / "examples/node/sdk.cjs"
ADDRESS = "127.0.0.80"


def port_80_is_free() -> bool:
    with socket.socket() as trial:
        try:
            trial.bind((ADDRESS, 80))
        except OSError:
            return False
    return True


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    need("node", shutil.which("node"), "Node.js is not installed")
    need("node", (NODE / "node_modules/sw-sdk-nodejs").is_dir(), "npm ci --prefix tests/clients/node was not run")
    need("port80", port_80_is_free(), "port 80 cannot be bound here")
    data = tmp_path_factory.mktemp("node") / "data"
    with running(data, token=seed(data), host=ADDRESS, port=80) as started:
        yield started


@pytest.fixture(scope="module")
def credential(server: Server) -> MintedCredential:
    return minted(server.data)


def stamp(server: Server, file: Path, version: str, encoding: str = "xml") -> dict[str, Any]:
    return answer_to("stamp.js", ADDRESS, USER, PASSWORD, version, str(file), encoding)


def answer_to(*words: str) -> dict[str, Any]:
    answer = subprocess.run(["node", *words], cwd=NODE, capture_output=True, text=True, timeout=60, check=True)
    return dict(json.loads(answer.stdout))


@pytest.mark.parametrize(
    ("version", "keys"),
    [("v1", {"tfd"}), ("v2", {"tfd", "cfdi"}), ("v3", {"cfdi"}), ("v4", {"uuid", "qrCode", "cfdi"})],
)
def test_sdk_logs_in_and_stamps_in_every_version(
    server: Server, credential: MintedCredential, tmp_path: Path, version: str, keys: set[str]
) -> None:
    file = tmp_path / "invoice.xml"
    file.write_bytes(sealed_invoice(server.data, credential, folio=version))
    answer = stamp(server, file, version)
    assert answer["status"] == "success", answer
    assert keys <= answer["data"].keys()


def test_sdk_receives_base64_for_a_base64_request(server: Server, credential: MintedCredential, tmp_path: Path) -> None:
    file = tmp_path / "invoice.b64"
    file.write_bytes(base64.b64encode(sealed_invoice(server.data, credential, folio="b64")))
    answer = stamp(server, file, "v3", "b64")
    assert answer["status"] == "success", answer
    assert base64.b64decode(answer["data"]["cfdi"]).startswith(b"<?xml")


def test_sdk_receives_307_for_a_repeat(server: Server, credential: MintedCredential, tmp_path: Path) -> None:
    file = tmp_path / "invoice.xml"
    file.write_bytes(sealed_invoice(server.data, credential, folio="repeat"))
    stamp(server, file, "v4")
    answer = stamp(server, file, "v4")
    assert answer["status"] == "error"
    assert answer["message"] == "307. El comprobante contiene un timbre previo."


def test_example_with_the_sdk_stamps_repeats_and_reports(
    server: Server, credential: MintedCredential, tmp_path: Path
) -> None:
    sealed = sealed_invoice(server.data, credential, folio="example")
    (tmp_path / "sealed.xml").write_bytes(sealed)
    (tmp_path / "wrong.xml").write_bytes(sealed.replace(b'Version="4.0"', b'Version="3.2"'))
    variables = {"TIMBRA_URL": f"http://{ADDRESS}", "TIMBRA_TOKEN": server.token, "NODE_PATH": f"{NODE}/node_modules"}
    first, second, wrong = (
        subprocess.run(
            ["node", str(EXAMPLE), file],
            cwd=tmp_path,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            timeout=60,
        )
        for file in ("sealed.xml", "sealed.xml", "wrong.xml")
    )
    uuid = first.stdout.split()[0]
    assert "TimbreFiscalDigital" in (tmp_path / f"{uuid}.xml").read_text("utf-8")
    assert second.stdout == first.stdout
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr


@pytest.fixture
def uuid(server: Server, credential: MintedCredential, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """Return the UUID of a stamped CFDI."""
    file = tmp_path / "invoice.xml"
    file.write_bytes(sealed_invoice(server.data, credential, folio=request.node.name[:40]))
    return str(stamp(server, file, "v4")["data"]["uuid"])


def test_sdk_cancels_by_a_signed_document(
    server: Server, credential: MintedCredential, tmp_path: Path, uuid: str
) -> None:
    file = tmp_path / "cancelacion.xml"
    request = Cancelacion(examples.KEMPER.rfc, (Folio(uuid, "02"),))
    file.write_bytes(signed(credential, request.to_root(datetime.now(UTC))))
    answer = answer_to("cancel.js", ADDRESS, server.token, str(file))
    assert answer["status"] == "success", answer
    assert answer["data"]["uuid"] == {uuid.upper(): "201"}


def test_sdk_receives_an_error_when_it_cancels_by_csd_without_a_motive(
    server: Server, credential: MintedCredential, tmp_path: Path, uuid: str
) -> None:
    file = tmp_path / "request.json"
    request = {
        "uuid": uuid,
        "password": credential.password,
        "rfc": examples.KEMPER.rfc,
        "b64Cer": base64.b64encode(credential.certificate_der).decode(),
        "b64Key": base64.b64encode(credential.key_der).decode(),
    }
    file.write_text(json.dumps(request))
    answer = answer_to("cancel.js", ADDRESS, server.token, str(file))
    assert (answer["status"], answer["message"]) == ("error", "CACFDI33 - Problemas con el xml.")
    assert answer["messageDetail"] == "CR1310. Clave de motivo de cancelación no válida"
