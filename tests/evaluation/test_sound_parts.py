"""Rules of the sound parts of a document whose structure has faults."""

from __future__ import annotations

import sys
from collections.abc import Callable
from random import Random

import pytest
from lxml import etree
from tests.cfdi.oracle import filled
from tests.support.effort import LONG
from tests.support.minimal_elements import elements
from tests.support.reference_data import reference_data
from tests.support.sandbox_app import FECHA, SandboxApp
from tests.support.sat import make_snapshot
from tests.validation.test_validation import errors, report

from timbra.cfdi.nodes import Node
from timbra.cfdi.nodes.unsound import node_kinds
from timbra.cfdi.structure import Structure
from timbra.evaluation.sound_parts import sound_parts
from timbra.examples import Change, carta_porte, ingreso, nomina, pago, retencion
from timbra.examples.documents import DOCUMENTS
from timbra.rules.engine.profiles import VALIDATE
from timbra.rules.engine.result import EvaluationResult
from timbra.rules.registry import ENGINE

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
    found = report(sandbox_app, ingreso({"@Sello": "AAAA"}, fecha=FECHA))
    (entry,) = [each for each in found.entries if each.code == "CFDI40106"]
    assert entry.detail == "@Certificado: está vacío; se esperaba el certificado en base64."


XSI = "{http://www.w3.org/2001/XMLSchema-instance}"
FOREIGN = ((f"{XSI}type", "xs:string"), (f"{XSI}type", "|"), (f"{XSI}nil", "true"), (f"{XSI}schemaLocation", "a b"),
           ("{urn:example}type", "|"))  # fmt: skip


@pytest.mark.parametrize("make", [ingreso, pago, nomina, carta_porte])
def test_sound_parts_are_found_with_attributes_of_other_namespaces(
    structure: Structure, make: Callable[[], str]
) -> None:
    root = filled(etree.fromstring(make().encode()))
    faulted = 0
    for element in list(root.iter(etree.Element)):
        for name, value in FOREIGN:
            element.set(name, value)
            faults = structure.check(root)
            assert len({fault.path for fault in faults}) == len(faults), (element.tag, name)
            if faults:
                faulted += 1
                nodes = sound_parts(root, structure)
                if nodes is not None:
                    ENGINE.check_sound_parts(nodes, reference_data(), VALIDATE)
            del element.attrib[name]
    assert faulted


def test_every_element_of_every_complement_has_sound_parts_with_attributes_of_other_namespaces(
    structure: Structure,
) -> None:
    """Also those of complements without rules, at elements that no example has."""
    checked = 0
    complements = [each for each in structure.supported if not each.document and each.element != "TimbreFiscalDigital"]
    for number, standard in enumerate(complements):
        for place, declared in enumerate(elements(standard)):
            if not LONG and (number + place) % 12:
                continue
            for name, value in FOREIGN:
                document = filled(etree.fromstring(ingreso().encode()))
                complement, element = declared.build()
                element.set(name, value)
                etree.SubElement(document, f"{{{etree.QName(document).namespace}}}Complemento").append(complement)
                if structure.check(document):
                    nodes = sound_parts(document, structure)
                    if nodes is not None:
                        ENGINE.check_sound_parts(nodes, reference_data(), VALIDATE)
                checked += 1
    assert checked > 100


def assert_answered(structure: Structure, root: etree._Element) -> None:
    faults = structure.check(root)
    nodes = sound_parts(root, structure) if faults else None
    if nodes is not None:
        ENGINE.check_sound_parts(nodes, reference_data(), VALIDATE)


@pytest.mark.parametrize("name", ["pagos20", "leyendasfiscales", "retencion"])
def test_validate_answers_a_document_with_foreign_attributes(sandbox_app: SandboxApp, name: str) -> None:
    document = DOCUMENTS[name]
    root = etree.fromstring(document.make(fecha=FECHA).encode())
    for element in list(root.iter(etree.Element)):
        for attribute, value in FOREIGN:
            element.set(attribute, value)
    assert any((entry.code or "").endswith("301") for entry in errors(report(sandbox_app, etree.tostring(root))))


def test_faults_leave_no_classes_behind(structure: Structure) -> None:
    """A process reads any number of different faults: the kinds of nodes bound what it keeps and what it does."""
    rng, text = Random(20261127), carta_porte().encode()

    def read(number: int) -> None:
        root = filled(etree.fromstring(text))
        for element in rng.sample(list(root.iter(etree.Element)), 3):
            name = rng.choice([str(each) for each in element.attrib] or ["Otro"])
            element.set(name, f"|{number}")
        assert_answered(structure, root)

    for number in range(30):
        read(number)
    steps = steps_of(structure, text)
    for number in range(10_000 if LONG else 200):
        read(number)
    kinds = node_kinds()
    assert len(subclasses(Node)) <= 2 * len(kinds)  # a declared class, and the one that conceals its attributes
    assert all(kind.__module__ != "timbra.cfdi.nodes.unsound" for kind in kinds)
    assert steps_of(structure, text) == steps


def subclasses(kind: type[Node]) -> set[type[Node]]:
    below = {each for direct in kind.__subclasses__() for each in (direct, *subclasses(direct))}
    return {each for each in below if each.__module__.startswith("timbra.")}


def steps_of(structure: Structure, text: bytes) -> int:
    """Return the number of calls of functions that one wrong document takes, the second time that it is read."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    for _ in range(2):
        root = filled(etree.fromstring(text))
        root.set("SubTotal", "|")
        calls = 0
        sys.setprofile(count)
        try:
            sound_parts(root, structure)
        finally:
            sys.setprofile(None)
    return calls


def test_rules_of_totals_of_retenciones_are_evaluated_whatever_other_part_has_a_fault(structure: Structure) -> None:
    """Every attribute outside of Totales gets a value that the schema rejects, and every element an odd attribute."""
    wrong = filled(etree.fromstring(retencion({"Totales/@MontoTotRet": "7.77"}).encode()))
    hidden, tried = [], 0
    for element in wrong.iter(etree.Element):
        name = etree.QName(element).localname
        for attribute in [*element.attrib, "Extra"]:
            if name in ("Totales", "ImpRetenidos") and attribute != "Extra":
                continue
            written = element.get(attribute)
            element.set(attribute, "\u2028x|")
            if structure.check(wrong):
                tried += 1
                nodes = sound_parts(wrong, structure)
                result = None if nodes is None else ENGINE.check_sound_parts(nodes, reference_data(), VALIDATE)
                if result is None or "Reten20131" not in {finding.code for finding in result.findings}:
                    hidden.append(f"{name}/@{attribute}")
            element.set(attribute, written) if written is not None else element.attrib.pop(attribute)
    assert tried > 10
    assert set(hidden) <= {"Retenciones/@Version", "Retenciones/@FechaExp"}
