"""What rules of many nodes ask of the shipment that a node belongs to, found once per document."""

from __future__ import annotations

from decimal import Decimal
from functools import cached_property
from typing import Final

from timbra.cfdi.nodes import ComplementNode, Comprobante
from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.cartaporte31 import AEREO, AUTOTRANSPORTE, FERROVIARIO, MARITIMO, CartaPorte, Mercancia
from timbra.rules.engine.context import EvaluationContext

YES: Final = "Sí"
IMPORT, EXPORT = "Entrada", "Salida"
ORIGIN, DESTINATION = "Origen", "Destino"
STATIONS: Final = {MARITIMO: "02", AEREO: "03", FERROVIARIO: "04"}
"""The key of c_CveTransporte of the ways that stop at stations."""


class Envio:
    """One CartaPorte."""

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
        """IDUbicacion of the places that goods leave."""
        return frozenset(place.IDUbicacion for place in self.carta.ubicaciones if place.TipoUbicacion == ORIGIN)

    @cached_property
    def destinations(self) -> frozenset[str | None]:
        """IDUbicacion of the places that goods reach."""
        return frozenset(place.IDUbicacion for place in self.carta.ubicaciones if place.TipoUbicacion == DESTINATION)

    @cached_property
    def distance(self) -> Decimal:
        """To all places that goods reach."""
        places = self.carta.ubicaciones
        return sum([place.distancia for place in places if place.TipoUbicacion == DESTINATION], ZERO)

    @cached_property
    def is_divided(self) -> bool:
        """Whether some goods tell how much of them goes where."""
        return any(row.cantidades for row in self.mercancias)

    @cached_property
    def is_dangerous(self) -> bool:
        return any(row.MaterialPeligroso == YES for row in self.mercancias)


class Envios:
    """All CartaPorte of a document. go_several_ways: each of them by more than one."""

    def __init__(self, comprobante: Comprobante) -> None:
        envios = [Envio(carta) for carta in comprobante.of(CartaPorte)]
        self.go_several_ways = all(len(envio.transportes) > 1 for envio in envios)
        self._by_head = {envio.carta.complement: envio for envio in envios}

    def of(self, node: ComplementNode) -> Envio:
        return self._by_head[node.complement]


def envio_of(node: ComplementNode, ctx: EvaluationContext) -> Envio:
    """The shipment that a node belongs to."""
    return ctx.memoize(Envios).of(node)
