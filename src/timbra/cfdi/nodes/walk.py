"""One walk over the tree: from elements to nodes."""

from __future__ import annotations

from collections.abc import Sequence

from lxml import etree

from timbra.cfdi.nodes.base import NAMESPACE, Node, elements, local_name
from timbra.cfdi.nodes.complement import complement_nodes
from timbra.cfdi.nodes.complements import READERS
from timbra.cfdi.nodes.comprobante import CfdiRelacionados, Comprobante, Emisor, InformacionGlobal, Receptor
from timbra.cfdi.nodes.concepto import ACuentaTerceros, Concepto, InformacionAduanera, InformacionAduaneraDeParte, Parte
from timbra.cfdi.nodes.impuestos import ImpuestosTotales, Retencion, RetencionTotal, Traslado, TrasladoTotal

_CONCEPTO = f"{NAMESPACE}Concepto"
_IMPUESTOS = f"{NAMESPACE}Impuestos"
_TRASLADO = f"{NAMESPACE}Traslado"
_TRASLADOS = f"{NAMESPACE}Traslados"
_RETENCION = f"{NAMESPACE}Retencion"
_RETENCIONES = f"{NAMESPACE}Retenciones"
_ADUANA = f"{NAMESPACE}InformacionAduanera"


def walk(root: etree._Element) -> Comprobante:
    """The nodes of a CFDI 4.0 whose structure is valid. Each element is read once; nothing is judged."""
    comprobante = Comprobante(root)
    comprobante.informacion_global = comprobante.impuestos = comprobante.addenda = None
    comprobante.conceptos = comprobante.complementos = ()
    flat = _Flat(comprobante)
    for child in root:
        name = local_name(child)
        if name in _CHILDREN:
            _CHILDREN[name](flat, child)
    _complement_nodes(flat)
    comprobante.by_kind = {kind: nodes for kind, nodes in flat.kinds().items() if nodes}
    comprobante.relacionados = tuple(comprobante.of(CfdiRelacionados))
    comprobante.traslados = tuple(flat.traslados)
    comprobante.retenciones = tuple(flat.retenciones)
    return comprobante


class _Flat:
    """The nodes of each repeated kind in one list, while they are found."""

    def __init__(self, comprobante: Comprobante) -> None:
        self.comprobante = comprobante
        self.conceptos: list[Concepto] = []
        self.traslados: list[Traslado] = []
        self.retenciones: list[Retencion] = []
        self.others: dict[type[Node], list[Node]] = {}

    def add(self, node: Node) -> None:
        self.others.setdefault(type(node), []).append(node)

    def extend(self, kind: type[Node], nodes: Sequence[Node]) -> None:
        if nodes:
            self.others.setdefault(kind, []).extend(nodes)

    def kinds(self) -> dict[type[Node], list[Node]]:
        return {
            Concepto: list[Node](self.conceptos),
            Traslado: list[Node](self.traslados),
            Retencion: list[Node](self.retenciones),
            **self.others,
        }


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


# Plain loops: asking lxml for children of one name costs three times as much where there are one or two.
def _conceptos(flat: _Flat, element: etree._Element) -> None:
    comprobante, conceptos = flat.comprobante, flat.conceptos
    for child in element:
        if child.tag != _CONCEPTO:
            continue
        concepto = Concepto(child, len(conceptos) + 1)
        conceptos.append(concepto)
        others = None
        for part in child:
            if part.tag == _IMPUESTOS:
                concepto.has_impuestos = True
                for container in part:
                    _taxes(flat, concepto, container)
            elif others is None:
                others = [part]
            else:
                others.append(part)
        if others:
            _others(flat, concepto, others)
    comprobante.conceptos = tuple(conceptos)


def _taxes(flat: _Flat, concepto: Concepto, container: etree._Element) -> None:
    tag, (place,) = container.tag, concepto.places
    if tag == _TRASLADOS:
        traslados: list[Traslado] = []
        for row in container:
            if row.tag == _TRASLADO:
                traslados.append(Traslado(row, place, len(traslados) + 1))
        concepto.traslados = traslados
        flat.traslados += traslados
    elif tag == _RETENCIONES:
        retenciones: list[Retencion] = []
        for row in container:
            if row.tag == _RETENCION:
                retenciones.append(Retencion(row, place, len(retenciones) + 1))
        concepto.retenciones = retenciones
        flat.retenciones += retenciones


def _others(flat: _Flat, concepto: Concepto, parts: list[etree._Element]) -> None:
    (place,) = concepto.places
    complementos: list[etree._Element] = []
    aduanas: list[InformacionAduanera] = []
    partes: list[Parte] = []
    for element in parts:
        match local_name(element):
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


def _parte(flat: _Flat, element: etree._Element, concepto: int, index: int) -> Parte:
    parte = Parte(element, concepto, index)
    rows = element.iterchildren(_ADUANA)
    aduanas = [InformacionAduaneraDeParte(row, concepto, index, place) for place, row in enumerate(rows, 1)]
    parte.aduanas = tuple(aduanas)
    flat.extend(InformacionAduaneraDeParte, aduanas)
    return parte


def _impuestos(flat: _Flat, element: etree._Element) -> None:
    flat.comprobante.impuestos = totals = ImpuestosTotales(element)
    flat.add(totals)
    for container in element:
        if container.tag == _RETENCIONES:
            totals.has_retenciones = True
            rows = container.iterchildren(_RETENCION)
            totals.retenciones = tuple(RetencionTotal(row, index) for index, row in enumerate(rows, 1))
        elif container.tag == _TRASLADOS:
            totals.has_traslados = True
            rows = container.iterchildren(_TRASLADO)
            totals.traslados = tuple(TrasladoTotal(row, index) for index, row in enumerate(rows, 1))
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


_CHILDREN = {
    "InformacionGlobal": _informacion_global,
    "CfdiRelacionados": _relacionados,
    "Emisor": _emisor,
    "Receptor": _receptor,
    "Conceptos": _conceptos,
    "Impuestos": _impuestos,
    "Complemento": _complemento,
    "Addenda": _addenda,
}
