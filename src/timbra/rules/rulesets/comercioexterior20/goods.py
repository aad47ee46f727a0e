"""Which Conceptos and which Mercancias are of one NoIdentificacion."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Final, NamedTuple

from lxml import etree

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.cfdi.nodes.base import NAMESPACE, ZERO
from timbra.cfdi.nodes.comercioexterior20 import ComercioExterior, Mercancia
from timbra.money import written_decimals
from timbra.rules.shared.amounts import Factor

SERVICE: Final = "99"
"""The unit of c_UnidadAduana for what is no goods."""
SERVICE_UNIT: Final = "E48"
"""The unit of c_ClaveUnidad for services."""


class GoodsLine(NamedTuple):
    """A Concepto with what only this book reads of it."""

    concepto: Concepto
    element: etree._Element

    @property
    def number(self) -> str | None:
        return self.element.get("NoIdentificacion")

    @property
    def unidad(self) -> str | None:
        return self.element.get("Unidad")


class Numbered:
    """All of one NoIdentificacion. units: of its Conceptos, each Unidad once.

    is_service: a Concepto is counted in services. is_counted_here: a Mercancia leaves its quantity to the Concepto.
    """

    def __init__(self) -> None:
        self.conceptos: list[Concepto] = []
        self.mercancias: list[Mercancia] = []
        self.units: dict[str | None, None] = {}
        self.is_service = self.is_counted_here = False

    @property
    def is_shared(self) -> bool:
        """Whether it stands in several Conceptos or several Mercancias."""
        return len(self.mercancias) > 1 or len(self.conceptos) > 1

    def add_line(self, line: GoodsLine) -> None:
        self.conceptos.append(line.concepto)
        self.units[line.unidad] = None
        self.is_service = self.is_service or line.concepto.ClaveUnidad == SERVICE_UNIT

    def add_mercancia(self, mercancia: Mercancia) -> None:
        self.mercancias.append(mercancia)
        self.is_counted_here = self.is_counted_here or mercancia.CantidadAduana is None

    def importe(self) -> Factor:
        """The sum of Importe of its Conceptos."""
        return _summed((concepto.Importe, concepto.importe) for concepto in self.conceptos)

    def descuento(self) -> Factor:
        """The sum of Descuento of its Conceptos."""
        return _summed((concepto.Descuento or "", concepto.descuento) for concepto in self.conceptos)


class Goods:
    """Conceptos and Mercancias by NoIdentificacion; made once per document.

    by_fraction: those of one NoIdentificacion and one FraccionArancelaria. valued: some Mercancia has all that the
    customs ask of it.
    """

    def __init__(self, comprobante: Comprobante) -> None:
        elements = comprobante.element.iterfind(f"{NAMESPACE}Conceptos/{NAMESPACE}Concepto")
        self.lines = [GoodsLine(*pair) for pair in zip(comprobante.conceptos, elements, strict=True)]
        self._heads = {head.complement: head for head in comprobante.of(ComercioExterior)}
        self._numbered: dict[str | None, Numbered] = {}
        self.by_fraction: dict[tuple[str, str | None], list[Mercancia]] = {}
        self.valued = False
        for line in self.lines:
            if line.number is not None:
                self.numbered(line.number).add_line(line)
        for mercancia in comprobante.of(Mercancia):
            self.numbered(mercancia.NoIdentificacion).add_mercancia(mercancia)
            key = (mercancia.NoIdentificacion, mercancia.FraccionArancelaria)
            self.by_fraction.setdefault(key, []).append(mercancia)
            self.valued = self.valued or not missing(mercancia)

    def head(self, mercancia: Mercancia) -> ComercioExterior:
        """The complement that a Mercancia stands in."""
        return self._heads[mercancia.complement]

    def numbered(self, number: str | None) -> Numbered:
        """What is of a NoIdentificacion."""
        return self._numbered.setdefault(number, Numbered())

    def of(self, mercancia: Mercancia) -> Numbered:
        """What is of the same NoIdentificacion, itself included."""
        return self._numbered[mercancia.NoIdentificacion]


def missing(mercancia: Mercancia) -> list[str]:
    """Which of the three attributes of the customs it has not."""
    names = ("CantidadAduana", "UnidadAduana", "ValorUnitarioAduana")
    return [name for name in names if getattr(mercancia, name) is None]


def _summed(amounts: Iterable[tuple[str, Decimal]]) -> Factor:
    """The sum of amounts; it counts as written with as many decimals as the longest of them."""
    total, most = ZERO, 0
    for text, value in amounts:
        total += value
        most = max(most, written_decimals(text))
    return Factor(f"0.{'0' * most}" if most else "0", total)
