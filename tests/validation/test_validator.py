"""The validator page: one report for each document, findings with places, escaped texts."""

from __future__ import annotations

import pytest
from tests.support.browser import Visitor, portal_app
from tests.support.comprobante32 import cfd22, comprobante32, sealed32, stamped32
from tests.support.retenciones10 import retencion10, sealed10, stamped10
from tests.support.sandbox_app import FECHA, SandboxApp, with_attribute

from timbra import examples
from timbra.app.composition import open_container
from timbra.container.build import data_folder
from timbra.delivery.ports import authority_work
from timbra.sandbox.build import sandbox_services
from timbra.settings import Settings
from timbra.stamping.models import DocumentKind


@pytest.fixture
def good(sandbox_app: SandboxApp) -> bytes:
    sandbox_app.store(sandbox_app.mint())
    return sandbox_app.issue(examples.ingreso(fecha=FECHA).encode()).cfdi.encode()


def validated_status(visitor: Visitor, *documents: tuple[str, bytes], status: bool = False) -> int:
    visitor.get("/validador")
    fields = {"status": "yes"} if status else {}
    return visitor.post("/validador", fields, files=[("xml", document) for document in documents]).status_code


def test_validator_is_public_in_the_sandbox(visitor: Visitor) -> None:
    assert visitor.get("/validador").status_code == 200


def test_validator_renders_a_valid_document(visitor: Visitor, good: bytes) -> None:
    visitor.sandbox_app.container.get(authority_work).deliver()

    assert validated_status(visitor, ("good.xml", good), status=True) == 200
    for words in ("good.xml", "Sin errores", "Vigente", "ESCUELA KEMPER URGATE", "Sello digital del SAT"):
        assert words in visitor.text


def test_finding_links_to_its_line_and_its_rule(visitor: Visitor, good: bytes) -> None:
    validated_status(visitor, ("wrong.xml", with_attribute(good, "SubTotal", "7.77")))

    assert visitor.page is not None
    (finding,) = [card for card in visitor.page.find_class("finding") if "CFDI40108" in (card.findtext("p/a") or "")]
    rule, place = (link.get("href") for link in finding.findall("p/a"))
    line = visitor.page.get_element_by_id(place.removeprefix("#"))
    assert 'SubTotal="7.77"' in line.text_content()
    assert "CFDI40108" in line.text_content()
    assert visitor.get(rule).status_code == 200
    assert "@SubTotal" in visitor.text


def test_finding_marks_the_rendered_invoice(visitor: Visitor, good: bytes) -> None:
    validated_status(visitor, ("wrong.xml", with_attribute(good, "ClaveProdServ", "99999999")))

    assert visitor.page is not None
    (row,) = visitor.page.xpath("//article[@class='invoice']//tr[@class='marked']")
    assert "CFDI40162" in row.text_content()


def test_validator_summarizes_several_documents(visitor: Visitor, good: bytes) -> None:
    validated_status(visitor, ("a.xml", good), ("b.xml", b"<no"), ("c.xml", with_attribute(good, "Total", "1")))

    assert visitor.page is not None
    rows = visitor.page.xpath("//table[contains(@class, 'summary')]/tbody/tr")
    assert [row.xpath("normalize-space(td[2])") for row in rows] == ["sin errores", "no es un CFDI", "con errores"]


def test_section_with_only_consequences_is_not_correct(visitor: Visitor, sandbox_app: SandboxApp) -> None:
    wrong = sandbox_app.sealed(examples.pago({"@FormaPago": "03"}, fecha=FECHA), sandbox_app.mint())
    validated_status(visitor, ("wrong.xml", wrong))

    assert visitor.page is not None
    (section,) = visitor.page.xpath("//details[contains(@class, 'section')][contains(summary, 'Complemento Pagos')]")
    assert section.xpath("string(summary/span)") == "1"
    (folded,) = section.xpath(".//details")
    assert folded.xpath("string(summary)") == "Consecuencias: 1"
    assert "CRP20105" in folded.text_content()
    assert "Consecuencia de CFDI40103" in folded.text_content()


def test_validator_reports_on_a_retencion(visitor: Visitor, sandbox_app: SandboxApp) -> None:
    sandbox_app.store(sandbox_app.mint())
    good = sandbox_app.issue(examples.retencion(fecha=FECHA).encode(), kind=DocumentKind.RETENCIONES).cfdi.encode()

    validated_status(visitor, ("good.xml", good), ("wrong.xml", with_attribute(good, "MontoTotRet", "7.77")))

    assert visitor.page is not None
    rows = visitor.page.xpath("//table[contains(@class, 'summary')]/tbody/tr")
    assert [row.xpath("normalize-space(td[2])") for row in rows] == ["sin errores", "con errores"]
    assert "Monto total retenido" in visitor.text
    marks = visitor.page.xpath("//article[@class='invoice']//span[contains(@class, 'mark')]")
    assert any("Reten20131" in mark.text_content() for mark in marks)


def test_validator_reports_on_retenciones_10(visitor: Visitor, sandbox_app: SandboxApp) -> None:
    provider = sandbox_app.container.get(sandbox_services).authority_ca.provider
    good = stamped10(sealed10(retencion10(), sandbox_app.mint()), provider)

    validated_status(visitor, ("good.xml", good), ("wrong.xml", with_attribute(good, "montoTotRet", "7.77")))

    assert visitor.page is not None
    rows = visitor.page.xpath("//table[contains(@class, 'summary')]/tbody/tr")
    assert [row.xpath("normalize-space(td[2])") for row in rows] == ["sin errores", "con errores"]
    assert "T302" in visitor.text
    assert "RET10-REGLAS" in visitor.text


def test_validator_reports_on_cfdi_32_and_cfd_22(visitor: Visitor, sandbox_app: SandboxApp) -> None:
    credential = sandbox_app.mint()
    provider = sandbox_app.container.get(sandbox_services).authority_ca.provider
    good = stamped32(sealed32(comprobante32(), credential), provider)

    validated_status(visitor, ("32.xml", good), ("22.xml", cfd22(credential)))

    assert visitor.page is not None
    rows = visitor.page.xpath("//table[contains(@class, 'summary')]/tbody/tr")
    assert [row.xpath("normalize-space(td[2])") for row in rows] == ["sin errores", "sin errores"]
    for words in ("CFDI32-REGLAS", "CFD22-REGLAS", "ESCUELA KEMPER URGATE", "232.00", "La estructura no se revisó"):
        assert words in visitor.text


def test_validator_rejects_a_form_without_files(visitor: Visitor) -> None:
    assert validated_status(visitor) == 422


def test_markup_of_a_document_and_its_name_is_escaped(visitor: Visitor, good: bytes) -> None:
    evil = "&lt;script&gt;alert(1)&lt;/script&gt;"
    validated_status(visitor, ("<img src=x onerror=alert(1)>.xml", with_attribute(good, "Descripcion", evil)))

    assert visitor.page is not None
    assert visitor.page.xpath("//main//script") == []
    assert visitor.page.xpath("//img[@onerror]") == []
    assert "<script>alert(1)</script>" in visitor.text


def test_finding_names_the_other_code_with_which_its_message_begins(visitor: Visitor, good: bytes) -> None:
    validated_status(visitor, ("a.xml", with_attribute(good, "DomicilioFiscalReceptor", "01000")))

    assert visitor.page is not None
    [finding] = visitor.page.xpath("//article[p/a='CFDI40148']")
    assert "CFDI40147 - " not in finding.text_content()
    assert "Se informa como CFDI40147" in " ".join(finding.text_content().split())
    assert finding.xpath(".//a[.='CFDI40147']/@href") == ["/validador/reglas/CFDI40147"]


def test_page_of_a_document_with_thousands_of_findings_is_bounded(visitor: Visitor) -> None:
    text = examples.ingreso(concepts=2000, fecha=FECHA).replace('ClaveUnidad="', 'ClaveUnidad="?')
    visitor.get("/validador")
    answer = visitor.post("/validador", {}, files=[("xml", ("long.xml", text.encode()))])

    assert answer.status_code == 200
    assert len(answer.content) < 1_500_000
    assert "más; timbra validate y la API muestran todas" in visitor.text


@pytest.mark.parametrize(
    "code",
    ["CFDI40147", "cfdi40999", "305", "401", "CRP20101", "TB4001", "RET10-REGLAS", "NS-PREFIJO", "TB6001", "TB6013"],
)
def test_rule_page_exists_for_known_codes(visitor: Visitor, code: str) -> None:
    assert visitor.get(f"/validador/reglas/{code}").status_code == 200


@pytest.mark.parametrize("code", ["CFDI99999", "%3Cscript%3E", "%00"])
def test_rule_page_answers_404_for_unknown_codes(visitor: Visitor, code: str) -> None:
    assert visitor.get(f"/validador/reglas/{code}").status_code == 404


def test_rule_page_shows_cause_remedy_and_the_difference_of_the_documents(visitor: Visitor) -> None:
    visitor.get("/validador/reglas/40108")

    assert visitor.page is not None
    for words in ("CFDI40108", "Causa", "Remedio", "Al timbrar", "Vigencia", "Documento que incumple la regla"):
        assert words in visitor.text
    (row,) = visitor.page.xpath("//tbody/tr[th='@SubTotal']")
    assert [cell.text_content().strip() for cell in row.findall("td")] == ["200.00", "199.00"]


def test_rule_page_suggests_codes_when_the_code_is_unknown(visitor: Visitor) -> None:
    assert visitor.get("/validador/reglas/CFDI4147").status_code == 404
    assert visitor.page is not None
    assert visitor.page.xpath("//main//a/@href")[0] == "/validador/reglas/CFDI40147"


def test_rule_page_shows_every_meaning_of_a_code(visitor: Visitor) -> None:
    visitor.get("/validador/reglas/201")
    assert "EstatusUUID" in visitor.text
    assert "ValidacionEFOS" in visitor.text


def test_validator_requires_a_session_in_production(visitor: Visitor) -> None:
    settings = Settings(data=visitor.sandbox_app.container.get(data_folder) / "production", environment="production")
    with open_container(settings) as container:
        visitor._app = portal_app(container)
        assert visitor.get("/validador").headers["location"] == "/portal/entrar?regreso=%2Fvalidador"
