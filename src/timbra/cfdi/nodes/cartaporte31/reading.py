"""Conversion of the elements of Carta Porte to nodes."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from timbra.cfdi.nodes.base import Node, elements
from timbra.cfdi.nodes.cartaporte31.cartaporte import CartaPorte, DomicilioUbicacion, RegimenAduaneroCCP, Ubicacion
from timbra.cfdi.nodes.cartaporte31.figuras import DomicilioFigura, PartesTransporte, TiposFigura
from timbra.cfdi.nodes.cartaporte31.mercancias import (
    CantidadTransporta,
    DetalleMercancia,
    DocumentacionAduanera,
    Mercancia,
    Mercancias,
)
from timbra.cfdi.nodes.cartaporte31.names import AEREO, AUTOTRANSPORTE, FERROVIARIO, MARITIMO, NAMESPACE
from timbra.cfdi.nodes.cartaporte31.transportes import (
    Autotransporte,
    Carro,
    Contenedor,
    ContenedorMaritimo,
    DerechosDePaso,
    Remolque,
    RemolqueCCP,
    TransporteAereo,
    TransporteFerroviario,
    TransporteMaritimo,
)
from timbra.cfdi.nodes.complement import Places

Row = tuple[etree._Element, tuple[int, ...]]
"""An element that repeats, with its places."""


def read_other(element: etree._Element, head: Places) -> Iterator[Node]:
    """Read the version of a Carta Porte that has no schema here; its content is not read."""
    yield CartaPorte(etree.Element(element.tag, Version=element.get("Version", "")), head)


def read(element: etree._Element, head: Places) -> Iterator[Node]:
    """Read the complement and its descendants.

    Args:
        element: CartaPorte 3.1 whose structure is valid.
        head: position of the complement.

    Returns:
        The nodes, the complement first.
    """
    carta = CartaPorte(element, head)
    nodes: list[Node] = [carta]
    for child in elements(element):
        match _local(child):
            case "RegimenesAduaneros":
                carta.has_regimenes = True
                carta.regimenes = tuple([RegimenAduaneroCCP(*row) for row in _rows(child, head)])
                nodes += carta.regimenes
            case "Ubicaciones":
                carta.ubicaciones = tuple([_ubicacion(row, nodes) for row in _rows(child, head)])
            case "Mercancias":
                carta.mercancias = _mercancias(carta, child, nodes)
            case "FiguraTransporte":
                carta.has_figuras = True
                carta.figuras = tuple([_figura(row, nodes) for row in _rows(child, head)])
    return iter(nodes)


def _local(element: etree._Element) -> str:
    return str(element.tag).removeprefix(NAMESPACE)


def _rows(parent: etree._Element, places: tuple[int, ...], local: str | None = None) -> list[Row]:
    """Return the child elements, those of one name when `local` is given, with their places."""
    children = [child for child in elements(parent) if local is None or _local(child) == local]
    return [(child, (*places, place)) for place, child in enumerate(children, 1)]


def _ubicacion(row: Row, nodes: list[Node]) -> Ubicacion:
    ubicacion = Ubicacion(*row)
    nodes.append(ubicacion)
    for child in elements(row[0]):
        ubicacion.domicilio = DomicilioUbicacion(child, (*ubicacion.places, 0))
        nodes.append(ubicacion.domicilio)
    return ubicacion


def _mercancias(carta: CartaPorte, element: etree._Element, nodes: list[Node]) -> Mercancias:
    mercancias = Mercancias(element, (*carta.complement, 0))
    nodes.append(mercancias)
    mercancias.filas = tuple([_mercancia(row, nodes) for row in _rows(element, mercancias.places, "Mercancia")])
    transportes = set()
    for child in elements(element):
        name, row = _local(child), (child, (*mercancias.places, 0))
        match name:
            case "Autotransporte":
                mercancias.autotransporte = _autotransporte(row, nodes)
            case "TransporteMaritimo":
                mercancias.maritimo = _maritimo(row, nodes)
            case "TransporteAereo":
                mercancias.aereo = TransporteAereo(*row)
                nodes.append(mercancias.aereo)
            case "TransporteFerroviario":
                mercancias.ferroviario = _ferroviario(row, nodes)
        transportes.add(name)
    carta.transportes = frozenset(transportes & {AUTOTRANSPORTE, MARITIMO, AEREO, FERROVIARIO})
    return mercancias


def _mercancia(row: Row, nodes: list[Node]) -> Mercancia:
    mercancia = Mercancia(*row)
    nodes.append(mercancia)
    places = mercancia.places
    documentos: list[DocumentacionAduanera] = []
    cantidades: list[CantidadTransporta] = []
    for child in elements(row[0]):
        match _local(child):
            case "DocumentacionAduanera":
                documentos.append(DocumentacionAduanera(child, (*places, len(documentos) + 1)))
            case "GuiasIdentificacion":
                mercancia.has_guias = True
            case "CantidadTransporta":
                cantidades.append(CantidadTransporta(child, (*places, len(cantidades) + 1)))
            case "DetalleMercancia":
                mercancia.detalle = DetalleMercancia(child, (*places, 0))
                nodes.append(mercancia.detalle)
    mercancia.documentos, mercancia.cantidades = tuple(documentos), tuple(cantidades)
    nodes += (*documentos, *cantidades)
    return mercancia


def _autotransporte(row: Row, nodes: list[Node]) -> Autotransporte:
    auto = Autotransporte(*row)
    nodes.append(auto)
    for child in elements(row[0]):
        match _local(child):
            case "IdentificacionVehicular":
                auto.ConfigVehicular = child.get("ConfigVehicular", "")
            case "Seguros":
                auto.AseguraMedAmbiente = child.get("AseguraMedAmbiente")
                auto.PolizaMedAmbiente = child.get("PolizaMedAmbiente")
            case "Remolques":
                auto.has_remolques = True
                auto.remolques = tuple([Remolque(*each) for each in _rows(child, auto.places)])
                nodes += auto.remolques
    return auto


def _maritimo(row: Row, nodes: list[Node]) -> TransporteMaritimo:
    maritimo = TransporteMaritimo(*row)
    nodes.append(maritimo)
    maritimo.contenedores = tuple([_contenedor(each, nodes) for each in _rows(row[0], maritimo.places)])
    return maritimo


def _contenedor(row: Row, nodes: list[Node]) -> ContenedorMaritimo:
    contenedor = ContenedorMaritimo(*row)
    nodes.append(contenedor)
    for child in elements(row[0]):
        contenedor.has_remolques = True
        contenedor.remolques = tuple([RemolqueCCP(*each) for each in _rows(child, contenedor.places)])
        nodes += contenedor.remolques
    return contenedor


def _ferroviario(row: Row, nodes: list[Node]) -> TransporteFerroviario:
    tren = TransporteFerroviario(*row)
    tren.derechos = tuple([DerechosDePaso(*each) for each in _rows(row[0], tren.places, "DerechosDePaso")])
    nodes += (tren, *tren.derechos)
    tren.carros = tuple([_carro(each, nodes) for each in _rows(row[0], tren.places, "Carro")])
    return tren


def _carro(row: Row, nodes: list[Node]) -> Carro:
    carro = Carro(*row)
    carro.contenedores = tuple([Contenedor(*each) for each in _rows(row[0], carro.places)])
    nodes += (carro, *carro.contenedores)
    return carro


def _figura(row: Row, nodes: list[Node]) -> TiposFigura:
    figura = TiposFigura(*row)
    figura.partes = tuple([PartesTransporte(*each) for each in _rows(row[0], figura.places, "PartesTransporte")])
    nodes += (figura, *figura.partes)
    for child, places in _rows(row[0], figura.places, "Domicilio"):
        figura.domicilio = DomicilioFigura(child, (*places[:-1], 0))
        nodes.append(figura.domicilio)
    return figura
