"""Unrounded sums of the taxes of all Conceptos, grouped as in Comprobante/Impuestos; the SAT rounds after the sum."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from timbra.cfdi.nodes import Comprobante, RetencionTotal, Traslado, TrasladoTotal
from timbra.cfdi.nodes.base import ZERO, number

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
        for row, group in rows.items():
            self._add(group_key(row), group)
        self.rows = tuple(rows)
        self.some_taxed = any(factor != EXENTO for _, factor, _ in rows)
        self.all_exempt = bool(rows) and not self.some_taxed
        self._retenciones: dict[str, Decimal] = {}
        for retencion in comprobante.retenciones:
            tax = retencion.Impuesto
            self._retenciones[tax] = self._retenciones.get(tax, ZERO) + retencion.importe
        totals = comprobante.impuestos
        self._first_traslado: dict[Key, int] = {}
        self._first_retencion: dict[str, int] = {}
        for total in totals.traslados if totals is not None else ():
            self._first_traslado.setdefault(group_key(total.row), total.index)
        for withheld in totals.retenciones if totals is not None else ():
            self._first_retencion.setdefault(withheld.Impuesto, withheld.index)

    def _add(self, key: Key, group: list[Traslado]) -> None:
        before = self._traslados.get(key, ZERO_SUM)
        base = sum([row.base for row in group], before.base)
        importe = sum([row.importe for row in group], before.importe)
        self._traslados[key] = Sum(base, importe)

    def traslado(self, row: tuple[str, str, str | None]) -> Sum:
        """Return the sums of the traslados of a row of Comprobante/Impuestos."""
        return self._traslados.get(group_key(row), ZERO_SUM)

    def exempt_base(self, tax: str) -> Decimal:
        """Return the sum of the bases of the exempt traslados of a tax."""
        bases = [
            group.base
            for (impuesto, factor, _), group in self._traslados.items()
            if (impuesto, factor) == (tax, EXENTO)
        ]
        return sum(bases, ZERO)

    def retencion(self, tax: str) -> Decimal:
        """Return the sum of the retenciones of a tax."""
        return self._retenciones.get(tax, ZERO)

    def is_first(self, total: TrasladoTotal | RetencionTotal) -> bool:
        """Whether this is the first row of its group in Comprobante/Impuestos."""
        if isinstance(total, TrasladoTotal):
            return self._first_traslado[group_key(total.row)] == total.index
        return self._first_retencion[total.Impuesto] == total.index
