"""Unrounded sums of the taxes of all Conceptos, grouped as in Comprobante/Impuestos; the SAT rounds after the sum."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from timbra.cfdi.nodes import Comprobante, RetencionTotal, Traslado, TrasladoTotal
from timbra.cfdi.nodes.base import ZERO, number
from timbra.rules.engine.lazy import lazy

EXENTO = "Exento"


class Sum(NamedTuple):
    """Unrounded sums of Base and Importe of a group of taxes."""

    base: Decimal
    importe: Decimal


ZERO_SUM = Sum(ZERO, ZERO)
Key = tuple[str, str, Decimal | None]


@lru_cache(maxsize=1024)
def group_key(row: tuple[str, str, str | None]) -> Key:
    """Return Impuesto, TipoFactor and the rate as a number: 0.16 and 0.160000 are one group."""
    tax, factor, rate = row
    return (tax, factor, None if rate is None else number(rate))


class TaxSums:
    """Sums of the traslados and retenciones of all Conceptos.

    Attributes:
        rows: distinct Impuesto, TipoFactor and TasaOCuota of the traslados.
        all_exempt: True when there are traslados and all are exempt.
        some_taxed: True when at least one traslado is not exempt.
    """

    def __init__(self, comprobante: Comprobante) -> None:
        rows: defaultdict[tuple[str, str, str | None], list[Traslado]] = defaultdict(list)
        for traslado in comprobante.traslados:
            rows[traslado.row].append(traslado)
        self._traslados: dict[Key, Sum] = {}
        self.some_taxed = False
        for row, group in rows.items():
            key = group_key(row)
            base, importe = self._traslados.get(key, ZERO_SUM)
            self._traslados[key] = Sum(
                sum([traslado.base for traslado in group], base), sum([traslado.importe for traslado in group], importe)
            )
            self.some_taxed = self.some_taxed or row[1] != EXENTO
        self.rows = tuple(rows)
        self.all_exempt = bool(rows) and not self.some_taxed
        self._retenciones: dict[str, Decimal] = {}
        for retencion in comprobante.retenciones:
            tax = retencion.Impuesto
            self._retenciones[tax] = self._retenciones.get(tax, ZERO) + retencion.importe
        self._totals = comprobante.impuestos

    @lazy
    def _first_traslado(self) -> Mapping[Key, int]:
        totals = self._totals.traslados if self._totals is not None else ()
        return {group_key(total.row): total.index for total in reversed(totals)}

    @lazy
    def _first_retencion(self) -> Mapping[str, int]:
        totals = self._totals.retenciones if self._totals is not None else ()
        return {total.Impuesto: total.index for total in reversed(totals)}

    def traslado(self, row: tuple[str, str, str | None]) -> Sum:
        """Return the sums of the traslados of a row of Comprobante/Impuestos."""
        return self._traslados.get(group_key(row), ZERO_SUM)

    def exempt_base(self, tax: str) -> Decimal:
        bases = [
            group.base
            for (impuesto, factor, _), group in self._traslados.items()
            if (impuesto, factor) == (tax, EXENTO)
        ]
        return sum(bases, ZERO)

    def retencion(self, tax: str) -> Decimal:
        return self._retenciones.get(tax, ZERO)

    def is_first(self, total: TrasladoTotal | RetencionTotal) -> bool:
        """Whether this is the first row of its group in Comprobante/Impuestos."""
        if total.index == 1:
            return True
        if isinstance(total, TrasladoTotal):
            return self._first_traslado[group_key(total.row)] == total.index
        return self._first_retencion[total.Impuesto] == total.index
