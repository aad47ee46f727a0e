"""The amounts that are withheld: SPT115 to SPT121."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from timbra.cfdi.nodes.retenciones20 import ImpRetenidos
from timbra.rules.engine.context import RetencionesContext
from timbra.rules.engine.result import Indeterminate, RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.plataformastecnologicas10.platform import (
    CATALOG,
    ISR,
    IVA,
    ZERO,
    cents,
    equal,
    has_tax_id,
    is_digital,
    is_generic,
    services,
    transferred,
)

HALF = Decimal("0.5")
GENERIC_ISR = Decimal("0.2")
"""Rate of ISR when the provider did not state an RFC."""
RATES = f"tasas de retención de ISR por año ({CATALOG}:c_TipoDeServ)"


def is_isr(retenido: ImpRetenidos, _ctx: RetencionesContext) -> bool:
    return retenido.ImpuestoRet == ISR


def is_iva(retenido: ImpRetenidos, _ctx: RetencionesContext) -> bool:
    return retenido.ImpuestoRet == IVA


@rule(
    "SPT115",
    at="Totales/ImpRetenidos/@BaseRet",
    says="Con ImpuestoRet 001, BaseRet debe ser MontoTotOperacion menos los servicios cobrados en efectivo.",
    note="Se comparan importes truncados a dos decimales.",
    applies=is_isr,
)
def base_of_isr_is_without_cash(retenido: ImpRetenidos, ctx: RetencionesContext) -> RuleResult:
    cash = sum((each.precio for each in services(ctx) if each.is_cash), ZERO)
    expected = cents(ctx.document.totales.operacion - cash)
    return equal(retenido.BaseRet, cents(retenido.base), expected, "MontoTotOperacion menos el efectivo")


@rule(
    "SPT116",
    at="Totales/ImpRetenidos/@BaseRet",
    says="Con ImpuestoRet 002, BaseRet debe ser la suma del IVA de los servicios que no se cobraron en efectivo.",
    note="Se comparan importes truncados a dos decimales.",
    applies=is_iva,
)
def base_of_iva_is_without_cash(retenido: ImpRetenidos, ctx: RetencionesContext) -> RuleResult:
    expected = cents(transferred(ctx, cash=False))
    return equal(retenido.BaseRet, cents(retenido.base), expected, "la suma del IVA de los servicios")


def is_iva_of_known_provider(retenido: ImpRetenidos, ctx: RetencionesContext) -> bool:
    return retenido.ImpuestoRet == IVA and not is_generic(ctx)


@rule(
    "SPT117",
    at="Totales/ImpRetenidos/@MontoRet",
    says="Con ImpuestoRet 002 y un RfcR propio, MontoRet debe ser el 50 % o el 100 % de BaseRet.",
    note="Se comparan importes truncados a dos decimales.",
    applies=is_iva_of_known_provider,
)
def iva_is_half_or_whole(retenido: ImpRetenidos, _ctx: RetencionesContext) -> RuleResult:
    half, whole = cents(retenido.base * HALF), cents(retenido.base)
    if cents(retenido.monto) in (half, whole):
        return None
    return Violation(found=retenido.MontoRet, expected=f"{half:f} o {whole:f}, el 50 % o el 100 % de BaseRet")


def is_isr_of_known_provider(retenido: ImpRetenidos, ctx: RetencionesContext) -> bool:
    return retenido.ImpuestoRet == ISR and not is_generic(ctx) and not is_digital(ctx)


@rule(
    "SPT118",
    at="Totales/ImpRetenidos/@MontoRet",
    says="Con ImpuestoRet 001, MontoRet debe ser BaseRet por la tasa de c_TipoDeServ para TipoDeServ y Ejercicio.",
    note="Las tasas de 2026 y posteriores no están en ninguna fuente: la regla no se evalúa para esos años.",
    applies=is_isr_of_known_provider,
    columns=((f"{CATALOG}:c_TipoDeServ", "tasa_isr"),),
)
def isr_has_the_rate_of_its_service(retenido: ImpRetenidos, ctx: RetencionesContext) -> RuleResult:
    first, year = services(ctx)[0], ctx.document.periodo.Ejercicio
    if len(year) != 4 or not year.isdigit() or year == "0000":
        return None
    on = date(int(year), 12, 31)
    service = ctx.catalogs.row(f"{CATALOG}:c_TipoDeServ", first.TipoDeServ, on)
    if service is None:
        return None
    if not service["tasa_isr"]:
        return Indeterminate(RATES)
    expected = cents(retenido.base * Decimal(service["tasa_isr"]))
    why = f"BaseRet por {service['tasa_isr']}, la tasa de TipoDeServ {first.TipoDeServ} en {year}"
    return equal(retenido.MontoRet, cents(retenido.monto), expected, why)


def is_iva_of_generic(retenido: ImpRetenidos, ctx: RetencionesContext) -> bool:
    return retenido.ImpuestoRet == IVA and is_generic(ctx)


@rule(
    "SPT119",
    at="Totales/ImpRetenidos/@MontoRet",
    says="Con RfcR XAXX010101000 e ImpuestoRet 002, MontoRet debe ser igual a BaseRet.",
    note="Se comparan importes truncados a dos decimales.",
    applies=is_iva_of_generic,
)
def iva_without_rfc_is_whole(retenido: ImpRetenidos, _ctx: RetencionesContext) -> RuleResult:
    return equal(retenido.MontoRet, cents(retenido.monto), cents(retenido.base), "BaseRet")


def is_isr_of_generic(retenido: ImpRetenidos, ctx: RetencionesContext) -> bool:
    return retenido.ImpuestoRet == ISR and is_generic(ctx)


@rule(
    "SPT120",
    at="Totales/ImpRetenidos/@MontoRet",
    says="Con RfcR XAXX010101000 e ImpuestoRet 001, MontoRet debe ser el 20 % de BaseRet.",
    note="Se comparan importes truncados a dos decimales.",
    applies=is_isr_of_generic,
)
def isr_without_rfc_is_a_fifth(retenido: ImpRetenidos, _ctx: RetencionesContext) -> RuleResult:
    return equal(retenido.MontoRet, cents(retenido.monto), cents(retenido.base * GENERIC_ISR), "el 20 % de BaseRet")


def is_iva_of_digital_foreigner(retenido: ImpRetenidos, ctx: RetencionesContext) -> bool:
    return retenido.ImpuestoRet == IVA and has_tax_id(ctx) and is_digital(ctx)


@rule(
    "SPT121",
    at="Totales/ImpRetenidos/@MontoRet",
    says="Con NumRegIdTribR, TipoDeServ 07, 08 o 09 e ImpuestoRet 002, MontoRet debe ser igual a BaseRet.",
    note="Se comparan importes truncados a dos decimales.",
    applies=is_iva_of_digital_foreigner,
    inseparable=("SPT132",),
)
def iva_of_digital_foreigners_is_whole(retenido: ImpRetenidos, _ctx: RetencionesContext) -> RuleResult:
    return equal(retenido.MontoRet, cents(retenido.monto), cents(retenido.base), "BaseRet")
