"""What several rules of platforms read, and the changes of their examples."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes.retenciones20 import ImpRetenidos, Retenciones
from timbra.cfdi.nodes.retenciones20.plataformas10 import DetallesDelServicio, ServiciosPlataformasTecnologicas
from timbra.core.money import truncate
from timbra.rules.engine.context import RetencionesContext
from timbra.rules.engine.result import RuleResult, Violation

AT: Final = "Complemento/ServiciosPlataformasTecnologicas"
SERVICE: Final = f"{AT}/Servicios/DetallesDelServicio"
ISR_ROW: Final = "Totales/ImpRetenidos[1]"
IVA_ROW: Final = "Totales/ImpRetenidos[2]"
ISR: Final = "001"
IVA: Final = "002"
DIGITAL: Final = ("07", "08", "09")
"""Keys of c_TipoDeServ: services for which no ISR is withheld."""
CATALOG: Final = "plataformastecnologicas10"
ZERO: Final = Decimal(0)


def platform(retenciones: Retenciones) -> ServiciosPlataformasTecnologicas:
    """Return the complement of a document that carries it."""
    return retenciones.of(ServiciosPlataformasTecnologicas)[0]


def services(ctx: RetencionesContext) -> tuple[DetallesDelServicio, ...]:
    """Return the services of the document."""
    return ctx.memoize(platform).servicios


def withheld(ctx: RetencionesContext, tax: str) -> list[ImpRetenidos]:
    """Return the rows of a tax that is withheld."""
    return [each for each in ctx.document.totales.retenidos if each.ImpuestoRet == tax]


def withheld_amount(ctx: RetencionesContext, tax: str) -> Decimal:
    """Return the amount of a tax that is withheld."""
    return sum((each.monto for each in withheld(ctx, tax)), ZERO)


def transferred(ctx: RetencionesContext, *, cash: bool | None = None) -> Decimal:
    """Return the sum of the IVA of the services; `cash` selects those paid in cash, or all others."""
    chosen = [each for each in services(ctx) if cash is None or each.is_cash is cash]
    return sum((each.impuestos.importe for each in chosen if each.impuestos is not None), ZERO)


def has_tax_id(ctx: RetencionesContext) -> bool:
    """Whether the receiver resides abroad and has NumRegIdTribR."""
    extranjero = ctx.document.receptor.extranjero
    return extranjero is not None and bool(extranjero.NumRegIdTribR)


def is_digital(ctx: RetencionesContext) -> bool:
    """Whether a service is of a kind for which no ISR is withheld."""
    return any(each.TipoDeServ in DIGITAL for each in services(ctx))


def is_generic(ctx: RetencionesContext) -> bool:
    """Whether RfcR is the generic RFC."""
    nacional = ctx.document.receptor.nacional
    return nacional is not None and nacional.is_generic


def equal(text: str | None, amount: Decimal, expected: Decimal, why: str) -> RuleResult:
    """Check that an amount is the expected one.

    Args:
        text: the amount as written.
        amount: the amount.
        expected: the expected amount.
        why: Spanish description of the expected amount.
    """
    return None if amount == expected else Violation(found=text, expected=f"{expected:f}, {why}")


def cents(amount: Decimal) -> Decimal:
    """Return an amount truncated to two decimals, as the matrix compares them."""
    return truncate(amount, 2)
