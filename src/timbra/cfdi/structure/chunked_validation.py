"""A long document in small parts, so that the first faults are found before a million of them are counted.

libxml2 writes the path of every error by counting the siblings before it: forty thousand wrong Conceptos would take
half a minute and half a gigabyte. What is long in a CFDI are rows of elements of one name. A part is a copy of the
document in which every such row is cut to its beginning, but one, of which it has a further piece. What is wrong by
itself is wrong in the part that has it; how many there may be of a name is checked on the whole document. What the
schema does not validate, elements of other namespaces and the Addenda, is there without its content.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import groupby, islice

from lxml import etree

MIN_CHUNKED_ELEMENTS = 5_000
"""Elements from which on a document is looked at in parts."""
CHUNK_ELEMENTS = 2_000
"""Elements of a row that stand in a part, unless a single one has more below it."""
KEPT_PER_RUN = 2
"""Elements at the beginning of a row that stand in every part: no standard demands more of one name."""

MAX_RUNS = 64
"""Runs of a parent that are looked at: no standard has as many names in one place."""
OPEN = ("Addenda", "Complemento", "ComplementoConcepto")

_is_long = etree.XPath(f"boolean((descendant::*)[{MIN_CHUNKED_ELEMENTS}])")
_count = etree.XPath("count(descendant-or-self::*)")

Run = list[etree._Element]
"""Neighbours of one name."""


@dataclass(frozen=True, slots=True)
class DocumentChunk:
    """copy: the part. origins: of elements that were copied one by one, and of the tops of what was copied whole."""

    copy: etree._Element
    origins: Mapping[etree._Element, etree._Element]

    def original(self, element: etree._Element) -> etree._Element:
        """What an element of the part is a copy of."""
        steps: list[int] = []
        while element not in self.origins:
            parent = element.getparent()
            if parent is None:
                raise ValueError("an element of another document")
            steps.append(parent.index(element))
            element = parent
        found = self.origins[element]
        for step in reversed(steps):
            found = found[step]
        return found


def is_long(element: etree._Element) -> bool:
    """Whether the element and what lies below it are worth looking at in parts."""
    return bool(_is_long(element))


def iter_chunks(root: etree._Element) -> Iterator[DocumentChunk]:
    """Parts that together have every element of the document. The document is not changed."""
    cut = _Chunker(root)
    yield cut.part({})
    for parent, runs in cut.runs.items():
        for number, run in enumerate(runs):
            for piece in cut.pieces(run[KEPT_PER_RUN:]):
                yield cut.part(cut.way_to(parent) | {parent: (number, piece)})


class _Chunker:
    """Where a document is cut. runs: of the children of every element that has more than a piece below it."""

    def __init__(self, root: etree._Element) -> None:
        self._root = root
        self._namespace = etree.QName(root).namespace
        self.runs: dict[etree._Element, list[Run]] = {}
        self._sizes: dict[etree._Element, int] = {}
        self._place: dict[etree._Element, tuple[etree._Element, int]] = {}
        self._open(root)

    def _open(self, root: etree._Element) -> None:
        self.runs[root] = []
        waiting = [root]
        while waiting:
            parent = waiting.pop()
            runs = self.runs[parent] = _runs(parent)
            for number, run in enumerate(runs):
                for child in run:
                    size = self._sizes[child] = 1 if self._is_closed(child) else _count_elements(child)
                    if size > CHUNK_ELEMENTS:
                        self._place[child] = parent, number
                        waiting.append(child)

    def _is_closed(self, element: etree._Element) -> bool:
        """Whether the schema does not look into the element."""
        name = etree.QName(element)
        return name.namespace != self._namespace or name.localname in OPEN

    def pieces(self, run: Run) -> Iterator[Run]:
        """The run in pieces; what is large alone is a piece of its own, and cut in its turn."""
        piece: Run = []
        weight = 0
        for element in run:
            size = self._sizes[element]
            if piece and weight + size > CHUNK_ELEMENTS:
                yield piece
                piece, weight = [], 0
            piece.append(element)
            weight += size
        if piece:
            yield piece

    def way_to(self, element: etree._Element) -> dict[etree._Element, tuple[int, Run]]:
        """What stands beside the beginnings, so that the element is in the part: it and all that it lies in."""
        way: dict[etree._Element, tuple[int, Run]] = {}
        while element is not self._root:
            parent, number = self._place[element]
            way[parent] = number, [] if element in self.runs[parent][number][:KEPT_PER_RUN] else [element]
            element = parent
        return way

    def part(self, added: Mapping[etree._Element, tuple[int, Run]]) -> DocumentChunk:
        """The document with the beginnings of all runs, and what is added to one run of some parents."""
        origins: dict[etree._Element, etree._Element] = {}
        copy = etree.Element(self._root.tag, _attributes(self._root), self._root.nsmap)  # type: ignore[arg-type]
        waiting = [(copy, self._root)]
        while waiting:
            shell, original = waiting.pop()
            origins[shell] = original
            chosen, further = added.get(original, (-1, []))
            for number, run in enumerate(self.runs[original]):
                for child in (*run[:KEPT_PER_RUN], *(further if number == chosen else ())):
                    if child in self.runs:
                        waiting.append((_copy_without_children(shell, child), child))
                    elif self._is_closed(child):
                        origins[_copy_with_empty_children(shell, child)] = child
                    else:
                        whole = deepcopy(child)
                        whole.tail = None
                        shell.append(whole)
                        origins[whole] = child
        return DocumentChunk(copy, origins)


def _count_elements(element: etree._Element) -> int:
    counted = _count(element)
    if not isinstance(counted, float):
        raise TypeError("counting gives a number")
    return int(counted)


def _runs(parent: etree._Element) -> list[Run]:
    neighbours = groupby(parent.iterchildren(etree.Element), key=lambda child: child.tag)
    return [list(run) for _, run in islice(neighbours, MAX_RUNS)]


def _copy_without_children(shell: etree._Element, original: etree._Element) -> etree._Element:
    """A copy of the element without what lies below it."""
    return etree.SubElement(shell, original.tag, _attributes(original), original.nsmap)  # type: ignore[arg-type]


def _attributes(element: etree._Element) -> dict[str, str]:
    return {str(name): str(value) for name, value in element.attrib.items()}


def _copy_with_empty_children(shell: etree._Element, original: etree._Element) -> etree._Element:
    """A copy with the first elements below it, empty: there may have to be some."""
    copy = _copy_without_children(shell, original)
    for child in islice(original.iterchildren(etree.Element), KEPT_PER_RUN):
        _copy_without_children(copy, child)
    return copy
