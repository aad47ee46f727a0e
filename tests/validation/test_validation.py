"""Validation: all findings at once, section by section, with the status of the authority."""

from __future__ import annotations

import asyncio

import pytest
from tests.support.sandbox_app import FECHA, SandboxApp, with_attribute, without_attribute
from tests.support.stamped import stamped as stamped_by_provider

from timbra.core.errors import ServiceError
from timbra.examples import Change, ExampleNode, ingreso, pago
from timbra.examples.comprobante import NAMESPACE, SCHEMA
from timbra.examples.pagos20 import complement, document, payment
from timbra.sandbox.build import sandbox_services
from timbra.validation.build import validation_services
from timbra.validation.models import EntryCause, ReportEntry, ReportEntryKind, ValidationReport

STRUCTURE = "Estructura del XML"
INVOICE = "Comprobante"
STAMP = "Timbre fiscal digital"
ARTICLE_69B = "Lista del artículo 69-B del CFF"


def report(sandbox_app: SandboxApp, xml: str | bytes, *, status: bool = True) -> ValidationReport:
    source = xml.encode() if isinstance(xml, str) else xml
    return asyncio.run(sandbox_app.container.get(validation_services).validation.validate(source, status))


def errors(report: ValidationReport) -> list[ReportEntry]:
    return [entry for section in report.sections for entry in section.entries if entry.kind is ReportEntryKind.ERROR]


def codes(report: ValidationReport) -> set[str | None]:
    return {entry.code for entry in errors(report)}


@pytest.fixture
def stamped(sandbox_app: SandboxApp) -> str:
    sandbox_app.store(sandbox_app.mint())
    return sandbox_app.issue(ingreso(fecha=FECHA).encode()).cfdi


def test_validate_reports_stamped_invoice_as_vigente(sandbox_app: SandboxApp, stamped: str) -> None:
    found = report(sandbox_app, stamped)
    assert not found.wrong, errors(found)
    assert [section.title for section in found.sections] == [STRUCTURE, INVOICE, STAMP, ARTICLE_69B]
    assert found.entries == []
    assert found.status_sat == "Vigente"
    assert found.status_code_sat == "S - Comprobante obtenido satisfactoriamente"
    assert found.status_cancelation == ""
    assert found.cadena_original_comprobante is not None
    assert found.cadena_original_comprobante.startswith("||4.0|")
    assert found.cadena_original_sat is not None
    assert found.cadena_original_sat.split("|")[3] == found.uuid


def test_validate_without_status_reports_no_aplica(sandbox_app: SandboxApp, stamped: str) -> None:
    found = report(sandbox_app, stamped, status=False)
    assert (found.status_sat, found.status_code_sat) == ("No Aplica", "No Aplica")
    assert (found.is_cancelable, found.status_cancelation) == (None, None)


def test_validate_warns_of_unstamped_invoice(sandbox_app: SandboxApp) -> None:
    found = report(sandbox_app, sandbox_app.sealed(ingreso(fecha=FECHA), sandbox_app.mint()))
    assert not found.wrong, errors(found)
    assert [(entry.code, entry.kind) for entry in found.sections[1].entries] == [
        ("SIN-TIMBRE", ReportEntryKind.WARNING)
    ]
    assert (found.uuid, found.cadena_original_sat) == (None, None)
    assert found.status_sat == "No Encontrado"
    assert [section.title for section in found.sections] == [STRUCTURE, INVOICE, ARTICLE_69B]


@pytest.mark.parametrize("attributes", ["empty", "absent"])
@pytest.mark.parametrize("require_stamp", [False, True])
def test_validate_reports_a_draft_once(sandbox_app: SandboxApp, attributes: str, require_stamp: bool) -> None:
    draft = ingreso(fecha=FECHA).encode()
    if attributes == "absent":
        for name in ("Sello", "NoCertificado", "Certificado"):
            draft = without_attribute(draft, name)
    validation = sandbox_app.container.get(validation_services).validation
    found = asyncio.run(validation.validate(draft, False, require_stamp=require_stamp))
    assert [(entry.code, entry.kind, entry.path, entry.hint) for entry in found.entries] == [
        ("CFDI40102", ReportEntryKind.ERROR, "@Sello", "No lleva Sello: es un borrador, o se le quitó el sello."),
        ("SIN-TIMBRE", ReportEntryKind.WARNING, None, None),
    ]


def test_validate_reports_other_errors_of_a_draft(sandbox_app: SandboxApp) -> None:
    found = report(sandbox_app, ingreso({"@FormaPago": "77"}, fecha=FECHA))
    assert [entry.code for entry in found.entries if entry.kind is ReportEntryKind.ERROR] == ["CFDI40102", "CFDI40104"]


def test_validate_examines_the_seal_of_a_document_that_has_a_certificate(sandbox_app: SandboxApp) -> None:
    sealed = sandbox_app.sealed(ingreso(fecha=FECHA), sandbox_app.mint())
    found = codes(report(sandbox_app, with_attribute(sealed, "Sello", "")))
    assert {"CFDI40102", "302"} <= found


def test_validate_rejects_unstamped_invoice_when_a_stamp_is_required(sandbox_app: SandboxApp, stamped: str) -> None:
    validation = sandbox_app.container.get(validation_services).validation
    sealed = sandbox_app.sealed(ingreso(fecha=FECHA), sandbox_app.mint())
    assert codes(asyncio.run(validation.validate(sealed, False, require_stamp=True))) == {"SIN-TIMBRE"}
    assert not asyncio.run(validation.validate(stamped.encode(), False, require_stamp=True)).entries


def test_validate_reports_every_fault(sandbox_app: SandboxApp, stamped: str) -> None:
    twice = with_attribute(with_attribute(stamped.encode(), "UsoCFDI", "NO"), "DomicilioFiscalReceptor", "01000")
    found = report(sandbox_app, twice)
    assert {"CFDI40102", "302"} <= codes(found)
    assert len({code for code in codes(found) if code and code.startswith("CFDI401")}) >= 3
    entry = next(entry for entry in errors(found) if entry.path == "Receptor/@UsoCFDI")
    assert entry.found == "NO"


def test_validate_reports_false_stamp_in_its_section(sandbox_app: SandboxApp, stamped: str) -> None:
    other = with_attribute(stamped.encode(), "RfcProvCertif", "AAA010101AAA")
    section = report(sandbox_app, other).sections[2]
    assert section.title == STAMP
    assert section.entries[0].message.startswith("TFD11303 - ")


def test_validate_reports_structure_fault_with_path_and_line(sandbox_app: SandboxApp, stamped: str) -> None:
    found = report(sandbox_app, without_attribute(stamped.encode(), "Moneda"))
    (entry, *_) = found.sections[0].entries
    assert entry.code == "301"
    assert "Moneda" in (entry.detail or "") + (entry.path or "")
    assert "CFDI40107" in {rule.code for rule in found.not_evaluated}


def test_validate_warns_of_unknown_complement_in_stamped_document(sandbox_app: SandboxApp) -> None:
    located = f"{NAMESPACE} {SCHEMA} urn:nuevo urn:nuevo.xsd"
    nuevo = ExampleNode("n:Nuevo", {"Version": "1.0"})
    changes: dict[str, Change] = {
        "@xmlns:n": "urn:nuevo",
        "@xsi:schemaLocation": located,
        "Complemento": ExampleNode("cfdi:Complemento", children=[nuevo]),
    }
    found = report(sandbox_app, stamped_by_provider(sandbox_app, ingreso(changes, fecha=FECHA), FECHA))
    assert not found.wrong, errors(found)
    assert any("No hay esquema" in (entry.detail or "") for entry in found.entries)
    assert "SELLO-COMPLEMENTO" in {entry.code for entry in found.entries if entry.kind is ReportEntryKind.WARNING}


def test_validate_evaluates_payment_complement(sandbox_app: SandboxApp) -> None:
    found = report(sandbox_app, sandbox_app.sealed(pago(fecha=FECHA), sandbox_app.mint()))
    assert not found.wrong, errors(found)
    assert found.sections[2].title == "Complemento Pagos"


PAYMENTS = "Complemento Pagos"


def test_validate_reports_complement_findings_in_its_section(sandbox_app: SandboxApp) -> None:
    changes: dict[str, Change] = {"@FormaPago": "03", "Complemento/Pagos/Pago/@FormaDePagoP": "99"}
    found = report(sandbox_app, sandbox_app.sealed(pago(changes, fecha=FECHA), sandbox_app.mint()))
    by_section = {section.title: [entry.code for entry in section.entries if entry.code] for section in found.sections}
    assert by_section[PAYMENTS] == ["CRP20105", "CRP20212"]
    assert by_section[INVOICE] == ["CFDI40103", "SIN-TIMBRE"]
    (follows,) = [entry for entry in found.entries if entry.code == "CRP20105"]
    assert follows.caused_by == EntryCause("CFDI40103", "@FormaPago")


def test_validate_reports_repeated_complement_once(sandbox_app: SandboxApp) -> None:
    more: dict[str, Change] = {"Complemento/Pagos[2]": complement([payment([document()])], FECHA)}
    found = report(sandbox_app, sandbox_app.sealed(pago(more, fecha=FECHA), sandbox_app.mint()))
    assert [section.title for section in found.sections] == [STRUCTURE, INVOICE, PAYMENTS, ARTICLE_69B]
    assert [(entry.code, entry.path) for entry in errors(found)] == [("CRP20999", "Complemento/Pagos[2]")]


def test_validate_evaluates_complement_rules_that_do_not_read_a_missing_attribute(sandbox_app: SandboxApp) -> None:
    text = pago({"Complemento/Pagos/Pago/@FormaDePagoP": "99"}, fecha=FECHA).replace('MonedaP="MXN" ', "")
    found = report(sandbox_app, sandbox_app.sealed(text, sandbox_app.mint()))
    assert codes(found) == {"301", "CRP20212"}
    assert {"CRP20213", "CRP20214"} & {rule.code for rule in found.not_evaluated}


def test_stamp_rejects_with_code_of_complement(sandbox_app: SandboxApp) -> None:
    sandbox_app.store(sandbox_app.mint())
    wrong = pago({"Complemento/Pagos/Pago/@FormaDePagoP": "99"}, fecha=FECHA)
    assert sandbox_app.rejection(wrong.encode(), issue=True).code == "CRP20212"
    assert sandbox_app.issue(pago(fecha=FECHA).encode()).cfdi


def test_validate_reports_faults_when_authority_is_down(sandbox_app: SandboxApp, stamped: str) -> None:
    sandbox_app.container.get(sandbox_services).faults.set("authority-down")
    found = report(sandbox_app, stamped)
    assert not found.wrong
    assert (found.status_sat, found.status_code_sat, found.is_cancelable, found.status_cancelation) == (None,) * 4
    warnings = [entry for entry in found.sections[1].entries if entry.kind is ReportEntryKind.WARNING]
    assert any("no respondió" in (entry.detail or "") for entry in warnings)


def test_validate_reports_no_encontrado_for_unknown_stamp(
    sandbox_app: SandboxApp, stamped: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = SandboxApp(tmp_path_factory.mktemp("elsewhere") / "data", own_keys=True)
    found = report(elsewhere, stamped)
    elsewhere.container.close()
    assert found.status_sat == "No Encontrado"
    assert found.status_code_sat == "N - 602: Comprobante no encontrado."
    assert "308" in codes(found)


@pytest.mark.parametrize("xml", [b"<a/>", b"no", b'<r:Retenciones xmlns:r="urn:x"/>'])
def test_validate_rejects_other_documents(sandbox_app: SandboxApp, xml: bytes) -> None:
    with pytest.raises(ServiceError) as caught:
        report(sandbox_app, xml)
    assert caught.value.code == "301"


def test_validate_rejects_empty_document(sandbox_app: SandboxApp) -> None:
    with pytest.raises(ServiceError) as caught:
        report(sandbox_app, b" \n")
    assert caught.value.code == "xml-missing"
