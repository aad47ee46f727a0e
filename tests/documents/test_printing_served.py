"""PDF over HTTP, by a real server: shapes, messages, and the text of the pages."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pypdfium2
import pytest
import zxingcpp
from lxml import etree
from tests.support.images import png_header, red_png
from tests.support.server import Server, invoice, running, seed

from timbra.cfdi.qr import verification_query
from timbra.cfdi.tfd import read_stamps

UNKNOWN = "00000000-0000-4000-8000-000000000000"
GENERATE = "/pdf/v1/api/GeneratePdf"
BRANDING = "/pdf/v1/api/Branding"
SHAPE = {
    "contentB64": str,
    "contentSizeBytes": int,
    **dict.fromkeys(("uuid", "serie", "folio", "stampDate", "issuedDate", "rfcIssuer", "rfcReceptor", "total"), str),
}


@dataclass(frozen=True)
class Served:
    """A server and an invoice that it stamped."""

    server: Server
    cfdi: str

    @property
    def root(self) -> etree._Element:
        return etree.fromstring(self.cfdi.encode())

    def post(self, path: str, **members: object) -> tuple[int, dict[str, Any]]:
        with self.server.client() as client:
            answer = client.post(path, json=members)
        return answer.status_code, answer.json()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data = tmp_path_factory.mktemp("printing") / "data"
    with running(data, token=seed(data)) as server, server.client() as client:
        answer = client.post(
            "/v4/cfdi33/issue/v4", files={"xml": ("cfdi.xml", invoice(data), "text/xml")}, headers={"extra": "pdf"}
        )
        yield Served(server, answer.json()["data"]["cfdi"])


def opened(data: dict[str, Any]) -> pypdfium2.PdfDocument:
    content = b64decode(data["contentB64"])
    assert len(content) == data["contentSizeBytes"]
    return pypdfium2.PdfDocument(content)


def text_field(document: pypdfium2.PdfDocument) -> str:
    pages = (page.get_textpage().get_text_range() for page in document)
    return "".join(pages).replace("\u200b", "").replace("\r\n", "")


@pytest.mark.parametrize("encode", [str, lambda text: b64encode(text.encode()).decode()])
def test_generate_pdf_prints_the_data_of_the_invoice(served: Served, encode: Any) -> None:
    status, body = served.post(
        GENERATE, xmlContent=encode(served.cfdi), templateId="cfdi40", extras={"a": 1}, logo=None
    )

    assert (status, body["status"]) == (200, "success")
    assert {name: type(value) for name, value in body["data"].items()} == SHAPE
    root, document = served.root, opened(body["data"])
    stamp, text = read_stamps(root)[0], text_field(document)
    issuer, receiver = root.find("{*}Emisor"), root.find("{*}Receptor")
    assert issuer is not None
    assert receiver is not None
    for expected in (
        stamp.uuid,
        f"{Decimal(root.get('Total', '')):,.2f}",
        issuer.get("Rfc", "?"),
        receiver.get("Rfc", "?"),
        root.get("Sello", "?")[-8:],
    ):
        assert expected in text
    assert "sin validez fiscal" in text.lower()
    total = Decimal(root.get("Total", ""))
    query = verification_query(stamp.uuid, issuer.get("Rfc", ""), receiver.get("Rfc", ""), total, root.get("Sello", ""))
    (code,) = zxingcpp.read_barcodes(document[0].render(scale=3).to_pil())
    assert code.text == f"{served.server.address}/default.aspx{query.text}"
    assert Decimal(body["data"]["total"]) == total
    assert body["data"]["uuid"] == stamp.uuid


@pytest.mark.parametrize("prefix", ["", "data:image/png;base64,"])
def test_generate_pdf_prints_the_logo(served: Served, prefix: str) -> None:
    logo = prefix + b64encode(red_png(300, 100)).decode()
    _, body = served.post(GENERATE, xmlContent=served.cfdi, logo=logo)
    assert opened(body["data"])[0].render(scale=1).to_pil().getpixel((80, 80)) == (200, 30, 30)


def test_branding_of_the_account_is_printed(served: Served) -> None:
    logo = b64encode(red_png(300, 100)).decode()
    with served.server.client() as client:
        changed = client.put(BRANDING, json={"template": "compacta", "footer": "Tel. 55 5555", "logo": logo})
        body = served.post(GENERATE, xmlContent=served.cfdi)[1]
        again = client.post(f"/pdf/v1/api/RegeneratePdf/{read_stamps(served.root)[0].uuid}").json()
        restored = client.delete(BRANDING).json()["data"]
        rejected = client.put(BRANDING, json={"color": "#fefefe"})
    assert changed.json()["data"] == {
        "template": "compacta",
        "color": "#12324f",
        "footer": "Tel. 55 5555",
        "logo": logo,
    }
    for data in (body["data"], again["data"]):
        document = opened(data)
        assert "Tel. 55 5555" in text_field(document)
        assert document[0].render(scale=1).to_pil().getpixel((80, 80)) == (200, 30, 30)
    assert restored == {"template": "clasica", "color": "#12324f", "footer": "", "logo": None}
    assert (rejected.status_code, "demasiado claro" in rejected.text) == (400, True)


@pytest.mark.parametrize(
    ("members", "printed"),
    [
        ({"extras": None, "templateId": ""}, ""),
        ({"extras": {}, "templateId": " "}, ""),
        ({"extras": {"EDIRECCION1": "Calle Uno 1"}}, "Calle Uno 1"),
        ({"extras": {"RDIRECCION1": "Calle Dos 2", "REFERENCIA": 77}, "templateId": "moderna"}, "Calle Dos 2"),
    ],
)
def test_generate_pdf_prints_extras(served: Served, members: dict[str, object], printed: str) -> None:
    status, body = served.post(GENERATE, xmlContent=served.cfdi, **members)
    assert (status, body["status"], body["data"].keys()) == (200, "success", SHAPE.keys())
    assert printed in text_field(opened(body["data"]))


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        ({"templateId": "otra"}, "No existe la plantilla «otra»"),
        ({"extras": ["x"]}, "debe ser un objeto"),
        ({"extras": {"a": {"b": 1}}}, "El dato a de extras debe ser un texto"),
        ({"extras": {"a": "x" * 1001}}, "más de 1000 caracteres"),
        ({"extras": {str(n): "x" for n in range(51)}}, "más de 50 datos"),
        ({"extras": {"k" * 61: "x"}}, "más de 60 caracteres"),
    ],
)
def test_generate_pdf_rejects_unknown_templates_and_extras(
    served: Served, members: dict[str, object], sentence: str
) -> None:
    status, body = served.post(GENERATE, xmlContent=served.cfdi, **members)
    assert (status, body["status"]) == (400, "error")
    assert sentence in f"{body['message']} {body['messageDetail']}"


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({}, "Xml CFDI33 no proporcionado"),
        ({"xmlContent": ""}, "Xml CFDI33 no proporcionado"),
        ({"xmlContent": "no soy XML"}, "301"),
        ({"xmlContent": "<a/>"}, "301"),
        ({"xmlContent": ["x"]}, "TB4005"),
        ({"xmlContent": "?", "logo": "no base64"}, "TB4005"),
        ({"xmlContent": "?", "logo": b64encode(b"GIF89a").decode()}, "TB4005"),
        ({"xmlContent": "?", "logo": b64encode(png_header(99999, 99999)).decode()}, "TB4005"),
        ({"xmlContent": "?", "logo": b64encode(red_png(30, 10)[:60]).decode()}, "TB4005"),
    ],
)
def test_generate_pdf_rejects_invalid_requests(served: Served, members: dict[str, object], message: str) -> None:
    defaults = {"xmlContent": served.cfdi} if members.get("xmlContent") == "?" else {}
    status, body = served.post(GENERATE, **members | defaults)
    assert (status, body["status"], body["data"]) == (400, "error", None)
    assert body["message"].startswith(message)


def test_generate_pdf_rejects_an_unstamped_invoice(served: Served) -> None:
    status, body = served.post(GENERATE, xmlContent=invoice(served.server.data).decode())
    assert (status, body["message"][:3]) == (400, "301")


def test_regenerate_pdf_prints_a_stored_invoice(served: Served) -> None:
    uuid = read_stamps(served.root)[0].uuid
    for path in (f"/pdf/v1/api/RegeneratePdf/{uuid}", f"/PDF/v1/api//RegeneratePdf/{uuid.upper()}/"):
        status, body = served.post(path)
        assert (status, body["status"], body["message"]) == (200, "success", "Solicitud se proceso correctamente.")
        assert uuid in text_field(opened(body["data"]))


@pytest.mark.parametrize("uuid", [UNKNOWN, UNKNOWN.upper(), "00000000-0000-0000-0000-000000000000", "x", "%00"])
def test_regenerate_pdf_rejects_an_unknown_folio(served: Served, uuid: str) -> None:
    status, body = served.post(f"/pdf/v1/api/RegeneratePdf/{uuid}")
    assert (status, body["status"], body["message"]) == (400, "error", "No se encontro el UUID.")
