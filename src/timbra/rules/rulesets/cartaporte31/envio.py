"""The shipment that a node belongs to, computed once per document, and conditions of rules that depend on it."""

from __future__ import annotations

from decimal import Decimal
from functools import cached_property
from typing import Any, Final

from timbra.cfdi.nodes import ComplementNode, Comprobante
from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.cartaporte31 import AEREO, AUTOTRANSPORTE, FERROVIARIO, MARITIMO, CartaPorte, Mercancia
from timbra.rules.engine.context import EvaluationContext

YES: Final = "Sí"
IMPORT, EXPORT = "Entrada", "Salida"
ORIGIN, DESTINATION = "Origen", "Destino"
STATIONS: Final = {MARITIMO: "02", AEREO: "03", FERROVIARIO: "04"}
"""Keys of c_CveTransporte for the means of transport that use stations."""


class Envio:
    """The shipment of one CartaPorte."""

    def __init__(self, carta: CartaPorte) -> None:
        self.carta = carta
        self.mercancias: tuple[Mercancia, ...] = () if carta.mercancias is None else carta.mercancias.filas
        self.transportes = carta.transportes
        self.is_international = carta.TranspInternac == YES
        self.is_domestic = carta.TranspInternac == "No"
        self.is_import = self.is_international and carta.EntradaSalidaMerc == IMPORT
        self.by_road = AUTOTRANSPORTE in carta.transportes
        self.by_sea = MARITIMO in carta.transportes
        self.by_air = AEREO in carta.transportes
        self.by_rail = FERROVIARIO in carta.transportes
        self.station_keys = frozenset(STATIONS[name] for name in carta.transportes if name in STATIONS)

    @cached_property
    def origins(self) -> frozenset[str | None]:
        """IDUbicacion of the locations of type Origen."""
        return frozenset(place.IDUbicacion for place in self.carta.ubicaciones if place.TipoUbicacion == ORIGIN)

    @cached_property
    def destinations(self) -> frozenset[str | None]:
        """IDUbicacion of the locations of type Destino."""
        return frozenset(place.IDUbicacion for place in self.carta.ubicaciones if place.TipoUbicacion == DESTINATION)

    @cached_property
    def distance(self) -> Decimal:
        """Sum of DistanciaRecorrida of the locations of type Destino."""
        places = self.carta.ubicaciones
        return sum([place.distancia for place in places if place.TipoUbicacion == DESTINATION], ZERO)

    @cached_property
    def is_divided(self) -> bool:
        """Whether some goods have CantidadTransporta."""
        return any(row.cantidades for row in self.mercancias)

    @cached_property
    def is_dangerous(self) -> bool:
        """Whether some goods have MaterialPeligroso Sí."""
        return any(row.MaterialPeligroso == YES for row in self.mercancias)


class Envios:
    """The shipments of a document.

    Attributes:
        have_several_transports: whether each shipment has more than one means of transport.
    """

    def __init__(self, comprobante: Comprobante) -> None:
        envios = [Envio(carta) for carta in comprobante.of(CartaPorte)]
        self.have_several_transports = all(len(envio.transportes) > 1 for envio in envios)
        self._by_head = {envio.carta.complement: envio for envio in envios}

    def of(self, node: ComplementNode) -> Envio:
        """Return the shipment that a node belongs to."""
        return self._by_head[node.complement]


def envio_of(node: ComplementNode, ctx: EvaluationContext) -> Envio:
    """Return the shipment that a node belongs to."""
    return ctx.memoize(Envios).of(node)


def is_international(node: Any, ctx: EvaluationContext) -> bool:
    """Whether TranspInternac is Sí."""
    return envio_of(node, ctx).is_international


def is_domestic(node: Any, ctx: EvaluationContext) -> bool:
    """Whether TranspInternac is No."""
    return envio_of(node, ctx).is_domestic


def has_entrada(node: Any, ctx: EvaluationContext) -> bool:
    """Whether EntradaSalidaMerc is Entrada."""
    return envio_of(node, ctx).carta.EntradaSalidaMerc == IMPORT


def has_salida(node: Any, ctx: EvaluationContext) -> bool:
    """Whether EntradaSalidaMerc is Salida."""
    return envio_of(node, ctx).carta.EntradaSalidaMerc == EXPORT


def is_by_road(node: Any, ctx: EvaluationContext) -> bool:
    """Whether the shipment has Autotransporte."""
    return envio_of(node, ctx).by_road


def is_by_sea(node: Any, ctx: EvaluationContext) -> bool:
    """Whether the shipment has TransporteMaritimo."""
    return envio_of(node, ctx).by_sea


def is_by_air(node: Any, ctx: EvaluationContext) -> bool:
    """Whether the shipment has TransporteAereo."""
    return envio_of(node, ctx).by_air


def is_by_rail(node: Any, ctx: EvaluationContext) -> bool:
    """Whether the shipment has TransporteFerroviario."""
    return envio_of(node, ctx).by_rail


def is_by_land(node: Any, ctx: EvaluationContext) -> bool:
    """Whether the shipment has Autotransporte or TransporteFerroviario."""
    envio = envio_of(node, ctx)
    return envio.by_road or envio.by_rail


def has_several_transports(node: Any, ctx: EvaluationContext) -> bool:
    """Whether the shipment has more than one means of transport."""
    return len(envio_of(node, ctx).transportes) > 1


def has_dangerous_goods(node: Any, ctx: EvaluationContext) -> bool:
    """Whether some goods of the shipment have MaterialPeligroso Sí."""
    return envio_of(node, ctx).is_dangerous
