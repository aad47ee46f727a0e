"""The document as lines of elements, with what was found at its place. Of long ones, the head and what has findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from timbra.portal.places import attribute_of, element_at
from timbra.service.report import Entry

MOST_LINES = 300
MOST_VALUE = 400


@dataclass(frozen=True, slots=True)
class Attribute:
    """codes: of the findings that speak of it."""

    name: str
    value: str
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One element. number: its anchor. gap: how many elements before it are not shown."""

    number: int
    depth: int
    name: str
    attributes: tuple[Attribute, ...]
    codes: tuple[str, ...]
    missing: tuple[Attribute, ...]
    gap: int

    @property
    def is_marked(self) -> bool:
        return bool(self.codes or self.missing) or any(attribute.codes for attribute in self.attributes)


@dataclass(frozen=True, slots=True)
class Listing:
    """numbers: the anchor of each entry that has a place, by its path."""

    lines: tuple[Line, ...]
    numbers: Mapping[str, int]
    left_out: int


def listing(root: etree._Element, entries: Sequence[Entry]) -> Listing:
    """root: the document. entries: findings with paths; those without are left out."""
    placed = {entry.path: element_at(root, entry.path) for entry in entries if entry.path is not None}
    said: dict[etree._Element, list[Entry]] = {}
    for entry in entries:
        element = placed.get(entry.path) if entry.path is not None else None
        if element is not None:
            said.setdefault(element, []).append(entry)
    lines, numbers, left_out = _lines(root, said)
    anchors = {path: numbers[element] for path, element in placed.items() if element in numbers}
    return Listing(tuple(lines), anchors, left_out)


def _lines(
    root: etree._Element, said: Mapping[etree._Element, Iterable[Entry]]
) -> tuple[list[Line], dict[etree._Element, int], int]:
    shown = set(said)
    for element in said:
        shown.update(element.iterancestors())
    lines: list[Line] = []
    numbers: dict[etree._Element, int] = {}
    gap = 0
    for number, (element, depth) in enumerate(_walk(root), 1):
        if number > MOST_LINES and element not in shown:
            gap += 1
            continue
        numbers[element] = number
        lines.append(_line(element, number, depth, said.get(element, ()), gap))
        gap = 0
    return lines, numbers, gap


def _walk(root: etree._Element) -> Iterator[tuple[etree._Element, int]]:
    depth = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if not isinstance(element.tag, str):
            continue
        if event == "start":
            yield element, depth
            depth += 1
        else:
            depth -= 1


def _line(element: etree._Element, number: int, depth: int, said: Iterable[Entry], gap: int) -> Line:
    codes: dict[str | None, list[str]] = {}
    for entry in said:
        codes.setdefault(attribute_of(entry.path), []).append(entry.code or "")
    attributes = tuple(
        Attribute(
            _shown(str(name), element), _short(str(value)), tuple(codes.pop(etree.QName(str(name)).localname, ()))
        )
        for name, value in element.attrib.items()
    )
    own = tuple(codes.pop(None, ()))
    missing = tuple(Attribute(name, "", tuple(told)) for name, told in codes.items() if name is not None)
    return Line(number, depth, _shown(str(element.tag), element), attributes, own, missing, gap)


def _shown(name: str, element: etree._Element) -> str:
    """The name with the prefix that the document gives it."""
    qualified = etree.QName(name)
    prefixes = {space: prefix for prefix, space in element.nsmap.items() if prefix}
    prefix = prefixes.get(qualified.namespace) if qualified.namespace else None
    return f"{prefix}:{qualified.localname}" if prefix else qualified.localname


def _short(text: str) -> str:
    return text if len(text) <= MOST_VALUE else f"{text[:MOST_VALUE]}…"
