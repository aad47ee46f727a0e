"""Every complement of the SAT's schemas can have a kind, by the version attribute that its schema declares."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any, cast

import pytest
from lxml import etree
from tests.support.minimal_elements import DeclaredElement, original
from tests.support.reference_data import reference_data
from tests.support.rules import sample_rule
from tests.support.sat import XS

from timbra.cfdi.nodes import complements, walk
from timbra.cfdi.nodes.base import NODE_KINDS, Node, NodeType, fields_of
from timbra.cfdi.nodes.complement import ANY, ComplementNode, ConceptoComplementNode
from timbra.cfdi.nodes.complements import CONCEPTO_KINDS, KINDS, Kinds, check_kinds
from timbra.cfdi.nodes.fields import Attribute
from timbra.cfdi.nodes.plans import plan_of
from timbra.cfdi.nodes.retenciones20 import Retenciones
from timbra.cfdi.nodes.retenciones20 import walk as walk_retenciones
from timbra.cfdi.nodes.retenciones20.walk import KINDS as RETENCIONES_KINDS
from timbra.cfdi.structure import Structure, XmlStandard
from timbra.examples import ingreso, retencion
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.engine import Engine
from timbra.rules.engine.profiles import Profile
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule_set import RuleSet

IMPLOCAL = "{http://www.sat.gob.mx/implocal}ImpuestosLocales"


def complement_of(standard: XmlStandard) -> etree._Element:
    (declared,) = original(standard.file).iterfind(f"{XS}element")
    return DeclaredElement(standard, (declared,)).build()[0]


def kind_of(standard: XmlStandard, base: type[ComplementNode], head: str) -> type[ComplementNode]:
    """Return a class without fields for the complement."""
    head = f"{head}/{standard.element}"
    namespace = {"HEAD": head, "TEMPLATE": head, "TAG": f"{{{standard.namespace}}}{standard.element}",
                 "__module__": __name__, "__annotations__": {}}  # fmt: skip
    return cast("type[ComplementNode]", NodeType(standard.element, (base,), namespace))


def module_of(kind: type[Node]) -> str:
    """Return the module or package of a complement's nodes: two versions may have one HEAD."""
    return kind.__module__.removeprefix("timbra.cfdi.nodes.").partition(".")[0]


def nodes_of(kind: type[ComplementNode]) -> list[type[ComplementNode]]:
    """Return the classes of the nodes of a complement."""
    own = [node for node in NODE_KINDS if module_of(node) == module_of(kind)]
    return [node for node in own if issubclass(node, ComplementNode) and node.HEAD == kind.HEAD]


def attributes_of(kind: type[ComplementNode]) -> set[str]:
    """Return the names of the XML attributes that the nodes of a complement read."""
    fields = [field for node in nodes_of(kind) for field in fields_of(node).items()]
    return {field.name or name for name, field in fields if isinstance(field, Attribute)}


def elements_of(kind: type[ComplementNode]) -> set[str]:
    """Return the names of the elements of these nodes."""
    paths = [node.TEMPLATE.removeprefix(kind.HEAD.rpartition("/")[0]) for node in nodes_of(kind)]
    return {name.removesuffix("[{}]") for path in paths for name in path.split("/") if name}


@pytest.mark.parametrize("kinds", [KINDS, CONCEPTO_KINDS, RETENCIONES_KINDS])
def test_names_of_nodes_are_those_of_the_schema(structure: Structure, kinds: Kinds) -> None:
    """A mistyped name would be read as an absent attribute or element."""
    unknown: dict[type[ComplementNode], set[str]] = {}
    for (tag, _), kind in kinds.items():
        files = [each.file for each in structure.supported if tag == f"{{{each.namespace}}}{each.element}"]
        declared = {each.get("name") for file in files for each in original(file).iter(f"{XS}attribute")}
        assert len(declared) > 1, tag
        elements = {each.get("name") for file in files for each in original(file).iter(f"{XS}element")}
        if absent := (attributes_of(kind) - declared) | (elements_of(kind) - elements):
            unknown[kind] = absent
    assert unknown == {}, "the schema declares neither an attribute nor an element of these names"


def test_kinds_of_every_complement_are_read(structure: Structure, monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0
    for standard in structure.supported:
        if standard.document or standard.element == "TimbreFiscalDigital":
            continue
        key = f"{{{standard.namespace}}}{standard.element}", standard.version
        in_invoice = kind_of(standard, ComplementNode, "Complemento")
        in_concepto = kind_of(standard, ConceptoComplementNode, "Conceptos/Concepto[{}]/ComplementoConcepto")
        monkeypatch.setitem(KINDS, key, in_invoice)
        monkeypatch.setitem(CONCEPTO_KINDS, key, in_concepto)
        monkeypatch.setitem(RETENCIONES_KINDS, key, in_invoice)
        root = etree.fromstring(ingreso().encode())
        namespace = etree.QName(root).namespace
        etree.SubElement(root, f"{{{namespace}}}Complemento").append(complement_of(standard))
        concepto = root.find(f".//{{{namespace}}}Concepto")
        assert concepto is not None
        etree.SubElement(concepto, f"{{{namespace}}}ComplementoConcepto").append(complement_of(standard))
        nodes = walk(root)
        assert [node.path for node in nodes.of(in_invoice)] == [f"Complemento/{standard.element}"], standard.file
        assert len(nodes.of(in_concepto)) == 1, standard.file
        retention = etree.fromstring(retencion().encode())
        etree.SubElement(retention, f"{{{etree.QName(retention).namespace}}}Complemento").append(
            complement_of(standard)
        )
        assert len(walk_retenciones(retention).of(in_invoice)) == 1, standard.file
        read += 1
    assert read > 50


def rule_set_of(kind: type[ComplementNode]) -> RuleSet:
    """Return a rule set whose only rule every document with the complement violates."""

    def breaks(_node: ComplementNode, _ctx: EvaluationContext) -> RuleResult:
        return Violation(found="x")

    breaks.__annotations__ = {"_node": kind}
    return RuleSet("complement", "1", (sample_rule("A1", at=kind.PATH)(breaks),), complement=kind)


def test_rule_set_of_every_complement_is_evaluated_or_rejected(
    structure: Structure, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the name of the version attribute: a rule set is never left out in silence."""
    asked = 0
    for standard in structure.supported:
        if standard.document or standard.element == "TimbreFiscalDigital":
            continue
        kind = kind_of(standard, ComplementNode, "Complemento")
        with pytest.raises(ValueError, match=f"no Comprobante is read with {standard.element}"):
            rule_set_of(kind)
        monkeypatch.setitem(KINDS, (f"{{{standard.namespace}}}{standard.element}", standard.version), kind)
        root = etree.fromstring(ingreso().encode())
        etree.SubElement(root, f"{{{etree.QName(root).namespace}}}Complemento").append(complement_of(standard))
        found = Engine([rule_set_of(kind)]).check(walk(root), reference_data(), Profile("plain")).findings
        assert [(finding.code, finding.path) for finding in found] == [("A1", f"Complemento/{standard.element}")]
        asked += 1
    assert asked > 50


def test_rule_set_of_a_version_that_no_document_has_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"Retenciones has no version 3.3, 4.0"):
        RuleSet("retencion", "1", (), root=Retenciones)


def test_rule_set_of_nodes_of_a_complement_names_it() -> None:
    (kind, *_) = KINDS.values()
    stated = rule_set_of(kind)
    with pytest.raises(ValueError, match="state it as `complement`"):
        replace(stated, complement=None)


def test_node_without_its_own_rank_is_rejected() -> None:
    head = "Complemento/Padre"
    child = {"TEMPLATE": f"{head}/Hijo", "RANKS": (), "__module__": __name__, "__annotations__": {}}
    parent = {"TEMPLATE": head, "RANKS": (1, 1), "__module__": __name__, "__annotations__": {"hijo": "Hijo"}}
    with pytest.MonkeyPatch.context() as patched:
        made = NodeType("Hijo", (Node,), child)
        patched.setattr(sys.modules[__name__], "Hijo", made, raising=False)
        with pytest.raises(TypeError, match="Hijo: RANKS has fewer positions than the path of Padre"):
            plan_of(cast("type[Node]", NodeType("Padre", (Node,), parent)))


def test_kind_of_any_version_has_the_version_in_lower_case(monkeypatch: pytest.MonkeyPatch) -> None:
    members = {"HEAD": "Complemento/ImpuestosLocales", "TEMPLATE": "Complemento/ImpuestosLocales",
               "TAG": IMPLOCAL, "__module__": __name__, "__annotations__": {"version": "str"}}  # fmt: skip
    kind = cast("type[ComplementNode]", NodeType("ImpuestosLocales", (ComplementNode,), members))
    monkeypatch.setitem(KINDS, (IMPLOCAL, ANY), kind)
    root = etree.fromstring(ingreso().encode())
    complemento = etree.SubElement(root, f"{{{etree.QName(root).namespace}}}Complemento")
    etree.SubElement(complemento, IMPLOCAL, version="1.0")
    (node,) = walk(root).of(kind)
    assert cast("Any", node).version == "1.0"


def test_check_kinds_accepts_the_kinds_of_the_program(structure: Structure) -> None:
    check_kinds((each.namespace, each.element, each.version) for each in structure.supported)


@pytest.mark.parametrize("key", [(IMPLOCAL, ANY),
                                 (IMPLOCAL, "1.0")])  # fmt: skip
def test_check_kinds_accepts_a_kind_with_a_schema(
    structure: Structure, monkeypatch: pytest.MonkeyPatch, key: tuple[str, str]
) -> None:
    monkeypatch.setitem(complements.KINDS, key, ComplementNode)
    check_kinds((each.namespace, each.element, each.version) for each in structure.supported)


@pytest.mark.parametrize("key", [(IMPLOCAL, "1.1"),
                                 ("{http://www.sat.gob.mx/implocal}Impuestoslocales", "1.0"),
                                 ("{urn:other}Complemento", ANY)])  # fmt: skip
def test_check_kinds_rejects_a_kind_without_schema(
    structure: Structure, monkeypatch: pytest.MonkeyPatch, key: tuple[str, str]
) -> None:
    monkeypatch.setitem(complements.KINDS, key, ComplementNode)
    with pytest.raises(LookupError, match=key[0].partition("}")[2]):
        check_kinds((each.namespace, each.element, each.version) for each in structure.supported)
