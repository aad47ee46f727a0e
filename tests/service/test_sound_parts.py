"""Rules of the sound parts of a document whose structure has faults."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from lxml import etree
from tests.cfdi.oracle import filled
from tests.service.test_validation import errors, report
from tests.support.reference_data import reference_data
from tests.support.sandbox_app import FECHA, SandboxApp
from tests.support.sat import make_snapshot

from timbra.cfdi.structure import Structure
from timbra.examples import Change, carta_porte, ingreso, nomina, pago
from timbra.rules.engine.profiles import VALIDATE
from timbra.rules.engine.result import EvaluationResult
from timbra.rules.registry import ENGINE
from timbra.service.evaluation.sound_parts import sound_parts

WRONG_NAME: dict[str, Change] = {"Receptor/@UsoCFDI": "X01"}


@pytest.fixture(scope="module")
def structure(tmp_path_factory: pytest.TempPathFactory) -> Structure:
    return Structure(make_snapshot(tmp_path_factory.mktemp("sat")))


def evaluated(text: str, structure: Structure) -> EvaluationResult | None:
    root = filled(etree.fromstring(text.encode()))
    assert structure.check(root)
    nodes = sound_parts(root, structure)
    return None if nodes is None else ENGINE.check_sound_parts(nodes, reference_data(), VALIDATE)


def codes(text: str, structure: Structure) -> set[str]:
    result = evaluated(text, structure)
    assert result is not None
    return {finding.code for finding in result.findings}


@pytest.mark.parametrize(
    "fault",
    [
        {"Conceptos/Concepto/@Cantidad": "x"},
        {"Conceptos/Concepto/@Importe": "1,00"},
        {"@Serie": "A|B"},
        {"Emisor": None},
        {"Impuestos/@rfc": "X"},
        {"Conceptos/Concepto": None},
    ],
)
def test_rules_of_receptor_are_evaluated_when_another_part_has_faults(
    structure: Structure, fault: dict[str, Change]
) -> None:
    assert codes(ingreso(WRONG_NAME | fault), structure) == {"CFDI40160"}


def test_rules_of_the_invoice_are_evaluated_when_a_complement_has_faults(structure: Structure) -> None:
    changes: dict[str, Change] = {"Receptor/@UsoCFDI": "X01", "Complemento/Pagos/Pago/@Monto": "x"}
    result = evaluated(pago(changes), structure)
    assert result is not None
    assert "CFDI40160" in {finding.code for finding in result.findings}
    assert {finding.path for finding in result.findings} == {"Receptor/@UsoCFDI"}


def test_rules_that_read_a_faulted_value_are_not_evaluated(structure: Structure) -> None:
    result = evaluated(ingreso({"@SubTotal": "-x"}), structure)
    assert result is not None
    assert result.findings == ()
    assert {"CFDI40108", "CFDI40119"} <= {record.code for record in result.not_evaluated}


def test_rules_are_not_evaluated_when_fecha_is_missing(structure: Structure) -> None:
    assert evaluated(ingreso({"@Fecha": None}), structure) is None


@pytest.mark.parametrize("make", [ingreso, pago, nomina, carta_porte])
@pytest.mark.parametrize("change", ["remove", "replace"])
def test_no_rule_reports_a_document_with_one_faulted_value(
    structure: Structure, make: Callable[[], str], change: str
) -> None:
    root = filled(etree.fromstring(make().encode()))
    for element in list(root.iter(etree.Element)):
        for name in [str(each) for each in element.attrib if not str(each).startswith("{")]:
            before = str(element.attrib[name])
            if change == "remove":
                del element.attrib[name]
            else:
                element.attrib[name] = "|"
            nodes = sound_parts(root, structure) if structure.check(root) and name.lower() != "version" else None
            if nodes is not None:
                result = ENGINE.check_sound_parts(nodes, reference_data(), VALIDATE)
                assert result is None or result.findings == (), (element.tag, name)
            element.attrib[name] = before


@pytest.mark.parametrize("make", [ingreso, pago, nomina, carta_porte])
def test_no_rule_reports_a_document_without_one_required_element(structure: Structure, make: Callable[[], str]) -> None:
    count = len(list(etree.fromstring(make().encode()).iter(etree.Element)))
    for number in range(1, count):
        root = filled(etree.fromstring(make().encode()))
        element = list(root.iter(etree.Element))[number]
        parent = element.getparent()
        assert parent is not None
        parent.remove(element)
        nodes = sound_parts(root, structure) if structure.check(root) else None
        if nodes is not None:
            result = ENGINE.check_sound_parts(nodes, reference_data(), VALIDATE)
            assert result is None or result.findings == (), (element.tag, result)


def test_validate_reports_faults_and_rules_together(sandbox_app: SandboxApp) -> None:
    text = ingreso({"Receptor/@UsoCFDI": "X01", "Conceptos/Concepto/@Importe": "x"}, fecha=FECHA)
    found = report(sandbox_app, sandbox_app.sealed(text, sandbox_app.mint()))
    assert [(entry.code, entry.path, entry.found) for entry in errors(found)] == [
        ("301", "Conceptos/Concepto[1]/@Importe", "x"),
        ("CFDI40160", "Receptor/@UsoCFDI", "X01"),
    ]


def test_validate_says_that_certificado_is_empty(sandbox_app: SandboxApp) -> None:
    (entry,) = [each for each in report(sandbox_app, ingreso(fecha=FECHA)).entries if each.code == "CFDI40106"]
    assert entry.detail == "Comprobante.Certificado: Está vacío; debe contener el certificado en base64."
