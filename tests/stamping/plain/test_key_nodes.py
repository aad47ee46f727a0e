"""Nodes of keys have the places and the values of those of the document."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree
from tests.native.random_documents import snapshot
from tests.support.rule_set_examples import EXAMPLES

from timbra import examples
from timbra._native import STATE
from timbra.cfdi.nodes import Comprobante, Concepto, Node
from timbra.cfdi.nodes.unsound import slots_of
from timbra.cfdi.nodes.walk import walk
from timbra.stamping.plain.build import plain_reader
from timbra.stamping.plain.nodes import UNKNOWN, KeyReader, copied

pytestmark = pytest.mark.skipif(not STATE.active, reason="without native code there are no keys")

NAMES = ("CRP20201", "CRP20204", "NOM42", "NOM45", "NOM67", "NOM71", "NOM72", "NOM82", "NOM84", "NOM94", "NOM98")
"""Rules whose examples have every kind of node."""


def described(value: object) -> Any:
    """Return a node by its kind and place, a value as it is."""
    if isinstance(value, tuple | list):
        return [described(each) for each in value]
    return (type(value).__name__, value.places) if isinstance(value, Node) else value


def differing(node: Node, other: Node) -> list[str]:
    """Return the fields of a node that another one has with other values."""
    known = {name: getattr(node, name) for name in slots_of(type(node)) if hasattr(node, name)}
    return [
        name
        for name, value in known.items()
        if value is not UNKNOWN and described(value) != described(getattr(other, name))
    ]


def test_nodes_of_a_complement_equal_those_of_the_document() -> None:
    reader, layout = plain_reader(snapshot())
    kinds = set()
    for name in NAMES:
        text = EXAMPLES[name].passing().encode()
        document = reader.read(text, False, True)
        assert document is not None, name
        expected = walk(etree.fromstring(text)).by_kind
        for kind, nodes in KeyReader(layout).complement(document.complement_key).items():
            assert [each.places for each in nodes] == [each.places for each in expected[kind]], (name, kind)
            for node, other in zip(nodes, expected[kind], strict=True):
                assert differing(node, other) == [], (name, kind)
            kinds.add(kind.__name__)
    assert len(kinds) == 25


def test_nodes_of_a_concepto_equal_those_of_the_document() -> None:
    reader, layout = plain_reader(snapshot())
    for name in ("CFDI40187", "CFDI40194", "CFDI40196", "CFDI40199"):
        text = EXAMPLES[name].passing().encode()
        document = reader.read(text)
        assert document is not None, name
        expected = walk(etree.fromstring(text)).by_kind
        nodes = KeyReader(layout).concept(document.concept_keys[0])
        assert len(nodes) > 1
        for kind, found in nodes.items():
            assert [each.places for each in found] == [each.places for each in expected[kind]], (name, kind)
            for node, other in zip(found, expected[kind], strict=True):
                assert differing(node, other) == [], (name, kind)


def test_copied_root_has_no_value_of_one_document() -> None:
    root = walk(etree.fromstring(examples.ingreso({"@Folio": "7"}).encode()))
    copy = copied(root)
    assert [name for name in ("Folio", "Fecha", "Total", "Sello", "Certificado") if hasattr(copy, name)] == []
    assert (copy.Moneda, copy.conceptos) == (root.Moneda, root.conceptos)
    assert isinstance(copy, Comprobante)
    assert isinstance(copy.conceptos[0], Concepto)
