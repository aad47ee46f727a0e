"""Findings that follow from another finding."""

from __future__ import annotations

from dataclasses import replace

from tests.support.reference_data import reference_data
from tests.support.rules import nodes

from timbra.examples import Change, ingreso, pago
from timbra.rules.engine.profiles import VALIDATE
from timbra.rules.engine.result import Finding, FindingCause, leading_value
from timbra.rules.registry import ENGINE


def grouped(text: str) -> dict[str, list[str]]:
    """Return the codes of the findings that follow from each primary one, by its code."""
    findings: tuple[Finding, ...] = ENGINE.check_by_cause(nodes(text), reference_data(), VALIDATE).findings
    primary = [each for each in findings if each.cause is None]
    return {
        finding.code: [each.code for each in findings if each.cause == FindingCause(finding.code, finding.path)]
        for finding in primary
    }


def test_total_of_payments_follows_from_wrong_tipo_cambio() -> None:
    assert grouped(pago({"Complemento/Pagos/Pago/@TipoCambioP": "20.5"})) == {"CRP20215": ["CRP20211"]}


def test_requirements_of_payments_follow_from_wrong_type_of_document() -> None:
    text = pago({"@TipoDeComprobante": "I", "@Moneda": "MXN", "@SubTotal": "1.00", "@FormaPago": "03"})
    found = grouped(text)
    assert {"CRP20103", "CRP20104", "CRP20105"} <= set(found["CRP20101"])
    assert not {"CRP20103", "CRP20104", "CRP20105"} & set(found)


def test_independent_findings_are_primary() -> None:
    changes: dict[str, Change] = {"Receptor/@UsoCFDI": "X01", "@Exportacion": "05"}
    assert grouped(ingreso(changes)) == {"CFDI40123": [], "CFDI40160": []}


def test_check_by_cause_keeps_every_finding() -> None:
    text = ingreso({"Conceptos/Concepto/@Importe": "201.00", "@Total": "1.00"})
    flat = ENGINE.check(nodes(text), reference_data(), VALIDATE).findings
    marked = ENGINE.check_by_cause(nodes(text), reference_data(), VALIDATE).findings
    assert [replace(finding, cause=None) for finding in marked] == list(flat)
    assert {finding.cause.code for finding in marked if finding.cause} <= {
        each.code for each in marked if not each.cause
    }


def test_leading_value_is_the_value_without_its_reason() -> None:
    assert leading_value("200.00, de la suma 200.00 de los importes") == "200.00"
    assert leading_value("UNIVERSIDAD ROBOTICA ESPAÑOLA") == "UNIVERSIDAD ROBOTICA ESPAÑOLA"
    assert leading_value("a lo más 2 decimales") is None
    assert leading_value("10, 11, 16 o 18 posiciones") is None
    assert leading_value(None) is None
