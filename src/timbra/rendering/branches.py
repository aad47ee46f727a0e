"""Complements as trees of words and values, whatever they are."""

from __future__ import annotations

from collections import Counter

from lxml import etree

from timbra.rendering.view import Branch, Field

MOST_BRANCHES = 300
DEEPEST = 12
_SCHEMA_LOCATION = "schemaLocation"


def branch(element: etree._Element, within: str) -> Branch:
    """The tree of a complement. within: the path above it, with its slash. At most 300 elements, the first ones."""
    return _branch(element, f"{within}{etree.QName(element).localname}", _Room(MOST_BRANCHES), DEEPEST)


class _Room:
    """How many elements may still be shown."""

    def __init__(self, places: int) -> None:
        self._places = places

    def take(self) -> bool:
        self._places -= 1
        return self._places >= 0


def _branch(element: etree._Element, path: str, room: _Room, depth: int) -> Branch:
    children = [child for child in element.iterchildren("*") if depth and room.take()]
    names = Counter(etree.QName(child).localname for child in children)
    seen: Counter[str] = Counter()
    branches = []
    for child in children:
        name = etree.QName(child).localname
        seen[name] += 1
        place = f"[{seen[name]}]" if names[name] > 1 else ""
        branches.append(_branch(child, f"{path}/{name}{place}", room, depth - 1))
    return Branch(path, etree.QName(element).localname, tuple(_fields(element)), tuple(branches))


def _fields(element: etree._Element) -> list[Field]:
    named = ((etree.QName(str(name)).localname, str(value)) for name, value in element.attrib.items())
    fields = [Field(name, value) for name, value in named if value and name != _SCHEMA_LOCATION]
    text = (element.text or "").strip()
    return [*fields, Field("Texto", text)] if text else fields
