"""Declarations of a document: its namespaces, its schemaLocation pairs, and the positions of its complements."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import cast

from lxml import etree

from timbra.cfdi.document import XSI
from timbra.cfdi.nodes import Node
from timbra.cfdi.structure.check import iter_complements
from timbra.cfdi.structure.standards import element_namespace
from timbra.cfdi.tfd import TFD_TAG

SCHEMA_LOCATION = f"{{{XSI}}}schemaLocation"
MAX_ENTRIES = 20
"""Complements, declarations and positions of one document that are inspected; mistakes repeat."""
MAX_CACHED = 2_000
"""Length of a schemaLocation up to which its pairs are cached: the documents of one program have the same."""
_LOCATED = etree.XPath(
    "/*/*[local-name()!='Addenda']/descendant-or-self::*[@xsi:schemaLocation]", namespaces={"xsi": XSI}
)


class Declarations(Node):
    """The declarations on the root element.

    Attributes:
        namespace: namespace of the root.
        written: xsi:schemaLocation as written; None when absent.
        pairs: namespace and URL pairs of schemaLocation; None if it is absent, empty or has an odd number of parts.
    """

    __slots__ = ("_declared", "element", "namespace", "pairs", "written")

    def __init__(self, root: etree._Element) -> None:
        self.places = ()
        self.element = root
        self.namespace = element_namespace(root)
        self.written = root.get(SCHEMA_LOCATION)
        self.pairs = schema_location_pairs(self.written)
        self._declared: tuple[tuple[str | None, str], ...] | None = None

    @property
    def declared(self) -> tuple[tuple[str | None, str], ...]:
        """Prefix and namespace, the first `MAX_ENTRIES`."""
        if self._declared is None:
            self._declared = tuple(islice(self.element.nsmap.items(), MAX_ENTRIES))
        return self._declared

    @property
    def unused(self) -> tuple[str, ...]:
        """Declared namespaces that no element has."""
        return tuple(
            namespace
            for _, namespace in self.declared
            if namespace not in (XSI, self.namespace) and next(self.element.iter(f"{{{namespace}}}*"), None) is None
        )


class DeclaredComplement(Node):
    """A complement of the invoice or of a Concepto, and the elements that declare its namespace and schema.

    Attributes:
        at: its path, without prefixes.
        home: outermost element that declares its namespace: the root, `Complemento` (or `ComplementoConcepto`), or its
            own name.
        elsewhere: local names of the elements other than the root whose schemaLocation has the complement's namespace.
    """

    TEMPLATE = "Complemento"

    __slots__ = ("at", "element", "elsewhere", "home", "name", "namespace", "prefix")

    def __init__(self, element: etree._Element, at: str, home: str, elsewhere: tuple[str, ...]) -> None:
        self.places = ()
        self.element = element
        self.at = at
        self.home = home
        self.elsewhere = elsewhere
        self.name = _local_name(element)
        self.namespace = element_namespace(element)
        self.prefix = element.prefix or ""

    @property
    def path(self) -> str:
        """Path without prefixes, as `at`."""
        return self.at


def declared_complements(root: etree._Element) -> Iterator[DeclaredComplement]:
    """Yield the complements of a document, one of each namespace and kind of parent."""
    elements = _distinct_complements(root)
    if not elements:
        return
    declared = frozenset(root.nsmap.values())
    locations = _schema_locations(root) if any(element.tag != TFD_TAG for element, _ in elements) else []
    for element, holder in elements:
        namespace = element_namespace(element)
        home = _local_name(root) if namespace in declared else _home(element, holder)
        elsewhere = tuple(name for name, pairs in locations if any(pair[0] == namespace for pair in pairs))
        yield DeclaredComplement(element, _path(element, holder), home, elsewhere)


def schema_location_pairs(written: str | None) -> tuple[tuple[str, str], ...] | None:
    """Split a schemaLocation into pairs of namespace and URL; None if it is empty or has an odd number of parts."""
    return _split_pairs(written) if written is None or len(written) > MAX_CACHED else _known_pairs(written)


def _split_pairs(written: str | None) -> tuple[tuple[str, str], ...] | None:
    parts = (written or "").split()
    return tuple(zip(parts[::2], parts[1::2], strict=True)) if parts and len(parts) % 2 == 0 else None


_known_pairs = lru_cache(maxsize=256)(_split_pairs)


def count_misplaced_stamps(root: etree._Element) -> int:
    """Count the stamps outside of Complemento; those in the Addenda are ignored."""
    return sum([not _is_inside_complemento(stamp) for stamp in root.iter(TFD_TAG)])


def _distinct_complements(root: etree._Element) -> list[tuple[etree._Element, etree._Element]]:
    """Return the first complement of each name, prefix and parent name, with its parent."""
    found: dict[tuple[object, ...], tuple[etree._Element, etree._Element]] = {}
    for element in iter_complements(root):
        holder = element.getparent()
        if holder is not None and len(found) < MAX_ENTRIES:
            found.setdefault((element.tag, element.prefix, holder.tag), (element, holder))
    return list(found.values())


def _schema_locations(root: etree._Element) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """Return the local name and schemaLocation pairs of each element that has them, without root and Addenda."""
    places = cast(list[etree._Element], _LOCATED(root))[:MAX_ENTRIES]
    return [(_local_name(place), schema_location_pairs(place.get(SCHEMA_LOCATION)) or ()) for place in places]


def _is_inside_complemento(stamp: etree._Element) -> bool:
    ways = [_local_name(step) for step in stamp.iterancestors()]
    return (len(ways) == 2 and ways[0] == "Complemento") or ways[-2:-1] == ["Addenda"]


def _home(element: etree._Element, holder: etree._Element) -> str:
    inherited = (holder.nsmap.get(element.prefix) or "") == element_namespace(element)
    return _local_name(holder if inherited else element)


def _path(element: etree._Element, holder: etree._Element) -> str:
    name = f"{_local_name(holder)}/{_local_name(element)}"
    return name if name.startswith("Complemento/") else f"Conceptos/Concepto/{name}"


def _local_name(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]
