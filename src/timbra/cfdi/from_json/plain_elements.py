"""The elements of usual documents, written by native code without a tree; lxml converts all others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lxml import etree

from timbra._native import ElementPlan
from timbra.cfdi.from_json.reading import Json, read_flag, read_version
from timbra.cfdi.from_json.schema_shapes import ElementShape, Member
from timbra.cfdi.structure.standards import XmlStandard

if TYPE_CHECKING:
    from timbra.cfdi.from_json.standards import JsonStandards

MAX_COMPLEMENTS = 512
"""Keys of complements, with their versions, that are remembered."""
PROBE = "".join(map(chr, (9, 10, 13, *range(0x20, 0x7F), 0xE9, 0x20AC, 0x1F600)))
"""Characters of every kind that native code writes."""


@dataclass(frozen=True, slots=True)
class WrittenChildren:
    """The children of a document.

    Attributes:
        children: UTF-8, with prefixes that the root element declares.
        used: their standards by prefix, first that of the document, in the order of their first use.
    """

    children: bytes
    used: dict[str, XmlStandard]


class PlainElements:
    """Writes the children of documents; its plans are made at first use."""

    def __init__(self, standards: JsonStandards) -> None:
        self._standards = standards
        self._plans: dict[tuple[str, XmlStandard], ElementPlan | None] = {}
        self._complements: dict[tuple[str, str | None], XmlStandard | None] = {}
        self._is_usable = ElementPlan is not None and _writes_as_lxml()

    def write(
        self, root: etree._Element, document: XmlStandard, children: Mapping[str, tuple[Member, Any]]
    ) -> WrittenChildren | None:
        """Write the children of a document.

        Args:
            root: its root element, which declares the namespaces of all standards.
            children: members of the root that are elements, by key.

        Returns:
            None for content that only lxml can convert, or that is to be rejected.
        """
        plan = self.plan(root, document) if self._is_usable else None
        if plan is None:
            return None
        complements = _Complements(self, root, {document.prefix: document})
        written = plan.write_children(children, complements.plan)
        return None if written is None else WrittenChildren(written, complements.used)

    def complement(self, key: str, content: Json) -> XmlStandard | None:
        """See `JsonStandards.complement`; the answers for the first keys are remembered."""
        named = key, read_version(content)
        if named in self._complements:
            return self._complements[named]
        standard = self._standards.complement(key, content)
        if len(self._complements) < MAX_COMPLEMENTS:
            self._complements[named] = standard
        return standard

    def plan(self, root: etree._Element, standard: XmlStandard) -> ElementPlan | None:
        """Return the plan of the root element of a standard; None when lxml would give it another prefix."""
        key = str(root.tag), standard
        if key not in self._plans:
            trial = etree.SubElement(root, f"{{{standard.namespace}}}x")
            root.remove(trial)
            shape = self._standards.shape(standard)
            same = trial.prefix == standard.prefix
            self._plans[key] = ElementPlan(shape, standard.prefix, read_flag) if same else None
        return self._plans[key]


@dataclass
class _Complements:
    """The complements of one document."""

    elements: PlainElements
    root: etree._Element
    used: dict[str, XmlStandard]

    def plan(self, key: str, content: Json) -> ElementPlan | None:
        """Return the plan of a complement; None for an unknown one."""
        standard = self.elements.complement(key, content)
        if standard is None:
            return None
        self.used.setdefault(standard.prefix, standard)
        return self.elements.plan(self.root, standard)


def with_children(xml: bytes, children: bytes) -> bytes:
    """Return a document with children.

    Args:
        xml: the document, whose root element is empty.
        children: UTF-8; empty for none.
    """
    if not children:
        return xml
    start = xml.index(b"<", xml.index(b"?>"))
    name = xml[start + 1 : xml.index(b" ", start)]
    return b"".join((xml[:-2], b">", children, b"</", name, b">"))


def _writes_as_lxml() -> bool:
    """Whether this libxml2 escapes characters as native code does."""
    shape = ElementShape("a", children={"b": ElementShape("b", text=True, attributes=["c"])})
    plan = ElementPlan(shape, "x", read_flag)
    written = plan.write_children({"b": (None, {"c": PROBE, "#text": PROBE})}, _no_complement)
    root = etree.Element("{urn:x}a", nsmap={"x": "urn:x"})
    etree.SubElement(root, "{urn:x}b", c=PROBE).text = PROBE
    expected: bytes = etree.tostring(root, encoding="utf-8")
    return written is not None and expected.endswith(b">" + written + b"</x:a>")


def _no_complement(_key: str, _content: Json) -> None:
    return None
