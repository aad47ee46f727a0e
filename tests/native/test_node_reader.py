"""The nodes of documents, read natively and in Python."""

from __future__ import annotations

import gc
import json
import random
import sys
from collections.abc import Callable
from copy import deepcopy
from decimal import Decimal, InvalidOperation
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.cfdi.mutations import mutants
from tests.native.described_nodes import read, reading_with
from tests.native.pairs import native_module
from tests.support.corpus import CORPUS, corpus_path
from tests.support.effort import cases, rounds

from timbra._native import node_reader_python
from timbra._native.node_plan import AttributePlan, DerivedPlan, NodePlan
from timbra.cfdi.nodes import Concepto, Node, Traslado, walk
from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.documents import walk_document
from timbra.cfdi.nodes.plans import plan_of
from timbra.examples import DOCUMENTS, ingreso, pago

CFD4 = "http://www.sat.gob.mx/cfd/4"

DOCUMENT_CASES = [(name, version) for name, document in DOCUMENTS.items() for version in document.builders]
MUTANTS = rounds(20, 40)
FOREIGN = "urn:timbra:foreign"


def parse(text: str | bytes) -> etree._Element:
    return etree.fromstring(text.encode() if isinstance(text, str) else text)


@pytest.fixture(scope="module")
def native() -> ModuleType:
    return native_module("node_reader")


def assert_equal(root: etree._Element, native: ModuleType) -> None:
    assert read(root, native) == read(root, node_reader_python)


def corpus_files() -> list[str]:
    if not CORPUS.is_dir():
        return []
    documents = json.loads((CORPUS / "manifest.json").read_text("utf-8"))["documents"]
    return [document["file"] for document in documents if document["version"] in ("3.3", "4.0", "2.0")]


@pytest.mark.parametrize(("name", "version"), DOCUMENT_CASES)
def test_read_equals_python_for_examples(native: ModuleType, name: str, version: str) -> None:
    assert_equal(parse(DOCUMENTS[name].make(version)), native)


def test_read_equals_python_for_the_corpus(native: ModuleType) -> None:
    files = corpus_files()
    for file in files:
        root = etree.parse(corpus_path() / file, etree.XMLParser(resolve_entities=False)).getroot()
        if root.tag in READABLE:
            assert_equal(root, native)
    assert files or not CORPUS.is_dir()


READABLE = {parse(DOCUMENTS[name].make(version)).tag for name, version in DOCUMENT_CASES}


@pytest.mark.parametrize(("name", "version"), DOCUMENT_CASES)
def test_read_equals_python_for_mutants(native: ModuleType, name: str, version: str) -> None:
    root = parse(DOCUMENTS[name].make(version))
    for change, mutant in mutants(root, MUTANTS, f"{name} {version}"):
        assert read(mutant, native) == read(mutant, node_reader_python), change


Change = Callable[[etree._Element], object]


def rename_namespace(element: etree._Element) -> None:
    if element.getparent() is not None:
        element.tag = f"{{{FOREIGN}}}{etree.QName(element).localname}"


def qualify_attributes(element: etree._Element) -> None:
    for name, value in list(element.attrib.items()):
        element.set(f"{{{FOREIGN}}}{etree.QName(str(name)).localname}", str(value) + "0")


def enlarge_values(element: etree._Element) -> None:
    for name in list(element.attrib):
        element.set(str(name), "9" * 70_000)


def empty_values(element: etree._Element) -> None:
    for name in list(element.attrib):
        element.set(str(name), "")


def surround_with_comments(element: etree._Element) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.insert(parent.index(element), etree.Comment("<cfdi:Concepto/>"))
        parent.insert(parent.index(element), etree.ProcessingInstruction("target", "Importe='1'"))


def nest_in_itself(element: etree._Element) -> None:
    element.append(deepcopy(element))


def clear_children(element: etree._Element) -> None:
    del element[:]


OTHER_NUMBERS = ("٣", "1_0", " 1 ", "-1.5", "1e2", "1.", ".", "..", "ñ")


def write_other_digits(element: etree._Element) -> None:
    for name in list(element.attrib):
        element.set(
            str(name), random.Random(str(name)).choice(["٣", "1_0", " 1 ", "-1.5", "1e2", "1.", ".", "..", "ñ"])
        )


CHANGES: list[Change] = [
    rename_namespace,
    qualify_attributes,
    enlarge_values,
    empty_values,
    surround_with_comments,
    nest_in_itself,
    clear_children,
    write_other_digits,
]


@given(
    case=st.sampled_from(DOCUMENT_CASES),
    changes=st.lists(st.tuples(st.sampled_from(CHANGES), st.integers(0, 10_000)), min_size=1, max_size=6),
)
def test_read_equals_python_for_any_tree(case: tuple[str, str], changes: list[tuple[Change, int]]) -> None:
    name, version = case
    root = parse(DOCUMENTS[name].make(version))
    for change, position in changes:
        elements = list(root.iter(etree.Element))
        change(elements[position % len(elements)])
    assert_equal(root, native_module("node_reader"))


@pytest.mark.parametrize(
    "value", ["", "1", "0.160000", "1" * 24, "1" * 25, "1.5" * 30, "ñ", "100.00\u00a0", "\U0001f600"]
)
def test_read_equals_python_for_a_value_that_repeats(native: ModuleType, value: str) -> None:
    root = parse(ingreso({"@Serie": value}, concepts=3))
    for element in root.iter(f"{{{CFD4}}}Traslado"):
        element.set("TasaOCuota", value)
    assert_equal(root, native)
    assert_equal(root, native)


def test_read_resolves_character_references(native: ModuleType) -> None:
    root = parse(ingreso({"@Serie": "PLACE"}).replace("PLACE", "A&#10;&amp;&#xF1;"))
    with reading_with(native):
        assert walk(root).Serie == "A\n&ñ"


def test_read_finds_elements_of_several_declarations_of_the_namespace(native: ModuleType) -> None:
    text = ingreso(concepts=2).replace("<cfdi:Emisor ", '<x:Emisor xmlns:x="http://www.sat.gob.mx/cfd/4" ')
    root = parse(text)
    with reading_with(native):
        comprobante = walk(root)
    assert comprobante.emisor.Rfc == "EKU9003173C9"
    assert len(comprobante.conceptos) == 2


def test_read_adds_to_the_nodes_that_are_given(native: ModuleType) -> None:
    root = parse(ingreso(concepts=2))
    element = root.find(f".//{{{CFD4}}}Concepto")
    reader = native.NodeReader(plan_of(Concepto), CFD4)
    by_kind: dict[type[Node], list[Node]] = {}
    first = reader.read(element, (1,), by_kind, [])
    second = reader.read(element, (2,), by_kind, [])
    assert by_kind[Concepto] == [first, second]
    assert by_kind[Traslado] == [*first.traslados, *second.traslados]
    assert second.traslados[0].places == (2, 1)


@pytest.mark.parametrize("module", ["native", "python"])
@pytest.mark.parametrize("other", [None, "a", etree.Comment("x"), etree.ProcessingInstruction("a")])
def test_read_rejects_what_is_no_element(module: str, other: object, native: ModuleType) -> None:
    reader = (native if module == "native" else node_reader_python).NodeReader(plan_of(Concepto), CFD4)
    with pytest.raises(TypeError):
        reader.read(other, (1,), {}, [])


class Slotless:
    """A class without slots."""


class Slotted:
    """A class of slots that is no class of nodes."""

    __slots__ = ("Value", "places", "result")


def plan(kind: type, attribute: str = "Value", sources: tuple[str, ...] = ("Value",)) -> NodePlan:
    attributes = (AttributePlan(attribute, attribute, None, None),)
    derived = (DerivedPlan("result", lambda *values: values, sources, 0, True),)
    return NodePlan(kind, "", attributes, derived, (), (), (), None, {})


@pytest.mark.parametrize(
    "wrong", [plan(Slotless), plan(Slotted, "absent"), plan(Slotted, sources=()), plan(Slotted, sources=("Value",) * 5)]
)
def test_node_reader_rejects_a_plan_without_slots_for_it(native: ModuleType, wrong: NodePlan) -> None:
    with pytest.raises(TypeError):
        native.NodeReader(wrong, CFD4)


def test_node_reader_follows_any_plan(native: ModuleType) -> None:
    node = native.NodeReader(plan(Slotted), "urn:a").read(parse("<a Value='7' Other='8'/>"), (1, 2), {}, [])
    assert (node.places, node.Value, node.result) == ((1, 2), "7", ("7",))


KINDS = ["cartaporte31", "pagos20", "ingreso", "nomina12", "comercioexterior20"]


def repeated(root: etree._Element, times: int) -> None:
    for _ in range(times):
        walk_document(root)


@pytest.mark.parametrize("name", cases(KINDS[:2], KINDS))
def test_read_leaves_no_memory_behind(native: ModuleType, name: str) -> None:
    document = next(each for key, each in DOCUMENTS.items() if name in key)
    root = parse(document.make())
    with reading_with(native):
        repeated(root, 20)
        gc.collect()
        before = sys.getallocatedblocks()
        repeated(root, 300)
        gc.collect()
        assert sys.getallocatedblocks() - before < 100


def test_read_leaves_no_references_behind(native: ModuleType) -> None:
    root = parse(pago())
    kept: tuple[object, ...] = (ZERO, Decimal, root, Traslado, plan_of(Concepto).attributes)
    with reading_with(native):
        repeated(root, 5)
        before = [sys.getrefcount(each) for each in kept]
        repeated(root, 200)
        after = [sys.getrefcount(each) for each in kept]
    assert [b - a for a, b in zip(before, after, strict=True)] == [0] * len(kept)


def test_read_leaves_nothing_behind_after_an_error(native: ModuleType) -> None:
    root = parse(ingreso(concepts=2))
    list(root.iter(f"{{{CFD4}}}Concepto"))[1].set("Importe", "x")
    with reading_with(native):
        assert read(root, native) is InvalidOperation
        for _ in range(20):
            read(root, native)
        gc.collect()
        before = sys.getallocatedblocks()
        for _ in range(200):
            read(root, native)
        gc.collect()
        assert sys.getallocatedblocks() - before < 100
