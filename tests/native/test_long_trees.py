"""The size of trees, and the validation of long ones at once, natively and in Python."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType

import pytest
from lxml import etree
from tests.native.pairs import native_module

from timbra._native import long_trees_python
from timbra.cfdi.structure import Structure
from timbra.cfdi.structure.chunked_validation import MIN_CHUNKED_ELEMENTS
from timbra.examples import concepto, ingreso
from timbra.snapshot import locate, open_snapshot

OFFSETS = (0, 1, 7, 123_456)


@pytest.fixture(params=["native", "python"])
def either(request: pytest.FixtureRequest) -> ModuleType:
    return native_module("long_trees") if request.param == "native" else long_trees_python


@pytest.fixture(scope="module")
def native() -> ModuleType:
    return native_module("long_trees")


@pytest.fixture(scope="module")
def structure() -> Structure:
    return Structure(open_snapshot(locate(None)))


def tree(children: int, *, between: str = "") -> etree._Element:
    rows = between.join(f"<a><b i='{number}'/></a>" for number in range(children))
    return etree.fromstring(f"<r><!-- x -->{rows}</r>")


@pytest.mark.parametrize(("source", "count"), [("<a/>", 0), ("<a><b/>t<!-- c --><?p i?><b><c/></b></a>", 3)])
def test_has_elements_counts_descendants(either: ModuleType, source: str, count: int) -> None:
    root = etree.fromstring(source)
    assert either.has_elements(root, count)
    assert not either.has_elements(root, count + 1)


def test_has_elements_stays_inside_the_element(either: ModuleType) -> None:
    root = etree.fromstring("<a><b><c/></b><d/><d/></a>")
    assert not either.has_elements(root[0], 2)


@pytest.mark.parametrize("function", ["has_elements", "is_surely_valid"])
@pytest.mark.parametrize("other", [None, "a", etree.Comment("x")])
def test_functions_reject_what_is_no_element(native: ModuleType, function: str, other: object) -> None:
    arguments = {"has_elements": (1,), "is_surely_valid": (bool, 0)}[function]
    with pytest.raises(TypeError):
        getattr(native, function)(other, *arguments)


def links_of(root: etree._Element) -> list[tuple[object, ...]]:
    nodes = list(root.iter())
    return [(node, node.getprevious(), node.getnext(), node.getparent(), node.tail) for node in nodes]


@pytest.mark.parametrize("children", [0, 1, 63, 64, 65, 128, 129, 130, 5_000])
@pytest.mark.parametrize("between", ["", "\n", "<!-- y -->"])
def test_is_surely_valid_restores_the_tree(native: ModuleType, children: int, between: str) -> None:
    root = tree(children, between=between)
    before, text = links_of(root), etree.tostring(root)
    seen: list[int] = []

    def validate() -> bool:
        seen.append(sum(1 for _ in root.iter("b")))
        return True

    assert all(native.is_surely_valid(root, validate, offset) for offset in OFFSETS)
    assert links_of(root) == before
    assert etree.tostring(root) == text
    assert seen[1::2] == [children] * len(OFFSETS)
    assert all(sampled == children or 2 <= sampled <= 132 for sampled in seen[::2])


@pytest.mark.parametrize("results", [[False], [True, False]])
def test_is_surely_valid_is_false_for_an_invalid_tree(native: ModuleType, results: list[bool]) -> None:
    root = tree(1_000)
    before = links_of(root)
    assert not native.is_surely_valid(root, lambda: results.pop(0), 5)
    assert results == []
    assert links_of(root) == before


def test_is_surely_valid_restores_the_tree_after_an_error(native: ModuleType) -> None:
    root = tree(1_000)
    before = links_of(root)
    with pytest.raises(ZeroDivisionError):
        native.is_surely_valid(root, lambda: bool(1 // 0), 5)
    assert links_of(root) == before


def test_is_surely_valid_does_not_know_about_a_very_deep_tree(native: ModuleType) -> None:
    root = top = etree.Element("a")
    for _ in range(1_000):
        top = etree.SubElement(top, "a")
    assert not native.is_surely_valid(root, lambda: True, 0)


def test_is_surely_valid_leaves_no_memory_behind(native: ModuleType) -> None:
    root = tree(2_000)
    native.is_surely_valid(root, lambda: True, 3)
    before = sys.getallocatedblocks()
    for _ in range(100):
        native.is_surely_valid(root, lambda: True, 3)
    assert sys.getallocatedblocks() - before < 20


def remove_attribute(text: str) -> str:
    head, _, rest = text.rpartition(' Descripcion="')
    return head + rest.partition('"')[2]


def add_text(text: str) -> str:
    return text.replace("</cfdi:Conceptos>", "texto</cfdi:Conceptos>")


def add_element(text: str) -> str:
    return text.replace("</cfdi:Conceptos>", "<cfdi:Emisor/></cfdi:Conceptos>")


@pytest.mark.parametrize("damage", [str, remove_attribute, add_text, add_element])
def test_check_gives_the_faults_of_python(
    native: ModuleType, structure: Structure, damage: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = concepto()
    root = etree.fromstring(damage(ingreso(concepts=[line] * (MIN_CHUNKED_ELEMENTS // 4 + 100))).encode())
    found = []
    for module in (native, long_trees_python):
        monkeypatch.setattr("timbra.cfdi.structure.standards.is_surely_valid", module.is_surely_valid)
        found.append(structure.check(root))
    assert found[0] == found[1]
    assert bool(found[0]) is (damage is not str)
