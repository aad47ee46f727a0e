"""Paths of elements in the notation of the rules, and the elements at paths of libxml2."""

from __future__ import annotations

import re
from collections.abc import Callable

from lxml import etree

from timbra.cfdi.structure.declarations import Path, SchemaDeclarations

CONTAINERS = ("Complemento", "ComplementoConcepto")
SEARCHED_NAMES = 8
"""Names whose children are searched one by one, which lxml does without an object for each child."""
_STEP = re.compile(r"(?P<name>[^\[\]]+)(?:\[(?P<index>\d+)\])?")


class ElementPaths:
    """Paths of the elements of one document, which must not change meanwhile; children are counted once.

    The notation is that of the rules: no prefixes, no root, and an index at each element that its standard allows
    several times. `Complemento` and `ComplementoConcepto` have no index; a complement has one when the document has
    several of its name.

    Args:
        declarations: returns the declarations of the standard that an element is the root of, None for no standard.
    """

    def __init__(self, declarations: Callable[[etree._Element], SchemaDeclarations | None]) -> None:
        self._declarations = declarations
        self._families: dict[etree._Element, _Siblings] = {}
        self._paths: dict[etree._Element, str] = {}
        self._copies: dict[etree._Element, dict[etree._Element, int]] = {}
        self._declared: dict[etree._Element, tuple[SchemaDeclarations | None, Path]] = {}
        self._values: dict[etree._Element, dict[str, str]] = {}

    def value(self, element: etree._Element, name: str) -> str | None:
        """Return the value of an attribute, None when it is absent; the attributes of an element are read once."""
        values = self._values.get(element)
        if values is None:
            values = self._values[element] = {str(key): str(value) for key, value in element.attrib.items()}
        return values.get(name)

    def path(self, element: etree._Element) -> str:
        """Return a path such as `Conceptos/Concepto[3]`; empty for the root."""
        path = self._paths.get(element)
        if path is None:
            parent = element.getparent()
            if parent is None:
                path = ""
            else:
                before = self.path(parent)
                path = f"{before}/{self._step(element, parent)}" if before else self._step(element, parent)
            self._paths[element] = path
        return path

    def declared(self, element: etree._Element) -> tuple[SchemaDeclarations | None, Path]:
        """Return the declarations of the element's standard, and the element's path in that standard."""
        found = self._declared.get(element)
        if found is None:
            parent, name = element.getparent(), etree.QName(element).localname
            if parent is None or etree.QName(parent).localname in CONTAINERS:
                found = self._declarations(element), (name,)
            else:
                declarations, path = self.declared(parent)
                found = declarations, (*path, name)
            self._declared[element] = found
        return found

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

    def _step(self, element: etree._Element, parent: etree._Element) -> str:
        name = etree.QName(element).localname
        if name in CONTAINERS:
            return name
        if etree.QName(parent).localname in CONTAINERS:
            position = self._position_of_complement(element, parent)
        else:
            declarations, path = self.declared(element)
            position = self._family(parent).position(element)
            if declarations is not None and declarations.repeats(path):
                position = position or 1
        return f"{name}[{position}]" if position else name

    def _position_of_complement(self, element: etree._Element, container: etree._Element) -> int:
        """Return the position among the complements of its name in all containers of one parent, 0 for the only one."""
        holder = container.getparent()
        if holder is None:
            return 0
        positions = self._copies.get(holder)
        if positions is None:
            positions = self._copies[holder] = _copies(holder, container.tag)
        return positions[element]

    def _family(self, parent: etree._Element) -> _Siblings:
        family = self._families.get(parent)
        if family is None:
            family = self._families[parent] = _Siblings(parent)
        return family


class _Siblings:
    """The children of one element in document order, by qualified name and by the name as written.

    Both indexes are made as far as they are asked for: the faults of most documents are about few names, and early.
    """

    def __init__(self, parent: etree._Element) -> None:
        self._parent = parent
        self._positions: dict[str, dict[etree._Element, int]] = {}
        self._is_complete = False
        self._by_name = parent.iterchildren(etree.Element)
        self._all: list[etree._Element] = []
        self._written: dict[str, list[etree._Element]] = {}

    def position(self, child: etree._Element) -> int:
        """Return the position among the siblings of its name, from 1; 0 when it is the only one."""
        tag = str(child.tag)
        if tag not in self._positions and not self._is_complete:
            self._index(tag)
        same = self._positions[tag]
        return same[child] if len(same) > 1 else 0

    def _index(self, tag: str) -> None:
        """Search the children of a name; after `SEARCHED_NAMES` names all are indexed at once."""
        if len(self._positions) < SEARCHED_NAMES:
            self._positions[tag] = {each: number for number, each in enumerate(self._parent.iterchildren(tag), 1)}
            return
        self._positions, self._is_complete = {}, True
        for each in self._parent.iterchildren(etree.Element):
            same = self._positions.setdefault(str(each.tag), {})
            same[each] = len(same) + 1

    def child(self, name: str, index: int) -> etree._Element | None:
        """Return the child of that written name, or `*`, at a position from 1 among those; None when there is none."""
        same = self._all if name == "*" else self._written.setdefault(name, [])
        if index > len(same):
            for each in self._by_name:
                self._all.append(each)
                self._written.setdefault(_written_name(each), []).append(each)
                if index <= len(same):
                    break
        return same[index - 1] if index <= len(same) else None


def _copies(holder: etree._Element, container: object) -> dict[etree._Element, int]:
    """Return the position of each complement of an element among those of its name, 0 for the only one."""
    same: dict[object, list[etree._Element]] = {}
    for each in holder.iterchildren(str(container)):
        for child in each.iterchildren(etree.Element):
            same.setdefault(child.tag, []).append(child)
    return {
        child: position if len(children) > 1 else 0
        for children in same.values()
        for position, child in enumerate(children, 1)
    }


def no_declarations(_element: etree._Element) -> None:
    """Return None: for `ElementPaths` of elements whose paths are not written."""


def element_line(element: etree._Element) -> int:
    """Return the line at which the element starts, from 1; 0 for an element that was not parsed from text."""
    line: int | None = getattr(element, "sourceline", None)
    return line or 0


def _written_name(element: etree._Element) -> str:
    local, prefix = str(element.tag).rpartition("}")[2], element.prefix
    return f"{prefix}:{local}" if prefix else local
