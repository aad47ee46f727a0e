"""Regime of the receiver and use of the CFDI: CFDI40157 to CFDI40161."""

from __future__ import annotations

from functools import lru_cache

from timbra.cfdi.nodes import Receptor
from timbra.cfdi.rfc import FOREIGN
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cfdi40.sources import INTERFACE
from timbra.rules.shared.conditions import person_of, regime_for
from timbra.rules.shared.invoice.parties import is_generic, is_not_generic
from timbra.rules.shared.predicates import in_catalog

GENERIC_USES = {"I": ("S01",), "T": ("S01",), "E": ("S01", "G02"), "P": ("CP01",), "N": ("CN01",)}
"""Uses of CFDI of a generic receiver, by TipoDeComprobante (guía de llenado)."""


CFDI40157 = row(
    "CFDI40157",
    Receptor,
    at="Receptor/@RegimenFiscalReceptor",
    says="El régimen del receptor debe ser una clave vigente de c_RegimenFiscal.",
    check=in_catalog("c_RegimenFiscal", "RegimenFiscalReceptor"),
)


@rule(
    "CFDI40158",
    at="Receptor/@RegimenFiscalReceptor",
    says="El régimen del receptor debe corresponder a su tipo de persona.",
    note="Que sea uno de los inscritos se revisa aparte, con CFDI40999.",
)
def receiver_regime_matches_person(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    return regime_for(ctx, receptor.RegimenFiscalReceptor, receptor.Rfc)


@rule(
    "CFDI40999:Receptor-RegimenInscrito",
    at="Receptor/@RegimenFiscalReceptor",
    says="El régimen del receptor debe ser uno de los inscritos en la lista de RFC.",
    note="Sin regímenes en la lista de RFC no se revisa; el tipo de persona se revisa con CFDI40158.",
    applies=is_not_generic,
    needs=(DataRequirement.TAXPAYERS,),
    cites=INTERFACE,
)
def receiver_regime_is_registered(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    regime, taxpayer = receptor.RegimenFiscalReceptor, ctx.taxpayer(receptor.Rfc)
    if taxpayer is None or taxpayer.has_regime(regime) or not ctx.in_force("c_RegimenFiscal", regime):
        return None
    if regime_for(ctx, regime, receptor.Rfc) is not None:
        return None
    listed = taxpayer.disclosed_regimes
    expected = "un régimen inscrito del receptor (l_RFC)"
    return Violation(found=regime, expected=f"{expected}: {listed}" if listed else expected)


@rule(
    "CFDI40159",
    at="Receptor/@RegimenFiscalReceptor",
    says="Con un RFC genérico, el régimen del receptor debe ser 616.",
    note="En Nómina el receptor es un trabajador: 605, también con un RFC genérico (NOM11).",
    applies=is_generic,
)
def generic_receiver_has_fixed_regime(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    expected = "605" if ctx.comprobante.TipoDeComprobante == "N" else "616"
    if receptor.RegimenFiscalReceptor == expected:
        return None
    return Violation(found=receptor.RegimenFiscalReceptor, expected=f"{expected}, por el RFC {receptor.Rfc}")


CFDI40160 = row(
    "CFDI40160",
    Receptor,
    at="Receptor/@UsoCFDI",
    says="UsoCFDI debe ser una clave vigente de c_UsoCFDI.",
    check=in_catalog("c_UsoCFDI", "UsoCFDI"),
)


@rule(
    "CFDI40161",
    at="Receptor/@UsoCFDI",
    says="UsoCFDI debe aplicar al tipo de persona y al régimen del receptor.",
)
def use_matches_person_and_regime(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    uso, regime = receptor.UsoCFDI, receptor.RegimenFiscalReceptor
    row = ctx.row("c_UsoCFDI", uso)
    if row is None or not ctx.in_force("c_RegimenFiscal", regime):
        return None
    if receptor.is_generic:
        return None if _is_admitted_abroad(receptor, ctx) else _generic_use(receptor, ctx.comprobante.TipoDeComprobante)
    regimes = _listed(row["regimenes_fiscales_receptores"])
    if row[person_of(receptor.Rfc)] and regime in regimes:
        return None
    if not row[person_of(receptor.Rfc)]:
        return Violation(found=uso, expected=f"un uso que aplique al tipo de persona del RFC {receptor.Rfc}")
    return Violation(
        found=uso, expected=f"un uso compatible con el régimen {regime}; {uso} admite {', '.join(regimes)}"
    )


@rule(
    "CFDI40161:Foreign",
    at="Receptor/@UsoCFDI",
    says="Con el RFC XEXX010101000, UsoCFDI debe ser el del RFC genérico, aunque otro aplique a su régimen.",
    note="Con TIMBRA_VENDOR_LENIENCY=foreign-use es un aviso.",
    applies=is_generic,
    cites=INTERFACE,
)
def use_of_foreigner_is_generic(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    if not _is_admitted_abroad(receptor, ctx):
        return None
    return _generic_use(receptor, ctx.comprobante.TipoDeComprobante)


def _is_admitted_abroad(receptor: Receptor, ctx: EvaluationContext) -> bool:
    """Whether the generic foreign RFC has a use that c_UsoCFDI admits for its person and regime."""
    regime = receptor.RegimenFiscalReceptor
    if receptor.Rfc != FOREIGN or not ctx.in_force("c_RegimenFiscal", regime):
        return False
    row = ctx.row("c_UsoCFDI", receptor.UsoCFDI)
    if row is None or not row[person_of(receptor.Rfc)]:
        return False
    return regime in _listed(row["regimenes_fiscales_receptores"])


@lru_cache(maxsize=128)
def _listed(regimes: str) -> tuple[str, ...]:
    """Return the regimes that c_UsoCFDI lists for a use."""
    return tuple([regime.strip() for regime in regimes.split(",")])


def _generic_use(receptor: Receptor, tipo: str) -> RuleResult:
    allowed = GENERIC_USES.get(tipo)
    if allowed is None or receptor.UsoCFDI in allowed:
        return None
    expected = f"{' o '.join(allowed)}, por el RFC {receptor.Rfc} en un comprobante de tipo {tipo}"
    return Violation(found=receptor.UsoCFDI, expected=expected)
