"""The storage look-up over HTTP, by a real server: the record, and signed links."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import httpx2
import pytest
from lxml import etree
from tests.support.server import Server, invoice, running, seed

from timbra.accounts.build import account_services
from timbra.app.composition import open_container
from timbra.settings import Settings

ADDENDA = '<cfdi:Addenda><pedido xmlns="urn:x">Ñ &amp; 7</pedido></cfdi:Addenda>'
UNKNOWN = "00000000-0000-4000-8000-000000000000"
# Members that typed clients read, by type.
TEXTS = (
    *("urlXml", "urlPdf", "urlPDF", "idDealer", "idUser", "version", "fecha", "numeroCertificado", "moneda"),
    *("tipoDeComprobante", "metodoPago", "formaPago", "luegarExpedicion", "rfcEmisor", "nombreEmisor"),
    *("regimenFiscal", "rfcReceptor", "nombreReceptor", "usoCFDI", "complementos", "uuid", "fechaTimbrado"),
    *("rfcProvCertif", "selloCFD", "emisorRfc", "emisorNombre", "receptorRfc", "receptorNombre"),
)
NUMBERS = (
    *("subtotal", "subTotal", "descuento", "total", "tipoCambio", "totalImpuestosTraslados", "yearMonth"),
    *("totalImpuestosRetencion", "trasladosIVA", "trasladosIEPS", "retencionesISR", "retencionesIVA"),
    *("retencionesIEPS", "totalImpuestosLocalesTraslados", "totalImpuestosLocalesRetencion"),
)
OTHERS = (
    *("urlAckCfdi", "urlAckCancellation", "urlAddenda", "addenda", "fechaGeneracionPdf", "serie", "folio"),
    *("condicionesPago", "residenciaFiscal", "numRegIdTrib", "statusSAT", "codigoCancelacion"),
)


@dataclass(frozen=True)
class Served:
    """A server, a stamped invoice with an Addenda, and the token of another account."""

    server: Server
    cfdi: str
    uuid: str
    other_token: str

    def live(self, uuid: str, token: str | None = None) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        with self.server.client() as client:
            return client.get(f"/datawarehouse/v1/live/{uuid}", headers=headers)

    def record(self) -> dict[str, Any]:
        [record] = self.live(self.uuid).json()["data"]["records"]
        return dict(record)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data = tmp_path_factory.mktemp("storage") / "data"
    token = seed(data)
    with open_container(Settings(data=data)) as container:
        container.get(account_services).accounts.create("luis@example.com", "otra contraseña larga", "administrator")
        other_token = container.get(account_services).accounts.create_infinite_token("luis@example.com")
    xml = invoice(data).replace(b"</cfdi:Comprobante>", f"{ADDENDA}</cfdi:Comprobante>".encode())
    with running(data, token=token) as server, server.client() as client:
        stamped = client.post("/cfdi33/issue/v4", files={"xml": ("cfdi.xml", xml, "text/xml")}).json()["data"]
        yield Served(server, stamped["cfdi"], stamped["uuid"], other_token)


def test_live_returns_the_members_of_the_contract(served: Served) -> None:
    body = served.live(served.uuid.upper()).json()
    page, record = body["data"]["metaData"], body["data"]["records"][0]

    assert body["status"] == "success"
    assert set(page) == {"page", "perPage", "pageCount", "totalCount", "links"}
    assert page["links"]["current"].startswith(served.server.address)
    assert set(record) == {*TEXTS, *NUMBERS, *OTHERS, "status", "hasAddenda"}
    assert all(isinstance(record[name], str) for name in TEXTS)
    assert all(isinstance(record[name], int | float) for name in NUMBERS)
    assert (record["status"], record["hasAddenda"]) == (True, True)


def test_live_returns_values_of_the_document(served: Served) -> None:
    record, root = served.record(), etree.fromstring(served.cfdi.encode())
    issuer, taxes = root.find("{*}Emisor"), root.find("{*}Impuestos")
    assert issuer is not None
    assert taxes is not None
    assert record["uuid"] == served.uuid
    assert record["rfcEmisor"] == record["emisorRfc"] == issuer.get("Rfc")
    assert Decimal(str(record["total"])) == Decimal(root.get("Total", ""))
    assert Decimal(str(record["trasladosIVA"])) == Decimal(taxes.get("TotalImpuestosTrasladados", ""))
    assert record["selloCFD"] == root.get("Sello")
    assert record["fechaTimbrado"].startswith(f"{str(record['yearMonth'])[:4]}-{str(record['yearMonth'])[4:]}-")


def test_signed_links_open_without_a_token(served: Served) -> None:
    record = served.record()

    xml, pdf, addenda = (httpx2.get(record[name]) for name in ("urlXml", "urlPdf", "urlAddenda"))

    assert xml.text == served.cfdi
    assert pdf.content.startswith(b"%PDF")
    assert "Ñ & 7" in etree.tostring(etree.fromstring(addenda.content), encoding="unicode", method="text")
    assert record["addenda"] == addenda.text
    for answer in (xml, pdf, addenda):
        assert answer.headers["content-disposition"].startswith("attachment")
        assert "sandbox" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_signed_link_is_rejected_when_changed(served: Served) -> None:
    link = served.record()["urlXml"]
    path, _, query = link.partition("?")
    expires, _, signature = query.partition("&")
    later = f"expires={int(expires.partition('=')[2]) + 1}"
    for forged in (
        path,
        f"{path}?{expires}",
        f"{path}?{expires}&signature=",
        f"{path}?{expires}&signature=%C3%B1",
        f"{path}?{later}&{signature}",
        f"{path}?expires=x&{signature}",
        link.replace("cfdi.xml", "cfdi.pdf"),
        link.replace(served.uuid, UNKNOWN),
    ):
        answer = httpx2.get(forged)
        assert (answer.status_code, answer.json()["status"]) == (404, "error"), forged


@pytest.mark.parametrize("uuid", [UNKNOWN, "x", "%27%20or%201=1", "%00"])
def test_live_rejects_an_unknown_folio(served: Served, uuid: str) -> None:
    answer = served.live(uuid)
    assert answer.status_code == 400
    assert answer.json()["message"] == "No se encuentra registro del timbrado."


def test_live_rejects_an_invoice_of_another_account_as_unknown(served: Served) -> None:
    own, foreign = served.live(UNKNOWN, served.other_token), served.live(served.uuid, served.other_token)
    assert (own.status_code, own.json()) == (foreign.status_code, foreign.json())
    with served.server.client() as client:
        headers = {"Authorization": f"Bearer {served.other_token}"}
        again = client.post(f"/pdf/v1/api/RegeneratePdf/{served.uuid}", headers=headers)
    assert again.json()["message"] == "No se encontro el UUID."


def test_live_requires_a_token(served: Served) -> None:
    assert httpx2.get(f"{served.server.address}/datawarehouse/v1/live/{served.uuid}").status_code == 401


def test_live_ignores_the_host_header_in_links(served: Served) -> None:
    with served.server.client() as client:
        for host in ("evil.example", "evil.example:8443", "evil.example/x?"):
            answer = client.get(f"/datawarehouse/v1/live/{served.uuid}", headers={"Host": host})
            assert answer.status_code == 200
            assert "evil" not in answer.text


def test_live_links_to_the_acuse_of_a_cancellation(served: Served) -> None:
    files = {"xml": ("cfdi.xml", invoice(served.server.data, "77"), "text/xml")}
    with served.server.client() as client:
        stamped = client.post("/cfdi33/issue/v4", files=files).json()["data"]
        [before] = client.get(f"/datawarehouse/v1/live/{stamped['uuid']}").json()["data"]["records"]
        issuer = before["rfcEmisor"]
        cancelled = client.post(f"/cfdi33/cancel/{issuer}/{stamped['uuid']}/02").json()
        [after] = client.get(f"/datawarehouse/v1/live/{stamped['uuid']}").json()["data"]["records"]

    assert (before["urlAckCancellation"], cancelled["status"]) == (None, "success")
    acuse, cancellation = httpx2.get(after["urlAckCancellation"]), etree.fromstring(cancelled["data"]["acuse"].encode())
    again = etree.fromstring(acuse.content)
    for path in (".//{*}UUID", ".//{*}EstatusUUID"):
        assert again.findtext(path) == cancellation.findtext(path)
    assert again.get("Fecha") == cancellation.get("Fecha")
    assert again.find("{http://www.w3.org/2000/09/xmldsig#}Signature") is not None
