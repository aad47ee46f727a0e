"""Conversion of an element tree to nodes, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from timbra.cfdi.nodes.base import NAMESPACE, NAMESPACE_33, Node, elements
from timbra.cfdi.nodes.complement import complement_nodes, concepto_complement_nodes
from timbra.cfdi.nodes.complements import CONCEPTO_READERS, READERS
from timbra.cfdi.nodes.comprobante import CfdiRelacionados, Comprobante, Emisor, InformacionGlobal, Receptor
from timbra.cfdi.nodes.concepto import ACuentaTerceros, Concepto, InformacionAduanera, InformacionAduaneraDeParte, Parte
from timbra.cfdi.nodes.impuestos import ImpuestosTotales, Retencion, RetencionTotal, Traslado, TrasladoTotal

_RARE = ("ACuentaTerceros", "InformacionAduanera", "Parte", "ComplementoConcepto")
"""Children that few Conceptos have."""


@dataclass(frozen=True, slots=True)
class _Tags:
    """Qualified names of one version of the standard.

    Attributes:
        rare: local names by qualified name, of `_RARE`.
        children: reader by qualified name, of the children of the root.
    """

    concepto: str
    impuestos: str
    traslado: str
    traslados: str
    retencion: str
    retenciones: str
    aduana: str
    rare: dict[object, str]
    children: dict[object, Callable[[_Flat, etree._Element], None]]

    @staticmethod
    def of(namespace: str) -> _Tags:
        return _Tags(
            concepto=f"{namespace}Concepto",
            impuestos=f"{namespace}Impuestos",
            traslado=f"{namespace}Traslado",
            traslados=f"{namespace}Traslados",
            retencion=f"{namespace}Retencion",
            retenciones=f"{namespace}Retenciones",
            aduana=f"{namespace}InformacionAduanera",
            rare={f"{namespace}{name}": name for name in _RARE},
            children={f"{namespace}{name}": read for name, read in _CHILDREN.items()},
        )


def walk(root: etree._Element) -> Comprobante:
    """Read the nodes of a CFDI 4.0 or 3.3 whose structure is valid. No rule is evaluated.

    Raises:
        KeyError: the root is another element.
    """
    tags = _TAGS[root.tag]
    comprobante = Comprobante(root)
    comprobante.informacion_global = comprobante.impuestos = comprobante.addenda = None
    comprobante.conceptos = comprobante.complementos = ()
    flat = _Flat(comprobante, tags)
    children = tags.children
    for child in root:
        read = children.get(child.tag)
        if read is not None:
            read(flat, child)
    _complement_nodes(flat)
    comprobante.by_kind = flat.by_kind()
    comprobante.relacionados = tuple(comprobante.of(CfdiRelacionados))
    comprobante.traslados = tuple(flat.traslados)
    comprobante.retenciones = tuple(flat.retenciones)
    return comprobante


class _Flat:
    """The nodes of each repeated kind in one list each, filled during the walk."""

    def __init__(self, comprobante: Comprobante, tags: _Tags) -> None:
        self.comprobante = comprobante
        self.tags = tags
        self.conceptos: list[Concepto] = []
        self.traslados: list[Traslado] = []
        self.retenciones: list[Retencion] = []
        self.others: dict[type[Node], list[Node]] = {}

    def add(self, node: Node) -> None:
        self.others.setdefault(type(node), []).append(node)

    def extend(self, kind: type[Node], nodes: Sequence[Node]) -> None:
        if nodes:
            self.others.setdefault(kind, []).extend(nodes)

    def by_kind(self) -> dict[type[Node], list[Node]]:
        """Return the lists that are not empty."""
        self.extend(Concepto, self.conceptos)
        self.extend(Traslado, self.traslados)
        self.extend(Retencion, self.retenciones)
        return self.others


def _informacion_global(flat: _Flat, element: etree._Element) -> None:
    flat.comprobante.informacion_global = node = InformacionGlobal(element)
    flat.add(node)


def _relacionados(flat: _Flat, element: etree._Element) -> None:
    earlier = flat.others.setdefault(CfdiRelacionados, [])
    earlier.append(CfdiRelacionados(element, len(earlier) + 1))


def _emisor(flat: _Flat, element: etree._Element) -> None:
    flat.comprobante.emisor = node = Emisor(element)
    flat.add(node)


def _receptor(flat: _Flat, element: etree._Element) -> None:
    flat.comprobante.receptor = node = Receptor(element)
    flat.add(node)


def _conceptos(flat: _Flat, element: etree._Element) -> None:
    """Read all Conceptos in one flat pass, because creating an lxml iterator costs more than reading an element.

    As the structure is valid, the order of the elements determines the parent of each.
    """
    conceptos, traslados = flat.conceptos, flat.traslados
    tags = flat.tags
    its_concepto, its_impuestos, its_rare = tags.concepto, tags.impuestos, tags.rare
    its_traslado, its_retencion = tags.traslado, tags.retencion
    rare: dict[int, list[etree._Element]] = {}
    below = element.iterdescendants()
    for child in below:
        tag = child.tag
        if tag == its_concepto:
            place = len(conceptos) + 1
            concepto = Concepto(child, place)
            conceptos.append(concepto)
        elif tag == its_impuestos:
            concepto.has_impuestos = True
            transferred: list[Traslado] = []
            withheld: list[Retencion] = []
            concepto.traslados, concepto.retenciones = transferred, withheld
        elif tag == its_traslado:
            traslado = Traslado(child, place, len(transferred) + 1)
            transferred.append(traslado)
            traslados.append(traslado)
        elif tag == its_retencion:
            retencion = Retencion(child, place, len(withheld) + 1)
            withheld.append(retencion)
            flat.retenciones.append(retencion)
        elif tag in its_rare:
            rare.setdefault(place, []).append(child)
            _skip(child, below)
    for place, parts in rare.items():
        _others(flat, conceptos[place - 1], parts)
    flat.comprobante.conceptos = tuple(conceptos)


def _skip(element: etree._Element, below: Iterator[etree._Element]) -> None:
    """Advance an iterator that is at the element past all its descendants."""
    for _ in element.iterdescendants():
        next(below)


def _others(flat: _Flat, concepto: Concepto, parts: list[etree._Element]) -> None:
    (place,) = concepto.places
    complementos: list[etree._Element] = []
    aduanas: list[InformacionAduanera] = []
    partes: list[Parte] = []
    names = flat.tags.rare
    for element in parts:
        match names[element.tag]:
            case "ACuentaTerceros":
                concepto.a_cuenta_terceros = third = ACuentaTerceros(element, place)
                flat.add(third)
            case "InformacionAduanera":
                aduanas.append(InformacionAduanera(element, place, len(aduanas) + 1))
            case "Parte":
                partes.append(_parte(flat, element, place, len(partes) + 1))
            case "ComplementoConcepto":
                complementos += elements(element)
    concepto.aduanas, concepto.partes, concepto.complementos = tuple(aduanas), tuple(partes), tuple(complementos)
    flat.extend(InformacionAduanera, aduanas)
    flat.extend(Parte, partes)
    if complementos:
        for node in concepto_complement_nodes(place, complementos, CONCEPTO_READERS):
            flat.add(node)


def _parte(flat: _Flat, element: etree._Element, concepto: int, index: int) -> Parte:
    parte = Parte(element, concepto, index)
    rows = element.iterchildren(flat.tags.aduana)
    aduanas = [InformacionAduaneraDeParte(row, concepto, index, place) for place, row in enumerate(rows, 1)]
    parte.aduanas = tuple(aduanas)
    flat.extend(InformacionAduaneraDeParte, aduanas)
    return parte


def _impuestos(flat: _Flat, element: etree._Element) -> None:
    tags = flat.tags
    flat.comprobante.impuestos = totals = ImpuestosTotales(element)
    flat.add(totals)
    for container in element:
        if container.tag == tags.retenciones:
            totals.has_retenciones = True
            rows = [row for row in container if row.tag == tags.retencion]
            totals.retenciones = tuple([RetencionTotal(row, index) for index, row in enumerate(rows, 1)])
        elif container.tag == tags.traslados:
            totals.has_traslados = True
            rows = [row for row in container if row.tag == tags.traslado]
            totals.traslados = tuple([TrasladoTotal(row, index) for index, row in enumerate(rows, 1)])
    flat.extend(RetencionTotal, totals.retenciones)
    flat.extend(TrasladoTotal, totals.traslados)


def _complemento(flat: _Flat, element: etree._Element) -> None:
    flat.comprobante.complementos += tuple(elements(element))


def _complement_nodes(flat: _Flat) -> None:
    complements = flat.comprobante.complementos
    if complements:
        for node in complement_nodes(complements, READERS):
            flat.add(node)


def _addenda(flat: _Flat, element: etree._Element) -> None:
    flat.comprobante.addenda = element


_CHILDREN: dict[str, Callable[[_Flat, etree._Element], None]] = {
    "InformacionGlobal": _informacion_global,
    "CfdiRelacionados": _relacionados,
    "Emisor": _emisor,
    "Receptor": _receptor,
    "Conceptos": _conceptos,
    "Impuestos": _impuestos,
    "Complemento": _complemento,
    "Addenda": _addenda,
}
_TAGS: dict[object, _Tags] = {f"{name}Comprobante": _Tags.of(name) for name in (NAMESPACE, NAMESPACE_33)}
"""Names by the qualified name of the root."""
