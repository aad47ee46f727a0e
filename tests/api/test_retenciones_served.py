"""Retenciones over HTTP, by a real server: stamp, issue and validate."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from tests.support.server import Server, invoice, retencion, running, seed

from timbra.cfdi.tfd import read_stamps

V4 = {
    "cadenaOriginalSAT",
    "noCertificadoSAT",
    "noCertificadoCFDI",
    "uuid",
    "selloSAT",
    "selloCFDI",
    "fechaTimbrado",
    "qrCode",
    "retencion",
}
ANSWERS = {"v1": {"tfd"}, "v2": {"tfd", "retencion"}, "v3": {"retencion"}, "v4": V4}


@dataclass(frozen=True)
class Served:
    """A server of a data folder."""

    server: Server
    data: Path

    def post(self, path: str, xml: bytes) -> tuple[int, dict[str, Any]]:
        with self.server.client() as client:
            answer = client.post(path, files={"xml": ("retencion.xml", xml, "text/xml")})
        return answer.status_code, answer.json()

    def retencion(self, folio: str) -> bytes:
        return retencion(self.data, folio)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data = tmp_path_factory.mktemp("retenciones") / "data"
    with running(data, token=seed(data)) as server:
        yield Served(server, data)


@pytest.mark.parametrize("version", ANSWERS)
@pytest.mark.parametrize("prefix", ["/retencion", "/v4/retencion"])
def test_issue_answers_in_the_version_of_the_path(served: Served, prefix: str, version: str) -> None:
    status, body = served.post(f"{prefix}/issue/{version}", served.retencion(f"{prefix[1:3]}{version}"))
    assert (status, body["status"]) == (200, "success")
    assert set(body["data"]) == ANSWERS[version]


def test_stamp_answers_with_the_earlier_stamp_of_a_repeated_document(served: Served) -> None:
    _, first = served.post("/retencion/issue/v3", served.retencion("R1"))
    document = first["data"]["retencion"]
    (stamp,) = read_stamps(etree.fromstring(document.encode()))
    status, body = served.post("/retencion/stamp/v3", document.encode())
    assert (status, body["message"]) == (400, "T307. El comprobante contiene un timbre previo.")
    assert body["data"] == {"retencion": document}
    assert stamp.uuid in document


def test_issue_reads_and_answers_base64(served: Served) -> None:
    _, body = served.post("/retencion/issue/v3/b64", b64encode(served.retencion("B1")))
    assert b64decode(body["data"]["retencion"]).startswith(b"<?xml")


def test_stamp_rejects_an_unsealed_document(served: Served) -> None:
    status, body = served.post("/retencion/stamp/v3", served.retencion("U1"))
    assert (status, body["message"][:10]) == (400, "Reten20102")


@pytest.mark.parametrize("path", ["/retencion/issue/v3", "/validate/retenciones"])
def test_routes_of_retenciones_reject_a_cfdi(served: Served, path: str) -> None:
    status, body = served.post(path, invoice(served.data))
    assert (status, body["message"][:6]) == (400, "TB4020")


@pytest.mark.parametrize("path", ["/cfdi33/issue/v4", "/validate/cfdi"])
def test_routes_of_cfdi_reject_a_retencion(served: Served, path: str) -> None:
    status, body = served.post(path, served.retencion("C1"))
    assert (status, body["message"][:6]) == (400, "TB4021")


def test_validate_reports_a_stamped_retencion(served: Served) -> None:
    _, issued = served.post("/retencion/issue/v3", served.retencion("V1"))
    status, body = served.post("/validate/retenciones", issued["data"]["retencion"].encode())
    assert (status, body["status"], body["statusSat"]) == (200, "success", "No Aplica")
    assert body["detail"][0]["section"] == "Retenciones20 - Validacion de Estructura"
    assert {entry["type"] for section in body["detail"] for entry in section["detail"]} == {1}
