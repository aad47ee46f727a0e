"""Carta Porte 3.1: goods, routes, means of transport and participants."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31.cartaporte import CartaPorte, DomicilioUbicacion, RegimenAduaneroCCP, Ubicacion
from timbra.cfdi.nodes.cartaporte31.figuras import DomicilioFigura, PartesTransporte, TiposFigura
from timbra.cfdi.nodes.cartaporte31.mercancias import (
    CantidadTransporta,
    DetalleMercancia,
    DocumentacionAduanera,
    Mercancia,
    Mercancias,
)
from timbra.cfdi.nodes.cartaporte31.names import AEREO, AUTOTRANSPORTE, FERROVIARIO, MARITIMO, NAMESPACE, TAG, VERSION
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
from timbra.cfdi.nodes.complement import MisplacedComplement


class CartaPorteDeConcepto(MisplacedComplement):
    """A CartaPorte inside a Concepto."""

    TAG = TAG


__all__ = [
    "AEREO",
    "AUTOTRANSPORTE",
    "FERROVIARIO",
    "MARITIMO",
    "NAMESPACE",
    "TAG",
    "VERSION",
    "Autotransporte",
    "CantidadTransporta",
    "Carro",
    "CartaPorte",
    "CartaPorteDeConcepto",
    "Contenedor",
    "ContenedorMaritimo",
    "DerechosDePaso",
    "DetalleMercancia",
    "DocumentacionAduanera",
    "DomicilioFigura",
    "DomicilioUbicacion",
    "Mercancia",
    "Mercancias",
    "PartesTransporte",
    "RegimenAduaneroCCP",
    "Remolque",
    "RemolqueCCP",
    "TiposFigura",
    "TransporteAereo",
    "TransporteFerroviario",
    "TransporteMaritimo",
    "Ubicacion",
]
