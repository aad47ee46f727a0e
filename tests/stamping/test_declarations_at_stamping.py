"""Declarations at stamping: the code, and its place in the order of checks."""

from __future__ import annotations

import pytest
from tests.support.sandbox_app import FECHA, SandboxApp, without_attribute
from tests.support.wrong_declarations import DECLARED, LOCATED, PAGOS, WRONG, XSD, changed

from timbra.examples import ingreso
from timbra.rules.rulesets.declarations.evaluation import AT_STAMPING
from timbra.stamping.checks import ORDER

CODES = [rule.code for rule in AT_STAMPING]
REJECTED = {
    name: min(expected & set(CODES), key=CODES.index) for name, (_, expected) in WRONG.items() if expected & set(CODES)
}
"""The code that stamping reports by the mistake."""
TFD = '<tfd:TimbreFiscalDigital xmlns:tfd="http://www.sat.gob.mx/TimbreFiscalDigital" Version="1.1"/>'


@pytest.mark.parametrize("name", REJECTED)
@pytest.mark.parametrize("issue", [True, False])
def test_stamping_rejects_wrong_declarations(sandbox_app: SandboxApp, name: str, issue: bool) -> None:
    sandbox_app.store(sandbox_app.mint())
    rejection = sandbox_app.rejection(WRONG[name][0].encode(), issue=issue)
    assert rejection.code == REJECTED[name]
    assert rejection.location is not None
    assert rejection.detail


def test_declarations_are_checked_in_the_order_of_the_contract_before_structure() -> None:
    assert CODES == ["CO1001", "CO1002", "CO1003", "CO1004", "CO1005", "CC3001"]
    (row,) = [place for place, check in enumerate(ORDER) if "CC3001" in check.codes]
    assert ORDER[row].codes == tuple(CODES)
    assert ORDER[row + 1].codes == ("301",)


def test_check_document_rejects_declarations_before_structure(sandbox_app: SandboxApp) -> None:
    broken = without_attribute(WRONG["the schema of 3.3"][0].encode(), "Moneda")
    assert sandbox_app.rejection(broken).code == "CC3001"
    assert sandbox_app.rejection(broken, issue=True).code == "csd-missing"
    sandbox_app.store(sandbox_app.mint())
    assert sandbox_app.rejection(broken, issue=True).code == "CC3001"
    without_issuer = without_attribute(WRONG["the schema of 3.3"][0].encode(), "Rfc")
    assert sandbox_app.rejection(without_issuer, issue=True).code == "CC3001"


def test_check_document_rejects_complements_before_the_invoice(sandbox_app: SandboxApp) -> None:
    both = changed("cfd/4/cfdv40.xsd", "cfd/3/cfdv33.xsd")
    for wrong, code in (
        (changed("<pago20:Pagos ", f'<pago20:Pagos xsi:schemaLocation="{PAGOS} {XSD}" ', both), "CO1005"),
        (changed(LOCATED, "", both), "CO1003"),
        (changed("<pago20:Pagos ", f"<pago20:Pagos{DECLARED} ", changed(DECLARED, "", both)), "CO1002"),
        (both, "CC3001"),
    ):
        assert sandbox_app.rejection(wrong.encode()).code == code


@pytest.mark.parametrize("parent", ["Concepto", "Conceptos", "Comprobante"])
def test_check_document_rejects_stamp_outside_complemento_as_307(sandbox_app: SandboxApp, parent: str) -> None:
    inside = f"<cfdi:ComplementoConcepto>{TFD}</cfdi:ComplementoConcepto>" if parent == "Concepto" else TFD
    text = ingreso(fecha=FECHA).replace(f"</cfdi:{parent}>", f"{inside}</cfdi:{parent}>", 1)
    rejection = sandbox_app.rejection(sandbox_app.sealed(text, sandbox_app.mint()))
    assert (rejection.code, rejection.data) == ("307", None)


def test_stamp_accepts_stamp_in_addenda(sandbox_app: SandboxApp) -> None:
    text = ingreso(fecha=FECHA).replace("</cfdi:Comprobante>", f"<cfdi:Addenda>{TFD}</cfdi:Addenda></cfdi:Comprobante>")
    assert sandbox_app.stamp(sandbox_app.sealed(text, sandbox_app.mint())).uuid


def test_stamping_evaluates_no_rule_that_only_warns() -> None:
    assert {rule.severity.value for rule in AT_STAMPING} == {"error"}
