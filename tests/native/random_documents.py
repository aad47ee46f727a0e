"""Random documents of the SAT's schemas, mostly invalid, and changes to documents that no schema allows."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache

from lxml import etree

from timbra.cfdi.from_json.schema_shapes import ElementShape, read_shapes
from timbra.cfdi.structure.standards import XmlStandard
from timbra.snapshot import Snapshot, locate, open_snapshot

VALUES = (
    "", " ", "a", " a  b ", "\u00a0x\u00a0", "1.50", "línea\tdos", "\r\n", "\u2003\u0085", "x" * 5000, "😀|", "&<>'\"",
    "\x7f\x80", " \t" * 300 + "é" + " \n" * 300, "1.1",
)  # fmt: skip
SPACES = (
    "",
    "urn:other",
    "http://www.sat.gob.mx/cfd/4",
    "http://www.sat.gob.mx/cfd/3",
    "http://www.sat.gob.mx/detallista",
)


@cache
def snapshot() -> Snapshot:
    return open_snapshot(locate(None))


@cache
def standards() -> tuple[XmlStandard, ...]:
    return tuple(XmlStandard(**entry) for entry in json.loads(snapshot().read("xsd/index.json")))


@cache
def shape(standard: XmlStandard) -> ElementShape:
    return read_shapes(etree.fromstring(snapshot().read(f"xsd/{standard.file}")))[standard.element]


def documents(version: str, jitter: random.Random) -> Iterator[etree._Element]:
    """Yield documents of a version, each with another complement: at its place, and at every Concepto."""
    (invoice,) = [standard for standard in standards() if standard.document and standard.version == version]
    for standard in standards():
        root = filled(invoice, shape(invoice), jitter)
        if not standard.document:
            complement = etree.SubElement(root, f"{{{invoice.namespace}}}Complemento")
            complement.append(filled(standard, shape(standard), jitter))
            for concepto in root.iter(f"{{{invoice.namespace}}}Concepto"):
                inner = etree.SubElement(concepto, f"{{{invoice.namespace}}}ComplementoConcepto")
                inner.append(filled(standard, shape(standard), jitter))
        yield root


def filled(standard: XmlStandard, form: ElementShape, jitter: random.Random) -> etree._Element:
    """Return an element with some of its attributes and children, some of them twice, valid or not."""
    element = etree.Element(f"{{{standard.namespace}}}{form.name}")
    for name in form.attributes:
        if jitter.random() < 0.7:
            element.set(name, plain(jitter.choice(VALUES)))
    for child in form.children.values():
        for _ in range(jitter.choice((0, 1, 1, 2))):
            element.append(filled(standard, child, jitter))
    if form.text:
        element.text = plain(jitter.choice(VALUES))
    return element


def plain(value: str) -> str:
    """Return a value without the characters that XML forbids."""
    return "".join(each for each in value if each >= " " or each in "\t\r\n")


def mutate(root: etree._Element, jitter: random.Random) -> None:
    """Change one place of a document."""
    elements = list(root.iter(etree.Element))
    jitter.choice(CHANGES)(jitter.choice(elements), jitter.choice(elements), jitter)


def _set_value(element: etree._Element, _other: etree._Element, jitter: random.Random) -> None:
    names = [*map(str, element.attrib), "Version", "Serie", "{urn:other}Serie", "Nombre"]
    element.set(jitter.choice(names), plain(jitter.choice(VALUES)))


def _remove_attribute(element: etree._Element, _other: etree._Element, jitter: random.Random) -> None:
    if element.attrib:
        del element.attrib[jitter.choice(list(element.attrib))]


def _reverse_attributes(element: etree._Element, _other: etree._Element, _jitter: random.Random) -> None:
    items = list(element.attrib.items())
    element.attrib.clear()
    for name, value in reversed(items):
        element.set(name, value)


def _repeat(element: etree._Element, _other: etree._Element, _jitter: random.Random) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.insert(0, deepcopy(element))


def _misplace(element: etree._Element, other: etree._Element, jitter: random.Random) -> None:
    if sum(1 for _ in element.iter()) < 200:
        other.insert(jitter.randrange(len(other) + 1), deepcopy(element))


def _remove(element: etree._Element, _other: etree._Element, _jitter: random.Random) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def _rename(element: etree._Element, other: etree._Element, jitter: random.Random) -> None:
    space, local = jitter.choice(SPACES), etree.QName(jitter.choice((element, other))).localname
    element.tag = f"{{{space}}}{local}" if space else local


def _add_text(element: etree._Element, _other: etree._Element, jitter: random.Random) -> None:
    element.text = (element.text or "") + plain(jitter.choice(VALUES))


def _add_tail(element: etree._Element, _other: etree._Element, jitter: random.Random) -> None:
    if element.getparent() is not None:
        element.tail = plain(jitter.choice(VALUES))


def _add_cdata(element: etree._Element, _other: etree._Element, jitter: random.Random) -> None:
    element.text = etree.CDATA(plain(jitter.choice(VALUES)))


def _add_comment(element: etree._Element, _other: etree._Element, jitter: random.Random) -> None:
    element.insert(jitter.randrange(len(element) + 1), etree.Comment("comment"))


def _add_instruction(element: etree._Element, _other: etree._Element, jitter: random.Random) -> None:
    element.insert(jitter.randrange(len(element) + 1), etree.ProcessingInstruction("target", "data"))


CHANGES: tuple[Callable[[etree._Element, etree._Element, random.Random], None], ...] = (
    _set_value, _set_value, _remove_attribute, _reverse_attributes, _repeat, _misplace, _remove, _rename, _add_text,
    _add_tail, _add_cdata, _add_comment, _add_instruction,
)  # fmt: skip
