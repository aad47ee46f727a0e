"""Conversion of complements to trees of labels and values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from lxml import etree

from timbra.rendering.view import Branch, Field

MAX_ELEMENTS = 300
MAX_TOTAL_ELEMENTS = 1_000
MAX_DEPTH = 12
_SCHEMA_LOCATION = "schemaLocation"


class BranchTexts:
    """The texts of a tree: names of elements and attributes as written; a subclass translates them."""

    def element(self, name: str) -> str:
        """Return the title of an element."""
        return name

    def field(self, name: str, value: str) -> Field:
        """Return an attribute with its label."""
        return Field(name, value)


def branches(elements: Iterable[etree._Element], within: str, texts: BranchTexts) -> tuple[tuple[Branch, ...], int]:
    """Convert complements to trees, at most `MAX_ELEMENTS` of each and `MAX_TOTAL_ELEMENTS` of all together.

    Args:
        elements: the complements.
        within: path of their parent, with its slash.
        texts: the texts of elements and attributes.

    Returns:
        The trees, and the number of complements that are omitted.
    """
    trees: list[Branch] = []
    left_out, remaining = 0, MAX_TOTAL_ELEMENTS
    for element in elements:
        if remaining <= 0:
            left_out += 1
            continue
        budget = _ElementBudget(min(remaining - 1, MAX_ELEMENTS))
        trees.append(_branch(element, f"{within}{etree.QName(element).localname}", budget, MAX_DEPTH, texts))
        remaining -= 1 + budget.used
    return tuple(trees), left_out


class _ElementBudget:
    """Counts the descendants of a complement that are displayed."""

    def __init__(self, limit: int) -> None:
        self.used = 0
        self.remaining = limit

    def consume(self) -> None:
        self.used += 1
        self.remaining -= 1


def _branch(element: etree._Element, path: str, budget: _ElementBudget, depth: int, texts: BranchTexts) -> Branch:
    children: list[etree._Element] = []
    for child in element.iterchildren("*"):
        if not depth or not budget.remaining:
            break
        budget.consume()
        children.append(child)
    names = Counter(etree.QName(child).localname for child in children)
    seen: Counter[str] = Counter()
    below = []
    for child in children:
        name = etree.QName(child).localname
        seen[name] += 1
        index = f"[{seen[name]}]" if names[name] > 1 else ""
        below.append(_branch(child, f"{path}/{name}{index}", budget, depth - 1, texts))
    return Branch(path, texts.element(etree.QName(element).localname), tuple(_fields(element, texts)), tuple(below))


def _fields(element: etree._Element, texts: BranchTexts) -> list[Field]:
    named = ((etree.QName(str(name)).localname, str(value)) for name, value in element.attrib.items())
    fields = [texts.field(name, value) for name, value in named if value and name != _SCHEMA_LOCATION]
    text = (element.text or "").strip()
    return [*fields, Field("Texto", text)] if text else fields
