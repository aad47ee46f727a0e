"""Retenciones: reception and cancellation by REST, tokens of its own, and the public page."""

from __future__ import annotations

from urllib.parse import unquote
from uuid import uuid4

import pytest
from httpx2 import Response
from lxml import etree
from tests.emulator.emulator_support import RECEPTION, SEAL, EmulatorRun, signed_request
from tests.support.sat_access import FixedAccess

from timbra import examples
from timbra.cfdi.cancelacion.request import Cancelacion, Folio
from timbra.container.build import fiscal_clock
from timbra.core.clock import WallClock
from timbra.core.retry import RetryPolicy
from timbra.sandbox.authority.build import sandbox_authority, sandbox_ledger
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.port import StatusQuery
from timbra.sat.retenciones_cancellation import SatRetencionesCancellations
from timbra.sat.retenciones_status import SatRetencionesStatus
from timbra.sat.status_cache import StatusCache
from timbra.sat.transport import Transport
from timbra.seals.certificates.certificate import CertificateKind
from timbra.seals.signers.memory import MemorySigner
from timbra.seals.xml_signatures.xmldsig import sign, verify

LOGIN = "/retenciones/Seguridad/Autenticacion.svc"
GOOD = "Comprobante recibido satisfactoriamente"
CANCEL_LOGIN = "/retenciones/Autenticacion/Autenticacion.svc"
REQUESTS = ("http://www.sat.gob.mx/esquemas/retencionpago/1", "http://cancelaretencion.sat.gob.mx")
ISSUER = "EKU9003173C9"


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
    assert "noresultados" in page(emulator, **values)
    assert code(send(emulator, xml, f"{uuid}.xml")) == GOOD
    assert "Vigente" in page(emulator, **values)
    assert "noresultados" in page(emulator, **{**values, "rfcEmisor": "XIA190128J61"})


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


def delivered(emulator: EmulatorRun) -> str:
    """Return the folio of a received retención."""
    xml, uuid = retencion(emulator)
    send(emulator, xml, f"{uuid}.xml")
    return uuid.lower()


def request(
    *uuids: str, attributes: str = 'Motivo="02" FolioSustitucion=""', namespace: str = REQUESTS[0], rfc: str = ISSUER
) -> str:
    folios = "".join(f'<Folios><Folio UUID="{uuid.upper()}" {attributes}/></Folios>' for uuid in uuids)
    return f'<Cancelacion xmlns="{namespace}" Fecha="2026-11-17T12:00:00" RfcEmisor="{rfc}">{folios}</Cancelacion>'


def post(emulator: EmulatorRun, operation: str, document: str, token: str | None = None) -> Response:
    token = emulator.login(CANCEL_LOGIN) if token is None else token
    return emulator.client.post(
        emulator.url(f"/retenciones/api/{operation}"),
        content=document.encode(),
        headers={
            "Content-Type": "application/xml",
            "Accept": "application/xml",
            "Authorization": f'WRAP access_token="{unquote(token)}"',
        },
    )


def codes(content: bytes) -> tuple[str, dict[str, str]]:
    """Return CodEstatus of an acuse and the code of each folio."""
    acuse = etree.fromstring(content)
    assert acuse.tag == "{http://cancelaretencion.sat.gob.mx}Acuse"
    found = {
        (group.findtext("{*}UUID") or "").lower(): group.findtext("{*}EstatusUUID") or ""
        for group in acuse.iterchildren("{*}Folios")
    }
    return acuse.get("CodEstatus") or "", found


@pytest.mark.parametrize("namespace", REQUESTS)
def test_cancelauno_cancels_a_request_that_xmlsec_signed(emulator: EmulatorRun, namespace: str) -> None:
    uuid = delivered(emulator)
    document = signed_request(emulator.holder(ISSUER), request(uuid, namespace=namespace))
    assert codes(post(emulator, "cancelauno", document).content) == ("", {uuid: "1201"})
    assert codes(post(emulator, "cancelauno", document).content) == ("", {uuid: "1202"})


def test_page_shows_the_cancellation_to_clients(emulator: EmulatorRun) -> None:
    uuid = delivered(emulator)
    row = emulator.container.get(sandbox_ledger).indexer.find(uuid)
    assert row is not None
    address = emulator.url("/retenciones/Home/ConsultaRetencion")
    client = SatRetencionesStatus(address, Transport(), StatusCache(WallClock()), CircuitBreaker(), RetryPolicy())
    query = StatusQuery(uuid, row.issuer_rfc, row.receiver_rfc, row.total, row.seal_tail)
    assert client.status(query).status == "Vigente"
    post(emulator, "cancelauno", signed_request(emulator.holder(ISSUER), request(uuid)))
    assert client.status(query).status == "Cancelado"
    text = page(emulator, folio=uuid, rfcEmisor=row.issuer_rfc, rfcReceptor=row.receiver_rfc)
    assert '<td id="tdFechaCancelacion"><span>2026-11-17T12:00:00</span></td>' in text


def test_client_cancels_and_its_acuse_verifies(emulator: EmulatorRun) -> None:
    uuid, holder, token = delivered(emulator), emulator.holder(ISSUER), emulator.login(CANCEL_LOGIN)
    client = SatRetencionesCancellations(
        emulator.url("/retenciones/api/cancelauno"),
        Transport(),
        CircuitBreaker(),
        RetryPolicy(),
        FixedAccess(f'WRAP access_token="{token}"'),
    )
    cancelacion = Cancelacion(ISSUER, (Folio(uuid, "02"),), REQUESTS[0])
    root = cancelacion.to_root(emulator.container.get(fiscal_clock).now())
    sign(root, holder.certificate, MemorySigner(holder.key))
    receipt = client.cancel(cancelacion, etree.tostring(root))
    assert receipt.codes == {uuid: "1201"}
    assert verify(etree.fromstring(receipt.acuse)).certificate == emulator.container.get(sandbox_authority).certificate


def test_cancela_gives_a_tracking_folio_whose_acuse_is_fetched(emulator: EmulatorRun) -> None:
    first, second, unknown = delivered(emulator), delivered(emulator), str(uuid4())
    document = signed_request(emulator.holder(ISSUER), request(first, second, unknown))
    token = emulator.login(CANCEL_LOGIN)
    folio = etree.fromstring(post(emulator, "cancela", document, token).content).findtext("{*}Folio")
    headers = {"Authorization": f'WRAP access_token="{unquote(token)}"'}
    acuse = emulator.client.get(emulator.url(f"/retenciones/api/consultaacuse/{folio}"), headers=headers)
    assert codes(acuse.content) == ("", {first: "1201", second: "1201", unknown: "1205"})
    for other in (str(uuid4()), "..%2F..%2Ftoken"):
        missing = emulator.client.get(emulator.url(f"/retenciones/api/consultaacuse/{other}"), headers=headers)
        assert missing.status_code == 404


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<other/>", "1301"),
        (request(), "1302"),
        (request("x"), "1302"),
        (request(str(uuid4()), str(uuid4())), "1302"),
        (request(str(uuid4()), rfc="x"), "1303"),
        (request(str(uuid4())).replace("2026-11-17T12:00:00", "ayer"), "1304"),
        (request(str(uuid4()), rfc="URE180429TM6"), "1305"),
        (request(str(uuid4()), attributes='Motivo="05"'), "1310"),
        (request(str(uuid4()), attributes='Motivo="01"'), "1311"),
    ],
    ids=["root", "no folios", "folio", "two", "rfc", "date", "certificate", "motive", "substitute"],
)
def test_cancelauno_rejects_a_request_as_a_whole(emulator: EmulatorRun, text: str, code: str) -> None:
    document = signed_request(emulator.holder(ISSUER), text)
    assert codes(post(emulator, "cancelauno", document).content) == (code, {})


def test_cancelauno_rejects_content_that_is_no_xml(emulator: EmulatorRun) -> None:
    for text in ("", "nothing", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"):
        assert codes(post(emulator, "cancelauno", text).content) == ("1301", {})


def test_cancelauno_rejects_a_changed_request(emulator: EmulatorRun) -> None:
    uuid = delivered(emulator)
    document = signed_request(emulator.holder(ISSUER), request(uuid))
    assert codes(post(emulator, "cancelauno", document.replace('"02"', '"03"')).content) == ("1309", {})
    assert codes(post(emulator, "cancelauno", request(uuid)).content) == ("1309", {})


def test_cancelauno_rejects_the_e_firma(emulator: EmulatorRun) -> None:
    document = signed_request(emulator.holder(ISSUER, CertificateKind.EFIRMA), request(delivered(emulator)))
    assert codes(post(emulator, "cancelauno", document).content) == ("1307", {})


def test_cancelauno_does_not_know_a_cfdi(emulator: EmulatorRun) -> None:
    xml, uuid = emulator.stamped()
    emulator.deliver(xml, uuid)
    document = signed_request(emulator.holder(ISSUER), request(uuid.lower()))
    assert codes(post(emulator, "cancelauno", document).content) == ("", {uuid.lower(): "1205"})


@pytest.mark.parametrize("operation", ["cancelauno", "cancela"])
def test_cancellation_needs_a_token_of_its_own(emulator: EmulatorRun, operation: str) -> None:
    document = signed_request(emulator.holder(ISSUER), request(str(uuid4())))
    for token in ("", emulator.login(LOGIN)):
        assert post(emulator, operation, document, token).status_code == 401
