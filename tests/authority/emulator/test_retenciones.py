"""Retenciones: reception by REST, tokens of its own, and the public page."""

from __future__ import annotations

from urllib.parse import unquote
from uuid import uuid4

import pytest
from httpx2 import Response
from lxml import etree
from tests.authority.emulator.emulator_support import RECEPTION, SEAL, EmulatorRun

from timbra import examples

LOGIN = "/retenciones/Seguridad/Autenticacion.svc"
GOOD = "Comprobante recibido satisfactoriamente"


def retencion(emulator: EmulatorRun) -> tuple[bytes, str]:
    return emulator.stamped(text=examples.retencion({"@Sello": SEAL}))


def send(
    emulator: EmulatorRun, xml: bytes, name: str, token: str | None = None, version: str = "2.0", field: str = "file"
) -> Response:
    token = emulator.login(LOGIN) if token is None else token
    return emulator.client.post(
        emulator.url(f"/retenciones/api/Recibe?versionEsquema={version}"),
        files={field: (name, xml, "text/xml")},
        headers={"Authorization": f'WRAP access_token="{unquote(token)}"'},
    )


def code(response: Response) -> str:
    assert response.status_code == 200
    acuse = etree.fromstring(response.content).find(f"{{{RECEPTION}}}AcuseRecepcionCFDI")
    assert acuse is not None
    return acuse.get("CodEstatus") or ""


def page(emulator: EmulatorRun, **values: str) -> str:
    return emulator.client.get(emulator.url("/retenciones/Home/ConsultaRetencion"), params=values).text


def test_recibe_receives_a_retencion_and_the_page_shows_it(emulator: EmulatorRun) -> None:
    xml, uuid = retencion(emulator)
    root = etree.fromstring(xml)
    issuer, receiver = root.find("{*}Emisor"), root.find(".//{*}Nacional")
    assert issuer is not None
    assert receiver is not None
    values = {"folio": uuid, "rfcEmisor": issuer.get("RfcE") or "", "rfcReceptor": receiver.get("RfcR") or ""}
    assert "No se encontró" in page(emulator, **values)
    assert code(send(emulator, xml, f"{uuid}.xml")) == GOOD
    assert "Vigente" in page(emulator, **values)
    assert "No se encontró" in page(emulator, **{**values, "rfcEmisor": "XIA190128J61"})


def test_recibe_rejects_a_file_name_with_another_folio(emulator: EmulatorRun) -> None:
    xml, _ = retencion(emulator)
    assert code(send(emulator, xml, f"{uuid4()}.xml")) == "503"


def test_recibe_rejects_another_version(emulator: EmulatorRun) -> None:
    xml, uuid = retencion(emulator)
    assert code(send(emulator, xml, f"{uuid}.xml", version="1.0")) == "503"


def test_recibe_rejects_a_cfdi(emulator: EmulatorRun) -> None:
    xml, uuid = emulator.stamped()
    assert code(send(emulator, xml, f"{uuid}.xml")) == "504"


@pytest.mark.parametrize("path", ["/Seguridad/Autenticacion.svc", "/retenciones/Autenticacion/Autenticacion.svc"])
def test_recibe_rejects_the_token_of_another_service(emulator: EmulatorRun, path: str) -> None:
    xml, uuid = retencion(emulator)
    assert send(emulator, xml, f"{uuid}.xml", emulator.login(path)).status_code == 401


def test_recibe_needs_one_part_named_file(emulator: EmulatorRun) -> None:
    xml, uuid = retencion(emulator)
    assert send(emulator, xml, f"{uuid}.xml", field="other").status_code == 400
    plain = emulator.client.post(
        emulator.url("/retenciones/api/Recibe?versionEsquema=2.0"),
        content=xml,
        headers={"Content-Type": "application/xml", "Authorization": f'WRAP access_token="{emulator.login(LOGIN)}"'},
    )
    assert plain.status_code == 400


def test_page_does_not_repeat_values_of_the_request(emulator: EmulatorRun) -> None:
    assert "<script>" not in page(emulator, folio="<script>", rfcEmisor="<script>", rfcReceptor="<script>")
