"""Invoices in the portal: search, detail, downloads, cancellation and access."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from lxml import etree
from sqlalchemy import text
from tests.support.browser import Visitor
from tests.support.cancellation_app import ISSUER, RECEIVER, CancellationApp
from tests.support.events import list_audit_events
from tests.support.requirements import need

from timbra import examples
from timbra.accounts.build import account_services
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.database.codec import encode
from timbra.delivery.ports import authority_work
from timbra.documents.typesetting import Typesetter
from timbra.examples.retenciones20 import BY_NAME
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.taxpayers import TaxpayerChange
from timbra.stamping.build import stamping_services
from timbra.stamping.models import DocumentKind

PATH = "/portal/facturas"
ELSEWHERE = "00000000-0000-4000-8000-000000000000"


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    made = CancellationApp(tmp_path_factory.mktemp("sandbox"))
    made.account("bea@example.com")
    made.container.get(account_services).accounts.create("jefa@example.com", "una contraseña larga", "administrator")
    yield made
    made.container.close()


def visitor_of(sandbox_app: CancellationApp, user: str) -> Visitor:
    made = Visitor(sandbox_app)
    assert made.sign_in(user).status_code == 303
    return made


@pytest.fixture(scope="module")
def ana(sandbox_app: CancellationApp) -> Visitor:
    return visitor_of(sandbox_app, "ana@example.com")


@pytest.fixture(scope="module")
def bea(sandbox_app: CancellationApp) -> Visitor:
    return visitor_of(sandbox_app, "bea@example.com")


@pytest.fixture(scope="module")
def administrator(sandbox_app: CancellationApp) -> Visitor:
    return visitor_of(sandbox_app, "jefa@example.com")


@pytest.fixture(scope="module")
def uuid(sandbox_app: CancellationApp) -> str:
    """Return an invoice with folio 1."""
    return sandbox_app.invoice().lower()


@pytest.fixture(scope="module")
def retencion(sandbox_app: CancellationApp) -> str:
    """Return a retención with FolioInt R1, to a receiver who resides abroad."""
    text = BY_NAME["pagosaextranjeros"]({"@FolioInt": "R1"}, fecha=sandbox_app.fecha)
    return sandbox_app.issue(text.encode(), kind=DocumentKind.RETENCIONES).uuid.lower()


def found(visitor: Visitor, query: str = "") -> list[str]:
    visitor.get(f"{PATH}{query}")
    assert visitor.page is not None
    return [link.rpartition("/")[2] for link in visitor.page.xpath("//tbody//a/@href")]


@pytest.mark.parametrize(
    "query",
    ["", "?uuid={}", "?rfc=" + ISSUER.lower(), "?rfc=" + RECEIVER, "?folio=1", "?desde=2026-11-17&hasta=2026-11-17"],
)
def test_search_finds_the_invoice(ana: Visitor, uuid: str, query: str) -> None:
    assert uuid in found(ana, query.format(uuid.upper()))


@pytest.mark.parametrize(
    "query", ["?uuid=" + ELSEWHERE, "?rfc=XAXX010101000", "?folio=99", "?serie=B&folio=1", "?hasta=2026-11-16"]
)
def test_search_excludes_other_invoices(ana: Visitor, uuid: str, query: str) -> None:
    assert found(ana, query) == []


@pytest.mark.parametrize("query", ["?documento=retenciones", "?folio=R1", "?rfc=XEXX010101000", "?uuid={}"])
def test_search_finds_the_retencion(ana: Visitor, retencion: str, query: str) -> None:
    assert found(ana, query.format(retencion)) == [retencion]
    assert "Retención" in ana.text


def test_search_distinguishes_invoices_and_retenciones(ana: Visitor, uuid: str, retencion: str) -> None:
    assert {uuid, retencion} <= {*found(ana)}
    invoices = found(ana, "?documento=cfdi")
    assert uuid in invoices
    assert retencion not in invoices
    assert ana.page is not None
    assert ana.page.xpath("//select[@id='documento']/option[@selected]/@value") == ["cfdi"]


@pytest.mark.parametrize(
    "query",
    ["?documento=otro", "?uuid=1", "?serie=A", "?desde=ayer", "?hasta=9999-12-31", "?cursor=x", "?desde=0001-01-01"],
)
def test_search_rejects_invalid_fields(ana: Visitor, query: str) -> None:
    answer = ana.get(f"{PATH}{query}")

    assert answer.status_code == 422
    assert ana.page is not None
    [message] = ana.page.xpath("//*[@id='form-error']")
    assert message.text_content().strip()
    assert "TB4005" not in message.text_content()


def test_next_page_keeps_the_search(ana: Visitor, sandbox_app: CancellationApp, uuid: str) -> None:
    text = examples.ingreso({"@Folio": "hoja"}, fecha=sandbox_app.fecha)
    made = [
        sandbox_app.issue(text.replace('Folio="hoja"', f'Folio="hoja" Serie="{n}"').encode()).uuid for n in range(26)
    ]
    first = found(ana, "?folio=hoja")
    assert ana.page is not None
    [onwards] = ana.page.xpath("//a[@rel='next']/@href")
    assert "folio=hoja" in onwards
    second = found(ana, onwards.removeprefix(PATH))

    assert sorted(first + second) == sorted(folio.lower() for folio in made)
    assert len(first) == 25


def test_show_renders_a_retencion(ana: Visitor, retencion: str) -> None:
    assert ana.get(f"{PATH}/{retencion}").status_code == 200
    expected = ("Retención R1", "18 · Pagos realizados a favor de residentes en el extranjero", "ACME INC", "123456789")
    for text_ in (*expected, "Noviembre de 2026", "Monto total retenido", "Se timbró", "Cancelar la retención"):
        assert text_ in ana.text
    assert "Relaciones" not in ana.text
    assert "sin timbre fiscal verificable" not in ana.text


def test_cancel_cancels_a_retencion(ana: Visitor, sandbox_app: CancellationApp, retencion: str) -> None:
    sandbox_app.container.get(authority_work).deliver()
    ana.get(f"{PATH}/{retencion}")
    answer = ana.post(f"{PATH}/{retencion}/cancelar", {"motivo": "02", "sustituta": ""})
    assert answer.headers["location"] == f"{PATH}/{retencion}?aviso=1201&estado=si"
    ana.get(answer.headers["location"])
    assert "1201 La autoridad recibió" in ana.text
    assert ana.page is not None
    assert ana.page.xpath("//*[@id='estado']//span[contains(@class, 'badge')]/text()") == ["Cancelado"]


def test_downloads_return_the_files_of_a_retencion(ana: Visitor, sandbox_app: CancellationApp, retencion: str) -> None:
    record = sandbox_app.container.get(stamping_services).stamps.by_uuid(retencion)
    assert record is not None
    assert ana.get(f"{PATH}/{retencion}/xml").content == record.cfdi
    printed = ana.get(f"{PATH}/{retencion}/pdf")
    assert (printed.headers["content-type"], printed.content[:5]) == ("application/pdf", b"%PDF-")


def test_show_renders_stamp_status_and_invoice(ana: Visitor, sandbox_app: CancellationApp, uuid: str) -> None:
    record = sandbox_app.container.get(stamping_services).stamps.by_uuid(uuid)
    assert record is not None
    ana.get(f"{PATH}/{uuid}")

    for expected in (record.request_id, record.rule_set, record.data_version, "17 nov 2026, 00:00"):
        assert expected in ana.text
    assert "Vigente" in ana.text
    assert "Se timbró" in ana.text
    assert "Sin validez fiscal" in ana.text
    assert ana.page is not None
    assert ana.page.xpath("//article[@class='invoice']//img[starts-with(@src, 'data:image/png')]")


def test_show_warns_about_a_party_in_the_list_of_article_69b(
    ana: Visitor, sandbox_app: CancellationApp, uuid: str
) -> None:
    ana.get(f"{PATH}/{uuid}")
    assert "Artículo 69-B:" not in ana.text
    registry = sandbox_app.container.get(sandbox_services).registry
    for rfc in (ISSUER, RECEIVER):
        registry.change(rfc, TaxpayerChange(situation="Definitivo"))
        registry.refresh()
        ana.get(f"{PATH}/{uuid}")
        assert f"{rfc} está en el listado definitivo del artículo 69-B del " in ana.text
        registry.change(rfc, TaxpayerChange(situation=""))
        registry.refresh()


def test_download_xml_returns_the_stored_bytes(ana: Visitor, sandbox_app: CancellationApp, uuid: str) -> None:
    record = sandbox_app.container.get(stamping_services).stamps.by_uuid(uuid)
    answer = ana.get(f"{PATH}/{uuid}/xml")

    assert record is not None
    assert answer.content == record.cfdi
    assert answer.headers["content-disposition"] == f'attachment; filename="{uuid}.xml"'


def test_download_pdf_returns_a_pdf(ana: Visitor, uuid: str) -> None:
    answer = ana.get(f"{PATH}/{uuid}/pdf")

    if answer.status_code == 400:
        assert "TB4006" in ana.text
    need("pdf", answer.status_code == 200, "the extra pdf is not installed")
    assert answer.content.startswith(b"%PDF-")


def test_download_pdf_is_rejected_without_the_extra(ana: Visitor, uuid: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def rejected(*_: object) -> bytes:
        raise ServiceError("TB4006")

    monkeypatch.setattr(Typesetter, "pdf", rejected)
    answer = ana.get(f"{PATH}/{uuid}/pdf")

    assert answer.status_code == 400
    assert "TB4006" in ana.text


@pytest.mark.parametrize("path", ["", "/xml", "/pdf"])
def test_invoice_pages_answer_404_to_another_account(bea: Visitor, uuid: str, path: str) -> None:
    assert bea.get(f"{PATH}/{uuid}{path}").status_code == 404
    assert bea.get(f"{PATH}/{ELSEWHERE}{path}").status_code == 404


def test_search_hides_invoices_of_other_accounts(bea: Visitor, uuid: str) -> None:
    assert found(bea) == []
    assert found(bea, f"?uuid={uuid}") == []


def test_cancel_answers_404_to_another_account(
    bea: Visitor, administrator: Visitor, sandbox_app: CancellationApp, uuid: str
) -> None:
    for other in (bea, administrator):
        other.get(PATH)
        assert other.post(f"{PATH}/{uuid}/cancelar", {"motivo": "02"}).status_code == 404
    assert sandbox_app.history(uuid) == []


def test_reads_of_an_administrator_are_in_the_audit_log(
    ana: Visitor, administrator: Visitor, sandbox_app: CancellationApp, uuid: str
) -> None:
    def reads() -> list[tuple[str, str, int | None]]:
        events = list_audit_events(sandbox_app.container.get(opened_database), "document.read")
        return [(event.actor, event.subject, event.account_id) for event in events]

    before = reads()
    for visitor in (ana, administrator):
        assert visitor.get(f"{PATH}/{uuid}/xml").status_code == 200
    account_id = sandbox_app.container.get(account_services).accounts.find("ana@example.com").account_id
    assert reads()[len(before) :] == [("jefa@example.com", uuid, account_id)]


def test_search_shows_all_accounts_to_an_administrator(administrator: Visitor, uuid: str) -> None:
    assert uuid in found(administrator, f"?uuid={uuid}")
    assert "ana@example.com" in administrator.text
    administrator.get(f"{PATH}/{uuid}")
    assert "Cancelar la factura" not in administrator.text


@pytest.mark.parametrize("uuid", ["x", "%00", ELSEWHERE + "x", "..%2f.."])
def test_show_answers_404_for_an_invalid_folio(ana: Visitor, uuid: str) -> None:
    assert ana.get(f"{PATH}/{uuid}").status_code == 404


def test_cancel_shows_the_answer_of_the_authority(ana: Visitor, sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.invoice().lower()
    ana.get(f"{PATH}/{uuid}")
    answer = ana.post(f"{PATH}/{uuid}/cancelar", {"motivo": "02", "sustituta": ""})

    assert answer.status_code == 303
    ana.get(answer.headers["location"])
    assert "201 La autoridad recibió la solicitud" in ana.text
    assert "Cancelado sin aceptación" in ana.text
    assert "Se canceló; no hacía falta la aceptación del receptor" in ana.text
    assert "Pedir la cancelación" not in ana.text


def test_cancel_rejects_a_forged_form(ana: Visitor, sandbox_app: CancellationApp, uuid: str) -> None:
    assert ana.post(f"{PATH}/{uuid}/cancelar", {"motivo": "02"}, csrf_token="0" * 64).status_code == 403
    assert sandbox_app.history(uuid) == []


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"motivo": "01", "sustituta": ""}, "El motivo 01 requiere el folio"),
        ({"motivo": "09", "sustituta": ""}, "Clave de motivo"),
        ({"motivo": "01", "sustituta": "x"}, "inválido"),
        ({"motivo": "02" * 40, "sustituta": ""}, "a lo más"),
    ],
)
def test_cancel_renders_the_form_again_when_rejected(
    ana: Visitor, uuid: str, fields: dict[str, str], words: str
) -> None:
    ana.get(f"{PATH}/{uuid}")

    assert ana.post(f"{PATH}/{uuid}/cancelar", fields).status_code == 422
    assert words in ana.text


def test_related_invoices_lead_to_each_other(ana: Visitor, sandbox_app: CancellationApp) -> None:
    first = sandbox_app.invoice().lower()
    second = sandbox_app.invoice(relation="04", to=first).lower()

    for uuid, title, other in ((first, "Se refieren a esta factura", second), (second, "se refiere a", first)):
        ana.get(f"{PATH}/{uuid}")
        assert title in ana.text
        assert ana.page is not None
        assert ana.page.xpath(f"//section[@aria-labelledby='relations']//a[@href='{PATH}/{other}']")


def test_cancel_sends_the_folio_of_the_substitute(ana: Visitor, sandbox_app: CancellationApp) -> None:
    first = sandbox_app.invoice().lower()
    second = sandbox_app.invoice(relation="04", to=first).lower()
    ana.get(f"{PATH}/{first}")
    answer = ana.post(f"{PATH}/{first}/cancelar", {"motivo": "01", "sustituta": second})
    ana.get(answer.headers["location"])

    assert "Cancelado" in ana.text
    assert f"Sustituta: {second}" in ana.text


def test_cancel_shows_the_rejection_of_the_authority(ana: Visitor, sandbox_app: CancellationApp) -> None:
    first = sandbox_app.invoice().lower()
    sandbox_app.invoice(relation="04", to=first)
    ana.get(f"{PATH}/{first}")
    answer = ana.post(f"{PATH}/{first}/cancelar", {"motivo": "02", "sustituta": ""})
    ana.get(answer.headers["location"])

    assert "204 No se puede cancelar" in ana.text


def test_show_renders_the_invoice_when_the_authority_is_down(
    ana: Visitor, sandbox_app: CancellationApp, uuid: str
) -> None:
    sandbox_app.container.get(sandbox_services).faults.set("authority-down", times=2)
    answer = ana.get(f"{PATH}/{uuid}")

    assert answer.status_code == 200
    assert "La autoridad no responde" in ana.text
    assert "Se timbró" in ana.text


def test_script_in_an_invoice_stays_text(ana: Visitor, sandbox_app: CancellationApp) -> None:
    script = "<script>alert(1)</script>"
    text = examples.ingreso(
        {"@Folio": script}, concepts=[examples.concepto({"@Descripcion": script})], fecha=sandbox_app.fecha
    )
    etree.fromstring(text.encode())
    uuid = sandbox_app.issue(text.encode()).uuid.lower()

    for path in (PATH, f"{PATH}/{uuid}"):
        answer = ana.get(path)
        assert answer.status_code == 200
        assert script not in answer.text
        assert script in ana.text


def test_reflected_fields_stay_text(ana: Visitor) -> None:
    answer = ana.get(f"{PATH}?folio=%22%3E%3Cscript%3E&rfc=%22onfocus=%22x")

    assert "<script>" not in answer.text.replace('<script src="/estaticos', "")


def test_show_answers_co1000_and_logs_an_alarm_when_the_document_is_damaged() -> None:
    with TemporaryDirectory() as folder:
        sandbox_app = CancellationApp(Path(folder))
        ana, uuid = visitor_of(sandbox_app, "ana@example.com"), sandbox_app.invoice().lower()
        with sandbox_app.container.get(opened_database).write() as connection:
            connection.execute(text("UPDATE stamp SET cfdi = :cfdi"), {"cfdi": encode(b"<a")})
        assert "CO1000" in ana.get(f"{PATH}/{uuid}").text
        assert sandbox_app.container.metrics.counts["internal_errors", ("document-damaged",)] == 1
        sandbox_app.container.close()
