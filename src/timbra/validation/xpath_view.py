"""Look-up of elements by the paths of findings."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from lxml import etree

_STEP = re.compile(r"(?:\w+:)?(\w+)(?:\[(\d+)\])?")


class ElementIndex:
    """The elements of one document by the paths of findings. The children of an element are read once."""

    def __init__(self, root: etree._Element) -> None:
        self._root = root
        self._root_name = etree.QName(root).localname
        self._children_by_name: dict[etree._Element, dict[str, list[etree._Element]]] = {}
        self._elements_by_path: dict[str, list[etree._Element]] = {}

    def at(self, path: str) -> etree._Element:
        """Return the element of a path such as `Conceptos/Concepto[3]/@Importe`.

        Namespace prefixes are ignored. The result is the root for an empty path or an attribute of the root, and the
        nearest ancestor that exists for a missing element.
        """
        found, prefix = [self._root], ""
        for step in _steps(path, self._root_name):
            prefix += f"/{step[0]}"
            below = self._elements_by_path.get(prefix)
            if below is None:
                below = self._elements_by_path[prefix] = self._children_at(found, step)
            if not below:
                break
            found = below
        return found[0]

    def _children_at(self, parents: list[etree._Element], step: re.Match[str]) -> list[etree._Element]:
        name, index = step[1], step[2]
        below = [child for parent in parents for child in self._children(parent).get(name, ())]
        return below if index is None else below[int(index) - 1 : int(index)]

    def _children(self, parent: etree._Element) -> dict[str, list[etree._Element]]:
        """Return the children by local name."""
        children = self._children_by_name.get(parent)
        if children is None:
            children = self._children_by_name[parent] = {}
            for child in parent.iterchildren(etree.Element):
                children.setdefault(etree.QName(child).localname, []).append(child)
        return children


def element_at(root: etree._Element, path: str) -> etree._Element:
    """Return the element of one path; see `ElementIndex.at`."""
    return ElementIndex(root).at(path)


def attribute_of(path: str | None) -> str | None:
    """Return the attribute at the end of a path; None when the path ends with an element."""
    _, at, name = (path or "").rpartition("@")
    return name if at else None


def normalize_path(path: str) -> str:
    """Return the path without its attribute and without the index `[1]`, so that two forms of one path are equal."""
    return path.partition("@")[0].rstrip("/").replace("[1]", "")


def nearest_path(path: str, paths: Container[str]) -> str | None:
    """Return the longest prefix of a path, by whole steps, that is in `paths` (normalized); None when there is none."""
    prefix = normalize_path(path)
    while prefix and prefix not in paths:
        prefix = prefix.rpartition("/")[0]
    return prefix or None


def _steps(path: str, root_name: str) -> Iterator[re.Match[str]]:
    steps = [step for step in path.split("/") if step and not step.startswith("@")]
    for index, step in enumerate(steps):
        match = _STEP.fullmatch(step)
        if match is not None and not (index == 0 and match[1] == root_name):
            yield match


def element_of(root: etree._Element, path: str) -> etree._Element | None:
    """Return the element of a path without attribute; None when the document does not have exactly it."""
    found = root
    for step in filter(None, path.split("/")):
        name, _, index = step.rstrip("]").partition("[")
        below = [child for child in found.iterchildren(etree.Element) if etree.QName(child).localname == name]
        number = int(index or 1) - 1
        if number >= len(below):
            return None
        found = below[number]
    return found


def path_of(element: etree._Element) -> str:
    """Return the path of an element from the root, with indexes where it has siblings of its name."""
    steps: list[str] = []
    parent = element.getparent()
    while parent is not None:
        name = etree.QName(element).localname
        same = [child for child in parent.iterchildren(etree.Element) if etree.QName(child).localname == name]
        steps.append(f"{name}[{same.index(element) + 1}]" if len(same) > 1 else name)
        element, parent = parent, parent.getparent()
    return "/".join(reversed(steps))


def attribute_path(element: etree._Element, name: str) -> str:
    """Return the path of an attribute."""
    return f"{path_of(element)}/@{name}".lstrip("/")
