"""Conversion of the element tree of a retención to nodes."""

from __future__ import annotations

from lxml import etree

from timbra.cfdi.nodes.complements import Kinds
from timbra.cfdi.nodes.plans import reader
from timbra.cfdi.nodes.retenciones20.pagosaextranjeros import Pagosaextranjeros
from timbra.cfdi.nodes.retenciones20.planesderetiro11 import Planesderetiro
from timbra.cfdi.nodes.retenciones20.plataformas10 import ServiciosPlataformasTecnologicas
from timbra.cfdi.nodes.retenciones20.retenciones import NAMESPACE, Retenciones
from timbra.cfdi.nodes.walk import ByKind, read_complements

TAG = f"{NAMESPACE}Retenciones"
"""Qualified name of the root element."""
KINDS: Kinds = {
    (Pagosaextranjeros.TAG, "1.0"): Pagosaextranjeros,
    (Planesderetiro.TAG, "1.1"): Planesderetiro,
    (ServiciosPlataformasTecnologicas.TAG, "1.0"): ServiciosPlataformasTecnologicas,
}


def walk(root: etree._Element) -> Retenciones:
    """Read the nodes of a retención 2.0 whose structure is valid. No rule is evaluated."""
    by_kind: ByKind = {}
    retenciones: Retenciones = reader(Retenciones, NAMESPACE[1:-1]).read(root, (), by_kind, [])
    del by_kind[Retenciones]
    if retenciones.complementos:
        read_complements(retenciones.complementos, (), KINDS, by_kind)
    retenciones.by_kind = by_kind
    return retenciones
