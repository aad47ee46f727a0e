"""From the path of a finding to the element that it speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lxml import etree

_STEP = re.compile(r"(?:\w+:)?(\w+)(?:\[(\d+)\])?")


def element_at(root: etree._Element, path: str) -> etree._Element | None:
    """The element of a path such as `Conceptos/Concepto[3]/@Importe`; None where the document has none.

    The root itself for an empty path or an attribute of its own. Prefixes do not count. An element that is missing is
    told by the nearest one above that is there.
    """
    found: list[etree._Element] = [root]
    for step in _steps(path, etree.QName(root).localname):
        below = _children(found, step)
        if not below:
            break
        found = below
    return found[0] if found else None


def attribute_of(path: str | None) -> str | None:
    """The attribute that a path ends with."""
    _, at, name = (path or "").rpartition("@")
    return name if at else None


def normal(path: str) -> str:
    """The path without attribute, and with no index where it is the first: two ways of writing one place agree."""
    return path.partition("@")[0].rstrip("/").replace("[1]", "")


def nearest(path: str, known: Mapping[str, object]) -> str | None:
    """The longest beginning of a path that is known, steps whole. known: by normal path."""
    place = normal(path)
    while place and place not in known:
        place = place.rpartition("/")[0]
    return place or None


def _steps(path: str, root: str) -> Iterator[re.Match[str]]:
    steps = [step for step in path.split("/") if step and not step.startswith("@")]
    for place, step in enumerate(steps):
        match = _STEP.fullmatch(step)
        if match is not None and not (place == 0 and match[1] == root):
            yield match


def _children(parents: list[etree._Element], step: re.Match[str]) -> list[etree._Element]:
    name, index = step[1], step[2]
    below = [child for parent in parents for child in parent.iterchildren(f"{{*}}{name}")]
    return below if index is None else below[int(index) - 1 : int(index)]
