"""Validation of a long document in chunks, so that its errors are reported in bounded time and memory.

libxml2 counts the siblings before an element to write the path of its error: forty thousand invalid Conceptos would
take half a minute and half a gigabyte. Long CFDI consist of long runs of elements of one name. A chunk is a copy of the
document in which every run is cut to its first elements, except one run, of which it has a further piece. An element
that is invalid by itself is invalid in its chunk; the number of elements of a name is checked on the whole document.
Elements that the schema does not validate (other namespaces, Addenda) are copied without content.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import groupby, islice

from lxml import etree

from timbra._native import has_elements

MIN_CHUNKED_ELEMENTS = 5_000
"""Number of descendants from which on an element is validated in chunks."""
CHUNK_ELEMENTS = 2_000
"""Elements of a run in one chunk, with their descendants, unless a single one has more."""
KEPT_PER_RUN = 2
"""First elements of a run that every chunk contains: no standard requires more elements of one name."""

MAX_RUNS = 64
"""Runs of one parent that are validated: no standard has as many names in one parent."""
OPEN = ("Addenda", "Complemento", "ComplementoConcepto")

_count = etree.XPath("count(descendant-or-self::*)")

Run = list[etree._Element]
"""Consecutive siblings of one name."""


@dataclass(frozen=True, slots=True)
class DocumentChunk:
    """A chunk of a document.

    Attributes:
        copy: root of the chunk.
        origins: original of each element that was copied without its children, and of the root of each copied subtree.
    """

    copy: etree._Element
    origins: Mapping[etree._Element, etree._Element]

    def original(self, element: etree._Element) -> etree._Element:
        """Return the element of the document that an element of the chunk is a copy of.

        Raises:
            ValueError: the element is not part of the chunk.
        """
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
    """Whether the element has so many descendants that it is validated in chunks."""
    return has_elements(element, MIN_CHUNKED_ELEMENTS)


def iter_chunks(root: etree._Element) -> Iterator[DocumentChunk]:
    """Yield chunks that together contain every element of the document. The document is not changed."""
    cut = _Chunker(root)
    yield cut.part({})
    for parent, runs in cut.runs.items():
        for number, run in enumerate(runs):
            for piece in cut.pieces(run[KEPT_PER_RUN:]):
                yield cut.part(cut.way_to(parent) | {parent: (number, piece)})


class _Chunker:
    """Cuts a document.

    Attributes:
        runs: runs of children of each element that has more than `CHUNK_ELEMENTS` descendants.
    """

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
                    size = self._sizes[child] = 1 if self._is_closed(child) else count_elements(child)
                    if size > CHUNK_ELEMENTS:
                        self._place[child] = parent, number
                        waiting.append(child)

    def _is_closed(self, element: etree._Element) -> bool:
        """Whether the schema does not validate the content of the element."""
        name = etree.QName(element)
        return name.namespace != self._namespace or name.localname in OPEN

    def pieces(self, run: Run) -> Iterator[Run]:
        """Split a run; an element that is large by itself is a piece of its own, and its children are split in turn."""
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
        """Return what a chunk needs besides the first elements of the runs to contain the element and its ancestors."""
        way: dict[etree._Element, tuple[int, Run]] = {}
        while element is not self._root:
            parent, number = self._place[element]
            way[parent] = number, [] if element in self.runs[parent][number][:KEPT_PER_RUN] else [element]
            element = parent
        return way

    def part(self, added: Mapping[etree._Element, tuple[int, Run]]) -> DocumentChunk:
        """Copy the document with the first elements of all runs and with the added elements of some runs."""
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


def count_elements(element: etree._Element) -> int:
    """Return the number of an element and its descendants that are elements."""
    counted = _count(element)
    if not isinstance(counted, float):
        raise TypeError("counting gives a number")
    return int(counted)


def _runs(parent: etree._Element) -> list[Run]:
    neighbours = groupby(parent.iterchildren(etree.Element), key=lambda child: child.tag)
    return [list(run) for _, run in islice(neighbours, MAX_RUNS)]


def _copy_without_children(shell: etree._Element, original: etree._Element) -> etree._Element:
    return etree.SubElement(shell, original.tag, _attributes(original), original.nsmap)  # type: ignore[arg-type]


def _attributes(element: etree._Element) -> dict[str, str]:
    return {str(name): str(value) for name, value in element.attrib.items()}


def _copy_with_empty_children(shell: etree._Element, original: etree._Element) -> etree._Element:
    """Append a copy of the element with its first children, empty, because the schema may require some."""
    copy = _copy_without_children(shell, original)
    for child in islice(original.iterchildren(etree.Element), KEPT_PER_RUN):
        _copy_without_children(copy, child)
    return copy
