"""Search for elements at paths, natively and in Python."""

from __future__ import annotations

from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.native.pairs import native_module

from timbra._native import element_search_python

PATHS = ("Complemento", "Conceptos/Concepto/ComplementoConcepto", "Conceptos/Concepto/A")
TEXT = """<r xmlns="urn:a" xmlns:b="urn:b"><!-- c --><Complemento><Complemento/></Complemento><Conceptos>
<Concepto><A/><b:A/><ComplementoConcepto/></Concepto><?p i?><x:Concepto xmlns:x="urn:a"><x:A/></x:Concepto>
<b:Concepto><A/></b:Concepto></Conceptos><Complemento/><Concepto><A/></Concepto></r>"""


@pytest.fixture(params=["native", "python"])
def module(request: pytest.FixtureRequest) -> ModuleType:
    return native_module("element_search") if request.param == "native" else element_search_python


def found(module: ModuleType, root: etree._Element, *, any_namespace: bool) -> list[str]:
    elements = module.ElementSearch(PATHS, any_namespace=any_namespace).find(root)
    return [root.getroottree().getelementpath(element) for element in elements]


def test_find_returns_elements_of_the_namespace_in_document_order(module: ModuleType) -> None:
    assert found(module, etree.fromstring(TEXT), any_namespace=False) == [
        "{urn:a}Complemento[1]",
        "{urn:a}Conceptos/{urn:a}Concepto[1]/{urn:a}A",
        "{urn:a}Conceptos/{urn:a}Concepto[1]/{urn:a}ComplementoConcepto",
        "{urn:a}Conceptos/{urn:a}Concepto[2]/{urn:a}A",
        "{urn:a}Complemento[2]",
    ]


def test_find_returns_elements_of_any_namespace(module: ModuleType) -> None:
    assert len(found(module, etree.fromstring(TEXT), any_namespace=True)) == 7


def test_find_in_a_tree_without_namespace(module: ModuleType) -> None:
    root = etree.fromstring('<r><Complemento/><x:Complemento xmlns:x="urn:x"/></r>')
    assert found(module, root, any_namespace=False) == ["Complemento"]


def test_find_stays_inside_the_element(module: ModuleType) -> None:
    root = etree.fromstring("<a><r/><Complemento/></a>")
    assert found(module, root[0], any_namespace=True) == []


NAMES = st.sampled_from(("Complemento", "Conceptos", "Concepto", "ComplementoConcepto", "A", "{b}A", "{b}Concepto"))


@given(rows=st.lists(st.tuples(NAMES, st.integers(0, 30)), max_size=25), any_namespace=st.booleans())
def test_find_equals_python_for_any_tree(rows: list[tuple[str, int]], any_namespace: bool) -> None:
    root = etree.Element("r")
    elements = [root]
    for name, parent in rows:
        elements.append(etree.SubElement(elements[parent % len(elements)], name))
    modules = (native_module("element_search"), element_search_python)
    one, other = (module.ElementSearch(PATHS, any_namespace=any_namespace).find(root) for module in modules)
    assert one == other


@pytest.mark.parametrize("wrong", [None, "a", etree.Comment("x")])
def test_find_rejects_what_is_no_element(module: ModuleType, wrong: object) -> None:
    with pytest.raises(TypeError):
        module.ElementSearch(PATHS, any_namespace=True).find(wrong)
