"""What a document declares: its namespaces, where it says that their schemas lie, and where its complements stand."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import cast

from lxml import etree

from timbra.cfdi.nodes import Node
from timbra.cfdi.structure.check import complements_of
from timbra.cfdi.tfd import TFD_TAG

XSI = "http://www.w3.org/2001/XMLSchema-instance"
SCHEMA_LOCATION = f"{{{XSI}}}schemaLocation"
MOST = 20
"""How many complements, declarations and places of one document are looked at: mistakes repeat themselves."""
_LOCATED = etree.XPath(
    "/*/*[local-name()!='Addenda']/descendant-or-self::*[@xsi:schemaLocation]", namespaces={"xsi": XSI}
)


class Declarations(Node):
    """The root's own declarations. pairs: of its schemaLocation, in order; None without one or with an odd word.

    declared: prefix and namespace, as many as are looked at; unused: those of which no element is.
    """

    __slots__ = ("declared", "element", "namespace", "pairs", "unused", "written")

    def __init__(self, root: etree._Element) -> None:
        self.places = ()
        self.element = root
        self.namespace = str(etree.QName(root).namespace or "")
        self.written = root.get(SCHEMA_LOCATION)
        self.pairs = pairs_of(self.written)
        self.declared = tuple(islice(root.nsmap.items(), MOST))
        self.unused = tuple(
            namespace
            for _, namespace in self.declared
            if namespace not in (XSI, self.namespace) and next(root.iter(f"{{{namespace}}}*"), None) is None
        )


class Carried(Node):
    """A complement, of the invoice or of a concept, and where it is declared.

    at: its path, without prefixes. home: `Comprobante`, `Complemento` (or `ComplementoConcepto`), or its own name:
    the outermost node that declares its namespace. elsewhere: local names of the nodes, other than the root, whose
    schemaLocation tells where its schema lies.
    """

    TEMPLATE = "Complemento"

    __slots__ = ("at", "element", "elsewhere", "home", "name", "namespace", "prefix")

    def __init__(self, element: etree._Element, at: str, home: str, elsewhere: tuple[str, ...]) -> None:
        self.places = ()
        self.element = element
        self.at = at
        self.home = home
        self.elsewhere = elsewhere
        name = etree.QName(element)
        self.name = name.localname
        self.namespace = str(name.namespace or "")
        self.prefix = element.prefix or ""

    @property
    def path(self) -> str:
        return self.at


def carried(root: etree._Element) -> Iterator[Carried]:
    """The complements of a document, one of each namespace in each kind of place."""
    declared = frozenset(root.nsmap.values())
    elements = _one_of_each(root)
    told_by = _located(root) if any(element.tag != TFD_TAG for element, _ in elements) else []
    for element, holder in elements:
        namespace = etree.QName(element).namespace
        home = "Comprobante" if namespace in declared else _home(element, holder)
        elsewhere = tuple(name for name, pairs in told_by if any(pair[0] == namespace for pair in pairs))
        yield Carried(element, _path(element, holder), home, elsewhere)


def pairs_of(written: str | None) -> tuple[tuple[str, str], ...] | None:
    """Namespace and address, pair by pair; None without any words or with an odd number of them."""
    words = (written or "").split()
    return tuple(zip(words[::2], words[1::2], strict=True)) if words and len(words) % 2 == 0 else None


def stamps_elsewhere(root: etree._Element) -> int:
    """How many stamps stand outside of Complemento; what the Addenda holds is nobody's concern."""
    return sum(not _is_in_its_place(stamp) for stamp in root.iter(TFD_TAG))


def _one_of_each(root: etree._Element) -> list[tuple[etree._Element, etree._Element]]:
    """The first complement of each name and prefix in each kind of place, with its parent."""
    found: dict[tuple[object, ...], tuple[etree._Element, etree._Element]] = {}
    for element in complements_of(root):
        holder = element.getparent()
        if holder is not None and len(found) < MOST:
            found.setdefault((element.tag, element.prefix, holder.tag), (element, holder))
    return list(found.values())


def _located(root: etree._Element) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """Local name and schemaLocation of each node that has one, root and Addenda apart."""
    places = cast(list[etree._Element], _LOCATED(root))[:MOST]
    return [(etree.QName(place).localname, pairs_of(place.get(SCHEMA_LOCATION)) or ()) for place in places]


def _is_in_its_place(stamp: etree._Element) -> bool:
    ways = [etree.QName(step).localname for step in stamp.iterancestors()][::-1]
    return ways == ["Comprobante", "Complemento"] or ways[1:2] == ["Addenda"]


def _home(element: etree._Element, holder: etree._Element) -> str:
    inherited = holder.nsmap.get(element.prefix) == etree.QName(element).namespace
    return str(etree.QName(holder if inherited else element).localname)


def _path(element: etree._Element, holder: etree._Element) -> str:
    name = f"{etree.QName(holder).localname}/{etree.QName(element).localname}"
    return name if name.startswith("Complemento/") else f"Conceptos/Concepto/{name}"
