"""Paths of elements, with SAT's customary prefixes whatever prefixes the document uses."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lxml import etree

_STEP = re.compile(r"(?P<name>[^\[\]]+)(?:\[(?P<index>\d+)\])?")


def path_of(element: etree._Element, prefixes: Mapping[str, str]) -> str:
    """Such as `/cfdi:Comprobante/cfdi:Conceptos/cfdi:Concepto[3]`; a position only where siblings share the name."""
    steps = [_step(step, prefixes) for step in (element, *element.iterancestors())]
    return "/" + "/".join(reversed(steps))


def _step(element: etree._Element, prefixes: Mapping[str, str]) -> str:
    name = etree.QName(element)
    prefix = prefixes.get(str(name.namespace)) or element.prefix
    written = f"{prefix}:{name.localname}" if prefix else name.localname
    before = sum(1 for _ in element.itersiblings(element.tag, preceding=True))
    alone = before == 0 and next(element.itersiblings(element.tag), None) is None
    return written if alone else f"{written}[{before + 1}]"


def line_of(element: etree._Element) -> int:
    """Where the element starts, from 1; 0 for an element that was not read from text."""
    line: int | None = getattr(element, "sourceline", None)
    return line or 0


def element_at(start: etree._Element, path: str) -> etree._Element:
    """The element that libxml2's path, whose first step is `start`, leads to; as far as it can be followed.

    libxml2 names a step by the document's own prefix, or `*` under a default namespace, and counts siblings so named.
    """
    found = start
    for step in path.split("/")[2:]:
        matched = _STEP.fullmatch(step)
        following = matched and _child(found, matched["name"], int(matched["index"] or 1))
        if following is None:
            return found
        found = following
    return found


def _child(parent: etree._Element, name: str, index: int) -> etree._Element | None:
    same = [child for child in parent.iterchildren(etree.Element) if name in ("*", _written_name(child))]
    return same[index - 1] if index <= len(same) else None


def _written_name(element: etree._Element) -> str:
    local = etree.QName(element).localname
    return f"{element.prefix}:{local}" if element.prefix else local
