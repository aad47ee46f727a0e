"""The shape of a tree, natively and in Python."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from lxml import etree
from tests.native.pairs import native_module

from timbra._native import tree_shape_python

TreeShape = Callable[[etree._Element], tuple[int, int]]


@pytest.fixture(params=["native", "python"])
def tree_shape(request: pytest.FixtureRequest) -> TreeShape:
    module = native_module("tree_shape") if request.param == "native" else tree_shape_python
    return module.tree_shape  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("source", "shape"),
    [
        ("<a/>", (1, 0)),
        ("<a><b/>text<b x='1'/><!-- <c/> --></a>", (2, 1)),
        ("<a><b><c/></b><b x='1' y='2'/></a>", (3, 2)),
        ("<a x='1' y='2' z='3'><b><c><d/></c></b><b/>tail</a>", (4, 3)),
        ("<!-- before --><a xmlns:p='urn:p' p:x='' x=''><?target <b/>?><![CDATA[<b/>]]></a><!-- after -->", (1, 2)),
    ],
)
def test_tree_shape_counts_nesting_and_attributes(tree_shape: TreeShape, source: str, shape: tuple[int, int]) -> None:
    assert tree_shape(etree.fromstring(source)) == shape


def test_tree_shape_stays_inside_the_element(tree_shape: TreeShape) -> None:
    root = etree.fromstring("<a><b><c/></b><d><e><f x='1'/></e></d></a>")
    assert tree_shape(root[0]) == (2, 0)


def test_tree_shape_ignores_declarations_of_entities(tree_shape: TreeShape) -> None:
    parser = etree.XMLParser(resolve_entities=False)
    root = etree.fromstring("<!DOCTYPE a [<!ENTITY e '<b><c><d/></c></b>'>]><a>&e;<b x='1'/></a>", parser)
    assert tree_shape(root) == (2, 1)


def test_tree_shape_of_a_very_deep_tree(tree_shape: TreeShape) -> None:
    root = top = etree.Element("a")
    for _ in range(20_000):
        top = etree.SubElement(top, "a")
    assert tree_shape(root) == (20_001, 0)


@pytest.mark.parametrize("other", [None, "a", etree.Comment("x"), etree.ProcessingInstruction("a")])
def test_tree_shape_rejects_what_is_no_element(tree_shape: TreeShape, other: object) -> None:
    with pytest.raises(TypeError):
        tree_shape(other)  # type: ignore[arg-type]
