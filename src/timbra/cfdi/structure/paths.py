"""Paths of elements with the SAT's customary prefixes, whatever prefixes the document uses."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lxml import etree

_STEP = re.compile(r"(?P<name>[^\[\]]+)(?:\[(?P<index>\d+)\])?")


class ElementPaths:
    """Paths of the elements of one document, which must not change meanwhile; children are counted once.

    Args:
        prefixes: the SAT's prefixes by namespace.
    """

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self._prefixes = prefixes
        self._families: dict[etree._Element, _Siblings] = {}
        self._paths: dict[etree._Element, str] = {}

    def path(self, element: etree._Element) -> str:
        """Return a path such as `/cfdi:Comprobante/cfdi:Conceptos/cfdi:Concepto[3]`.

        A step has an index when the element has siblings of its name.
        """
        path = self._paths.get(element)
        if path is None:
            parent = element.getparent()
            before = "" if parent is None else self.path(parent)
            path = self._paths[element] = f"{before}/{self._step(element, parent)}"
        return path

    def element_at(self, start: etree._Element, path: str) -> etree._Element:
        """Resolve a path of libxml2.

        libxml2 writes a step with the document's own prefix, or `*` under a default namespace, and counts the siblings
        of that written name.

        Args:
            start: element of the first step.
            path: path in libxml2's form.

        Returns:
            The element, or the last one on the path that exists.
        """
        found = start
        for step in path.split("/")[2:]:
            matched = _STEP.fullmatch(step)
            following = matched and self._family(found).child(matched["name"], int(matched["index"] or 1))
            if following is None:
                return found
            found = following
        return found

    def _step(self, element: etree._Element, parent: etree._Element | None) -> str:
        name = etree.QName(element)
        prefix = self._prefixes.get(str(name.namespace)) or element.prefix
        written = f"{prefix}:{name.localname}" if prefix else name.localname
        position = 0 if parent is None else self._family(parent).position(element)
        return f"{written}[{position}]" if position else written

    def _family(self, parent: etree._Element) -> _Siblings:
        family = self._families.get(parent)
        if family is None:
            family = self._families[parent] = _Siblings(parent)
        return family


class _Siblings:
    """The children of one element in document order, by qualified name and by the name as written."""

    def __init__(self, parent: etree._Element) -> None:
        self._all = list(parent.iterchildren(etree.Element))
        self._written: dict[str, list[etree._Element]] = {}
        self._counts: dict[object, int] = {}
        self._positions: dict[etree._Element, int] = {}
        for child in self._all:
            self._written.setdefault(_written_name(child), []).append(child)
            self._counts[child.tag] = self._positions[child] = self._counts.get(child.tag, 0) + 1

    def position(self, child: etree._Element) -> int:
        """Return the position among the siblings of its name, from 1; 0 when it is the only one."""
        return self._positions[child] if self._counts[child.tag] > 1 else 0

    def child(self, name: str, index: int) -> etree._Element | None:
        """Return the child of that written name, or `*`, at a position from 1 among those; None when there is none."""
        same = self._all if name == "*" else self._written.get(name, [])
        return same[index - 1] if index <= len(same) else None


def element_path(element: etree._Element, prefixes: Mapping[str, str]) -> str:
    """As `ElementPaths.path`, for one element."""
    return ElementPaths(prefixes).path(element)


def element_at(start: etree._Element, path: str) -> etree._Element:
    """As `ElementPaths.element_at`, for one path."""
    return ElementPaths({}).element_at(start, path)


def element_line(element: etree._Element) -> int:
    """Return the line at which the element starts, from 1; 0 for an element that was not parsed from text."""
    line: int | None = getattr(element, "sourceline", None)
    return line or 0


def _written_name(element: etree._Element) -> str:
    local = etree.QName(element).localname
    return f"{element.prefix}:{local}" if element.prefix else local
