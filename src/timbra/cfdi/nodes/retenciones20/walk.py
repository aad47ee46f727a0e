"""Conversion of the element tree of a retención to nodes."""

from __future__ import annotations

from lxml import etree

from timbra.cfdi.nodes.base import Node, elements
from timbra.cfdi.nodes.complement import Reader, complement_nodes
from timbra.cfdi.nodes.retenciones20 import pagosaextranjeros, planesderetiro11, plataformas10
from timbra.cfdi.nodes.retenciones20.retenciones import (
    NAMESPACE,
    CfdiRetenRelacionados,
    Emisor,
    Periodo,
    Receptor,
    Retenciones,
    Totales,
)

TAG = f"{NAMESPACE}Retenciones"
"""Qualified name of the root element."""
READERS: dict[tuple[str, str], Reader] = {
    (pagosaextranjeros.Pagosaextranjeros.TAG, "1.0"): pagosaextranjeros.read,
    (planesderetiro11.Planesderetiro.TAG, "1.1"): planesderetiro11.read,
    (plataformas10.ServiciosPlataformasTecnologicas.TAG, "1.0"): plataformas10.read,
}


def walk(root: etree._Element) -> Retenciones:
    """Read the nodes of a retención 2.0 whose structure is valid. No rule is evaluated."""
    retenciones = Retenciones(root)
    for child in elements(root):
        match str(child.tag).rpartition("}")[2]:
            case "CfdiRetenRelacionados":
                retenciones.relacionados = CfdiRetenRelacionados(child)
            case "Emisor":
                retenciones.emisor = Emisor(child)
            case "Receptor":
                retenciones.receptor = Receptor(child)
            case "Periodo":
                retenciones.periodo = Periodo(child)
            case "Totales":
                retenciones.totales = Totales(child)
            case "Complemento":
                retenciones.complementos = tuple(elements(child))
            case "Addenda":
                retenciones.addenda = child
    for node in _nodes(retenciones):
        retenciones.by_kind.setdefault(type(node), []).append(node)
    return retenciones


def _nodes(retenciones: Retenciones) -> list[Node]:
    """Return all nodes except the root, in document order."""
    receptor, totales = retenciones.receptor, retenciones.totales
    once = (
        retenciones.relacionados,
        retenciones.emisor,
        receptor,
        receptor.nacional,
        receptor.extranjero,
        retenciones.periodo,
        totales,
    )
    present = [node for node in once if node is not None]
    return [*present, *totales.retenidos, *complement_nodes(retenciones.complementos, READERS)]
