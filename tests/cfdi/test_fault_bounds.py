"""The faults of one element are bounded: they do not grow with its nodes, and each shows little of its text."""

from __future__ import annotations

from random import Random

import pytest
from lxml import etree
from tests.support.effort import rounds
from tools.document_shapes import KINDS, Shape, sample

from timbra.cfdi.structure import Structure
from timbra.cfdi.structure.error_messages import _text
from timbra.snapshot import locate, open_snapshot

MAX_TEXT = 80

OWN = ("own element", "alternating elements", "attribute")
"""Kinds that repeat an element with faults of its own."""
PIECES = ("x", " ", "ab cd", "\n\t ", "é" * 90, "")


@pytest.fixture(scope="module")
def structure() -> Structure:
    return Structure(open_snapshot(locate(None)))


def shapes() -> list[Shape]:
    found = sample(open_snapshot(locate(None)), rounds(3, 40) * len(KINDS), 11)
    return [shape for shape in found if shape.kind not in OWN]


@pytest.mark.parametrize("shape", shapes(), ids=lambda shape: shape.name)
def test_faults_of_an_element_do_not_grow_with_its_nodes(structure: Structure, shape: Shape) -> None:
    few, many = (
        [fault.path for fault in structure.check(etree.fromstring(shape.document(count)))] for count in (30, 300)
    )
    assert few == many


def test_text_of_a_fault_is_that_of_the_whole_element() -> None:
    """As if all pieces were joined first, whatever divides them."""
    for seed in range(rounds(300, 5000)):
        random = Random(seed)
        element = etree.Element("a")
        element.text = random.choice(PIECES)
        for _ in range(random.randrange(12)):
            child = random.choice((etree.Comment("c"), etree.ProcessingInstruction("p"), etree.Element("b")))
            child.tail = random.choice(PIECES)
            element.append(child)
        whole = " ".join("".join([element.text or "", *(child.tail or "" for child in element)]).split())
        assert _text(element) == (whole if len(whole) <= MAX_TEXT else f"{whole[: MAX_TEXT - 1]}…")


def test_text_of_a_fault_is_read_to_the_first_characters_only() -> None:
    class Element(list[etree._Element]):
        text = None
        read = 0

        def __iter__(self):  # type: ignore[no-untyped-def]
            for child in super().__iter__():
                self.read += 1
                yield child

    children = Element()
    for _ in range(6000):
        child = etree.ProcessingInstruction("a")
        child.tail = "x"
        children.append(child)
    assert _text(children) == "x" * (MAX_TEXT - 1) + "…"  # type: ignore[arg-type]
    assert children.read <= MAX_TEXT + 2
