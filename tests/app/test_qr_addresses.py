"""Where the QR codes lead, at every place that has one: a retención never to the page for CFDI."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator

import pytest
from tests.support.asgi import Answer, application, call
from tests.support.browser import Visitor
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra.accounts.build import account_services
from timbra.cfdi.qr import QrPainter
from timbra.documents.build import document_services
from timbra.examples import ingreso, retencion
from timbra.stamping.build import stamping_services
from timbra.stamping.models import DocumentKind, StampResult
from timbra.stamps.port import StampRecord

BASE = "https://pages.example"
ISSUE = {DocumentKind.CFDI: "/cfdi33", DocumentKind.RETENCIONES: "/retencion"}
PAGES = {DocumentKind.CFDI: f"{BASE}/default.aspx", DocumentKind.RETENCIONES: f"{BASE}/Home/ConsultaRetencion"}
BOUNDARY = "limite"


class Client:
    """One account of a sandbox, its API and its portal, with one stamped document of each kind."""

    def __init__(self, sandbox_app: SandboxApp) -> None:
        self.sandbox_app = sandbox_app
        self.api = application(sandbox_app.container)
        self.visitor = Visitor(sandbox_app)
        self.visitor.sign_in("ana@example.com")
        accounts = sandbox_app.container.get(account_services).accounts
        self.token = asyncio.run(accounts.authenticate("ana@example.com", "una contraseña larga")).token
        self.stamped: dict[DocumentKind, StampResult] = {
            DocumentKind.CFDI: sandbox_app.issue(ingreso(fecha=FECHA).encode()),
            DocumentKind.RETENCIONES: sandbox_app.issue(retencion(fecha=FECHA).encode(), kind=DocumentKind.RETENCIONES),
        }

    def send(self, method: str, path: str, body: bytes = b"", media_type: str = "application/json") -> Answer:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": media_type}
        path, _, query = path.partition("?")
        return call(self.api, method, path, headers=headers, body=body, query=query)

    def post_xml(self, path: str, xml: bytes) -> Answer:
        part = b'Content-Disposition: form-data; name="xml"; filename="a.xml"\r\nContent-Type: text/xml\r\n\r\n'
        body = b"--limite\r\n" + part + xml + b"\r\n--limite--\r\n"
        return self.send("POST", path, body, f"multipart/form-data; boundary={BOUNDARY}")

    def record(self, kind: DocumentKind) -> StampRecord:
        record = self.sandbox_app.container.get(stamping_services).stamps.by_uuid(self.stamped[kind].uuid)
        assert record is not None
        return record

    def xml(self, kind: DocumentKind) -> bytes:
        return self.stamped[kind].cfdi.encode()


def issue(client: Client, kind: DocumentKind) -> int:
    new = {
        DocumentKind.CFDI: ingreso({"@Folio": "Q1"}, fecha=FECHA),
        DocumentKind.RETENCIONES: retencion({"@FolioInt": "Q1"}, fecha=FECHA),
    }
    return client.post_xml(f"{ISSUE[kind]}/issue/v4", new[kind].encode()).status


def repeat(client: Client, kind: DocumentKind) -> int:
    answer = client.post_xml(f"{ISSUE[kind]}/stamp/v4", client.xml(kind))
    assert answer.json["data"]["uuid"] == client.stamped[kind].uuid
    return 200


def generate_pdf(client: Client, kind: DocumentKind) -> int:
    order = {"xmlContent": client.xml(kind).decode(), "templateId": "cfdi40", "extras": None, "logo": None}
    return client.send("POST", "/pdf/v1/api/GeneratePdf", json.dumps(order).encode()).status


def regenerate_pdf(client: Client, kind: DocumentKind) -> int:
    return client.send("POST", f"/pdf/v1/api/RegeneratePdf/{client.stamped[kind].uuid}").status


def linked_pdf(client: Client, kind: DocumentKind) -> int:
    stored = client.send("GET", f"/datawarehouse/v1/live/{client.stamped[kind].uuid}").json["data"]["records"][0]
    return client.send("GET", stored["urlPDF"].removeprefix(BASE)).status


def mail(client: Client, kind: DocumentKind) -> int:
    _, pdf = client.sandbox_app.container.get(document_services).printing.issuer_and_pdf(client.record(kind))
    return 200 if pdf else 500


def page(client: Client, kind: DocumentKind) -> int:
    return client.visitor.get(f"/portal/facturas/{client.stamped[kind].uuid}").status_code


def page_pdf(client: Client, kind: DocumentKind) -> int:
    return client.visitor.get(f"/portal/facturas/{client.stamped[kind].uuid}/pdf").status_code


def export(client: Client, kind: DocumentKind) -> int:
    return client.visitor.get(f"/portal/facturas/exportar/zip?pdf=si&uuid={client.stamped[kind].uuid}").status_code


def validator(client: Client, kind: DocumentKind) -> int:
    client.visitor.get("/validador")
    return client.visitor.post("/validador", {}, files=[("xml", ("a.xml", client.xml(kind)))]).status_code


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    sandbox_app = SandboxApp(tmp_path_factory.mktemp("qr"), public_url=BASE)
    sandbox_app.store(sandbox_app.mint())
    yield Client(sandbox_app)
    sandbox_app.container.close()


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The contents of the QR codes that are drawn during the test."""
    found: list[str] = []
    draw = QrPainter.png

    def png(self: QrPainter, text: str) -> bytes:
        found.append(text)
        return draw(self, text)

    monkeypatch.setattr(QrPainter, "png", png)
    return found


@pytest.mark.parametrize("kind", [DocumentKind.CFDI, DocumentKind.RETENCIONES])
@pytest.mark.parametrize(
    "place",
    [issue, repeat, generate_pdf, regenerate_pdf, linked_pdf, mail, page, page_pdf, export, validator],
)
def test_qr_code_leads_to_the_page_of_its_kind(
    client: Client, drawn: list[str], place: Callable[[Client, DocumentKind], int], kind: DocumentKind
) -> None:
    assert place(client, kind) == 200
    assert {text.partition("?")[0] for text in drawn} == {PAGES[kind]}
