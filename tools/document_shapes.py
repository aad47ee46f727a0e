"""Documents of every shape: each kind of node, many times, at each place that the SAT's schemas have.

A place is the path of an element in a schema. The document of a place is an example with the chain of elements that
leads to it; what is absent is added without attributes, so that a document has faults besides the repeated nodes. The
server must read, evaluate and show all of them in time that grows as their size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random

from lxml import etree

from timbra import examples
from timbra.cfdi.structure import Structure
from timbra.cfdi.structure.standards import XmlStandard, XmlStandards
from timbra.snapshot import Snapshot

ATTRIBUTES = 2
"""Attributes of one element."""
FOREIGN = "urn:x"
_SLOT = "timbra-slot"
_STAMP = "http://www.sat.gob.mx/TimbreFiscalDigital"

KINDS: Mapping[str, Callable[[int, str], str]] = {
    "element": lambda count, _: f'<x:a xmlns:x="{FOREIGN}"/>' * count,
    "own element": lambda count, own: f"<{own}/>" * count,
    "alternating elements": lambda count, own: f'<{own}/><x:a xmlns:x="{FOREIGN}"/>' * count,
    "element name": lambda count, _: "".join(f'<x:a{number} xmlns:x="{FOREIGN}"/>' for number in range(count)),
    "attribute": lambda count, own: (
        (f"<{own} " + " ".join(f'a{number}="1"' for number in range(ATTRIBUTES)) + "/>") * (count // ATTRIBUTES)
    ),
    "text": lambda count, _: "x<?a?>" * count,
    "long text": lambda count, _: "x y " * count,
    "comment": lambda count, _: "<!--a-->" * count,
    "instruction": lambda count, _: "<?a?>" * count,
    "CDATA": lambda count, _: "<![CDATA[x]]>" * count,
    "reference": lambda count, _: "&#120;&amp;" * count,
    "namespace": lambda count, _: "".join(f'<x{number}:a xmlns:x{number}="urn:{number}"/>' for number in range(count)),
}
"""What is repeated: the text of so many nodes, for a place with that qualified name."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of node at a place.

    Attributes:
        standard: the standard of the place.
        path: local names from the root of the standard; the nodes are its children.
        kind: a key of `KINDS`.
        text: the document, with a slot in which the nodes stand.
        own: qualified name of the element at the place.
    """

    standard: XmlStandard
    path: tuple[str, ...]
    kind: str
    text: str
    own: str

    @property
    def name(self) -> str:
        """What the shape is called in tables."""
        standard = self.standard
        return f"{self.kind} in {'/'.join(self.path)} ({standard.prefix} {standard.version})"

    def document(self, count: int) -> bytes:
        """Return the document with so many nodes."""
        return self.text.replace(f"<!--{_SLOT}-->", KINDS[self.kind](count, self.own)).encode()


def shapes(snapshot: Snapshot) -> list[Shape]:
    """Return every kind of node at every place of the schemas."""
    standards = XmlStandards(snapshot)
    return [
        Shape(standard, path, kind, *slot)
        for standard in Structure(snapshot).supported
        for path, slot in _places(standards, standard)
        for kind in KINDS
    ]


def sample(snapshot: Snapshot, count: int, seed: int) -> list[Shape]:
    """Return some of the shapes, so that each kind of node has a share."""
    by_kind: dict[str, list[Shape]] = {kind: [] for kind in KINDS}
    for shape in shapes(snapshot):
        by_kind[shape.kind].append(shape)
    random = Random(seed)  # noqa: S311 - a sample
    share = -(-count // len(KINDS))
    return [shape for each in by_kind.values() for shape in random.sample(each, min(share, len(each)))]


def _places(standards: XmlStandards, standard: XmlStandard) -> Iterator[tuple[tuple[str, ...], tuple[str, str]]]:
    base = etree.fromstring(_example(standard).encode())
    head = base if standard.document else _complement(base, standard)
    declarations = standards.declarations(head)
    for path in sorted(declarations.paths) if declarations else []:
        root = etree.fromstring(etree.tostring(base))
        element = root if standard.document else _complement(root, standard)
        for name in path[1:]:
            found = element.find(f"{{{standard.namespace}}}{name}")
            element = etree.SubElement(element, f"{{{standard.namespace}}}{name}") if found is None else found
        element.append(etree.Comment(_SLOT))
        own = etree.QName(element).localname
        yield path, (etree.tostring(root, encoding="unicode"), f"{element.prefix}:{own}" if element.prefix else own)


def _complement(root: etree._Element, standard: XmlStandard) -> etree._Element:
    """Return the complement of an example, added when it is absent."""
    namespace = etree.QName(root).namespace
    holder = root.find(f"{{{namespace}}}Complemento")
    if holder is None:
        holder = etree.SubElement(root, f"{{{namespace}}}Complemento")
    tag = f"{{{standard.namespace}}}{standard.element}"
    found = holder.find(tag)
    if found is not None:
        return found
    added = etree.SubElement(holder, tag, nsmap={standard.prefix: standard.namespace})
    if standard.version:
        added.set("version" if standard.namespace == _STAMP else "Version", standard.version)
    return added


def _example(standard: XmlStandard) -> str:
    """Return the example that a standard's places are put into."""
    if standard.document and standard.element == "Retenciones" and standard.version == "1.0":
        return f'<retenciones:Retenciones xmlns:retenciones="{standard.namespace}" Version="1.0"/>'
    if standard.document and standard.version == "3.3":
        return examples.ingreso33()
    return examples.retencion() if "retencion" in standard.namespace else examples.ingreso()
