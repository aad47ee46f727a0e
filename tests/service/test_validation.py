"""Validation: everything wrong at once, section by section, with the authority's word."""

from __future__ import annotations

import asyncio

import pytest
from tests.support.desk import FECHA, Desk, with_attribute, without_attribute

from timbra.errors import ServiceError
from timbra.examples import Change, Node, ingreso, pago
from timbra.examples.comprobante import NAMESPACE, SCHEMA
from timbra.examples.pagos20 import complement, document, payment
from timbra.service.report import Entry, EntryKind, Report

STRUCTURE = "CFDI40 - Validacion de Estructura"
INVOICE = "CFDI40 - Validaciones Proveedor Comprobante ( CFDI40 )"
STAMP = "CFDI40 - Validaciones Proveedor Complemento tfd:TimbreFiscalDigital"


def report(desk: Desk, xml: str | bytes, *, status: bool = True) -> Report:
    source = xml.encode() if isinstance(xml, str) else xml
    return asyncio.run(desk.house.validation.validate(source, status))


def errors(report: Report) -> list[Entry]:
    return [entry for section in report.sections for entry in section.entries if entry.kind is EntryKind.ERROR]


def codes(report: Report) -> set[str | None]:
    return {entry.code for entry in errors(report)}


@pytest.fixture
def stamped(desk: Desk) -> str:
    desk.store(desk.mint())
    return desk.issue(ingreso(fecha=FECHA).encode()).cfdi


def test_a_stamped_invoice_is_right_and_vigente(desk: Desk, stamped: str) -> None:
    found = report(desk, stamped)
    assert not found.wrong, errors(found)
    assert [section.name for section in found.sections] == [STRUCTURE, INVOICE, STAMP]
    assert all(section.entries[0].message == "OK" for section in found.sections)
    assert found.status_sat == "Vigente"
    assert found.status_code_sat == "S - Comprobante obtenido satisfactoriamente"
    assert found.status_cancelation == ""
    assert found.cadena_original_comprobante is not None
    assert found.cadena_original_comprobante.startswith("||4.0|")
    assert found.cadena_original_sat is not None
    assert found.cadena_original_sat.split("|")[3] == found.uuid


def test_without_the_look_up_the_status_does_not_apply(desk: Desk, stamped: str) -> None:
    found = report(desk, stamped, status=False)
    assert (found.status_sat, found.status_code_sat) == ("No Aplica", "No Aplica")
    assert (found.is_cancelable, found.status_cancelation) == (None, None)


def test_an_unstamped_invoice_has_no_folio_and_three_sections(desk: Desk) -> None:
    found = report(desk, desk.sealed(ingreso(fecha=FECHA), desk.mint()))
    assert not found.wrong, errors(found)
    assert (found.uuid, found.cadena_original_sat) == (None, None)
    assert found.status_sat == "No Encontrado"
    assert found.sections[2].name == "CFDI40 - Validaciones Proveedor Complemento "


def test_every_fault_is_told_at_once(desk: Desk, stamped: str) -> None:
    twice = with_attribute(with_attribute(stamped.encode(), "UsoCFDI", "NO"), "DomicilioFiscalReceptor", "01000")
    found = report(desk, twice)
    assert {"CFDI40102", "302"} <= codes(found)
    assert len({code for code in codes(found) if code and code.startswith("CFDI401")}) >= 3
    entry = next(entry for entry in errors(found) if entry.path == "Receptor/@UsoCFDI")
    assert entry.found == "NO"


def test_a_false_stamp_is_told_in_its_own_section(desk: Desk, stamped: str) -> None:
    other = with_attribute(stamped.encode(), "RfcProvCertif", "AAA010101AAA")
    section = report(desk, other).sections[2]
    assert section.name == STAMP
    assert section.entries[0].message.startswith("TFD11303 - ")


def test_a_wrong_structure_is_told_with_path_and_line(desk: Desk, stamped: str) -> None:
    found = report(desk, without_attribute(stamped.encode(), "Moneda"))
    (entry, *_) = found.sections[0].entries
    assert entry.code == "301"
    assert "Moneda" in (entry.detail or "") + (entry.path or "")
    assert any("no se evaluaron" in (warning.detail or "") for warning in found.sections[1].entries)


def test_an_unknown_complement_is_a_warning(desk: Desk) -> None:
    located = f"{NAMESPACE} {SCHEMA} urn:nuevo urn:nuevo.xsd"
    nuevo = Node("n:Nuevo", {"Version": "1.0"})
    changes: dict[str, Change] = {
        "@xmlns:n": "urn:nuevo",
        "@xsi:schemaLocation": located,
        "Complemento": Node("cfdi:Complemento", children=[nuevo]),
    }
    xml = ingreso(changes, fecha=FECHA)
    found = report(desk, desk.sealed(xml, desk.mint()))
    assert not found.wrong, errors(found)
    assert any("No hay esquema" in (entry.detail or "") for entry in found.entries)
    assert "SELLO-COMPLEMENTO" in {entry.code for entry in found.entries if entry.kind is EntryKind.WARNING}


def test_a_payment_is_validated_with_its_complement(desk: Desk) -> None:
    found = report(desk, desk.sealed(pago(fecha=FECHA), desk.mint()))
    assert not found.wrong, errors(found)
    assert found.sections[2].name == "CFDI40 - Validaciones Proveedor Complemento pago20:Pagos"


PAYMENTS = "CFDI40 - Validaciones Proveedor Complemento pago20:Pagos"


def test_what_a_complements_book_finds_stands_in_its_section(desk: Desk) -> None:
    changes: dict[str, Change] = {"@FormaPago": "03", "Complemento/Pagos/Pago/@FormaDePagoP": "99"}
    found = report(desk, desk.sealed(pago(changes, fecha=FECHA), desk.mint()))
    by_section = {section.name: [entry.code for entry in section.entries if entry.code] for section in found.sections}
    assert by_section[PAYMENTS] == ["CRP20105", "CRP20212"]
    assert [code for code in by_section[INVOICE] if code not in ("CFDI40163", "CFDI40164")] == ["CFDI40103"]


def test_two_of_a_complement_are_told_of_once(desk: Desk) -> None:
    more: dict[str, Change] = {"Complemento/Pagos[2]": complement([payment([document()])], FECHA)}
    found = report(desk, desk.sealed(pago(more, fecha=FECHA), desk.mint()))
    assert [section.name for section in found.sections] == [STRUCTURE, INVOICE, PAYMENTS]
    assert [(entry.code, entry.path) for entry in errors(found)] == [("CRP20999", "Complemento/Pagos[2]")]


def test_a_wrong_structure_leaves_the_complements_book_unasked(desk: Desk) -> None:
    text = pago({"Complemento/Pagos/Pago/@FormaDePagoP": "99"}, fecha=FECHA).replace('MonedaP="MXN" ', "")
    found = report(desk, desk.sealed(text, desk.mint()))
    assert codes(found) == {"301"}


def test_stamping_refuses_with_the_complements_code(desk: Desk) -> None:
    desk.store(desk.mint())
    wrong = pago({"Complemento/Pagos/Pago/@FormaDePagoP": "99"}, fecha=FECHA)
    assert desk.refusal(wrong.encode(), issue=True).code == "CRP20212"
    assert desk.issue(pago(fecha=FECHA).encode()).cfdi


def test_an_authority_that_is_down_hides_nothing(desk: Desk, stamped: str) -> None:
    desk.house.faults.set("authority-down")
    found = report(desk, stamped)
    assert not found.wrong
    assert (found.status_sat, found.status_code_sat, found.is_cancelable, found.status_cancelation) == (None,) * 4
    warnings = [entry for entry in found.sections[1].entries if entry.kind is EntryKind.WARNING]
    assert any("no respondió" in (entry.detail or "") for entry in warnings)


def test_a_document_stamped_elsewhere_is_not_found(
    desk: Desk, stamped: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = Desk(tmp_path_factory.mktemp("elsewhere") / "data")
    found = report(elsewhere, stamped)
    elsewhere.house.close()
    assert found.status_sat == "No Encontrado"
    assert found.status_code_sat == "N - 602: Comprobante no encontrado."
    assert "308" in codes(found)


@pytest.mark.parametrize("xml", [b"<a/>", b"no", b'<r:Retenciones xmlns:r="urn:x"/>'])
def test_what_is_no_cfdi_is_an_error(desk: Desk, xml: bytes) -> None:
    with pytest.raises(ServiceError) as caught:
        report(desk, xml)
    assert caught.value.code == "301"


def test_nothing_at_all_is_an_error(desk: Desk) -> None:
    with pytest.raises(ServiceError) as caught:
        report(desk, b" \n")
    assert caught.value.code == "xml-missing"
