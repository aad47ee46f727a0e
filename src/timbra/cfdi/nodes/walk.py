"""Conversion of an element tree to nodes, in one pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from lxml import etree

from timbra.cfdi.nodes.base import NAMESPACE, NAMESPACE_33, Node
from timbra.cfdi.nodes.complement import ANY, ComplementNode
from timbra.cfdi.nodes.complements import CONCEPTO_KINDS, KINDS, Kinds
from timbra.cfdi.nodes.comprobante import Comprobante
from timbra.cfdi.nodes.concepto import Concepto
from timbra.cfdi.nodes.impuestos import Retencion, Traslado
from timbra.cfdi.nodes.plans import reader

ByKind = dict[type[Node], list[Node]]
_ROOTS: dict[object, str] = {f"{name}Comprobante": name[1:-1] for name in (NAMESPACE, NAMESPACE_33)}
"""Namespace by qualified name of the root."""
_ROOT_33 = f"{NAMESPACE_33}Comprobante"


def walk(root: etree._Element) -> Comprobante:
    """Read the nodes of a CFDI 4.0 or 3.3 whose structure is valid. No rule is evaluated.

    Raises:
        KeyError: the root is another element.
    """
    by_kind: ByKind = {}
    holders: list[Node] = []
    comprobante: Comprobante = reader(Comprobante, _ROOTS[root.tag]).read(root, (), by_kind, holders)
    del by_kind[Comprobante]
    for holder in holders:
        if isinstance(holder, Concepto):
            read_complements(holder.complementos, holder.places, CONCEPTO_KINDS, by_kind)
        else:
            read_complements(comprobante.complementos, (), KINDS, by_kind)
    if root.tag == _ROOT_33:
        for relacionados in comprobante.relacionados:
            relacionados.places = (0,)  # CFDI 3.3 allows one
    comprobante.by_kind = by_kind
    comprobante.traslados = tuple(comprobante.of(Traslado))
    comprobante.retenciones = tuple(comprobante.of(Retencion))
    return comprobante


def read_complements(
    complements: Sequence[etree._Element], places: tuple[int, ...], kinds: Kinds, by_kind: ByKind
) -> None:
    """Read the nodes of the complements that have a class.

    Args:
        complements: the elements, complements of other kinds included.
        places: position of the node that contains them.
        kinds: the classes.
    """
    for element, place, copy in _placed(complements):
        tag, name = str(element.tag), "Version" if element.get("Version") else "version"
        version = element.get(name, "")
        kind = kinds.get((tag, version))
        if kind is not None:
            _read_complement(kind, element, (*places, place, copy), by_kind)
        elif (other := kinds.get((tag, ANY))) is not None:
            _read_complement(other, etree.Element(tag, {name: version}), (*places, place, copy), by_kind)


def _read_complement(
    kind: type[ComplementNode], element: etree._Element, places: tuple[int, ...], by_kind: ByKind
) -> None:
    reader(kind, kind.TAG[1:].partition("}")[0]).read(element, places, by_kind, [])


def _placed(complements: Sequence[etree._Element]) -> Iterator[tuple[etree._Element, int, int]]:
    """Yield each complement with its position among all, from 1, and among those of its name, 0 for the only one."""
    if len(complements) == 1:
        yield complements[0], 1, 0
        return
    copies = Counter(element.tag for element in complements)
    seen: Counter[object] = Counter()
    for place, element in enumerate(complements, 1):
        tag = element.tag
        seen[tag] += 1
        yield element, place, seen[tag] if copies[tag] > 1 else 0
