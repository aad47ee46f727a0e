"""The receiver: CFDI40143 to CFDI40161, and requirements without a code."""

from __future__ import annotations

from functools import lru_cache

from timbra.cfdi.nodes import Receptor
from timbra.cfdi.rfc import FOREIGN, NATIONAL
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cfdi40.sources import INTERFACE
from timbra.rules.shared.invoice.parties import (
    foreign_id_matches_country,
    has_foreign_id,
    has_foreign_id_in_exports,
    has_registered_name,
    has_residence,
    has_residence_when_foreign,
    is_absent_when_national,
    is_generic,
    is_not_generic,
    is_registered_name,
    residence_is_not_mexico,
)
from timbra.rules.shared.predicates import PUBLIC, in_catalog, is_registered, person_of, regime_for, with_meaning

TAXPAYERS = (DataRequirement.TAXPAYERS,)
GENERIC_USES = {"I": ("S01",), "T": ("S01",), "E": ("S01", "G02"), "P": ("CP01",), "N": ("CN01",)}
"""Uses of CFDI of a generic receiver, by TipoDeComprobante (guía de llenado)."""


CFDI40143 = row(
    "CFDI40143",
    Receptor,
    at="Receptor/@Rfc",
    says="El RFC del receptor debe estar en la lista de RFC inscritos y no cancelados.",
    check=is_registered("Rfc"),
    applies=is_not_generic,
    needs=TAXPAYERS,
)


CFDI40144 = row(
    "CFDI40144",
    Receptor,
    at="Receptor/@Nombre",
    says="El nombre del receptor debe estar en la lista de RFC inscritos y no cancelados.",
    note="Se busca el nombre en toda la lista: sin un índice de nombres, otro nombre no se puede evaluar.",
    check=has_registered_name("Nombre", "Rfc"),
    applies=is_not_generic,
    needs=TAXPAYERS,
    inseparable=("CFDI40145",),
    reported_after="CFDI40145",
)


CFDI40145 = row(
    "CFDI40145",
    Receptor,
    at="Receptor/@Nombre",
    says="El nombre del receptor debe ser el registrado para su RFC.",
    check=is_registered_name("Nombre", "Rfc"),
    applies=is_not_generic,
    needs=TAXPAYERS,
)


@rule(
    "CFDI40146",
    at="Receptor/@Rfc",
    says="Con el nombre PUBLICO EN GENERAL, el RFC del receptor debe ser XAXX010101000.",
)
def general_public_has_generic_rfc(receptor: Receptor, _ctx: EvaluationContext) -> RuleResult:
    if receptor.Nombre != PUBLIC or receptor.Rfc == NATIONAL:
        return None
    return Violation(found=receptor.Rfc, expected=f"{NATIONAL}, por el nombre {PUBLIC}")


@rule(
    "CFDI40147",
    at="Receptor/@DomicilioFiscalReceptor",
    says="DomicilioFiscalReceptor debe estar en la lista de RFC inscritos y no cancelados.",
    note="Se incumple cuando el código postal no existe; si existe y es de otro contribuyente, CFDI40148.",
    applies=is_not_generic,
    needs=TAXPAYERS,
)
def receiver_postal_code_exists(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    code = receptor.DomicilioFiscalReceptor
    taxpayer = ctx.taxpayer(receptor.Rfc)
    if ctx.in_force("c_CodigoPostal", code) or (taxpayer is not None and taxpayer.is_at(code)):
        return None
    listed = taxpayer.disclosed_postal_code if taxpayer is not None else ""
    expected = f"{listed}, el" if listed else "un"
    return Violation(found=code, expected=f"{expected} código postal del domicilio fiscal inscrito (l_RFC)")


@rule(
    "CFDI40148",
    at="Receptor/@DomicilioFiscalReceptor",
    says="DomicilioFiscalReceptor debe ser el código postal registrado para el RFC del receptor.",
    note="El error usual es el código postal de una sucursal o de entrega; si no existe, se incumple CFDI40147.",
    applies=is_not_generic,
    needs=TAXPAYERS,
    reported_as="CFDI40147",
)
def receiver_postal_code_equals_registered_one(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    code = receptor.DomicilioFiscalReceptor
    taxpayer = ctx.taxpayer(receptor.Rfc)
    if taxpayer is None or taxpayer.has_postal_code(code) or not ctx.in_force("c_CodigoPostal", code):
        return None
    return Violation(
        found=code,
        expected=with_meaning(taxpayer.disclosed_postal_code, "el código postal del domicilio fiscal inscrito (l_RFC)"),
        hint="Se usa el código postal de la Constancia de Situación Fiscal, no el comercial ni el de entrega.",
    )


@rule(
    "CFDI40149",
    at="Receptor/@DomicilioFiscalReceptor",
    says="Con un RFC genérico, DomicilioFiscalReceptor debe ser igual a LugarExpedicion.",
    applies=is_generic,
)
def generic_receiver_has_postal_code_of_issue(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    place = ctx.comprobante.LugarExpedicion
    if receptor.DomicilioFiscalReceptor == place:
        return None
    return Violation(found=receptor.DomicilioFiscalReceptor, expected=f"{place}, el LugarExpedicion")


CFDI40150 = row(
    "CFDI40150",
    Receptor,
    at="Receptor/@ResidenciaFiscal",
    says="ResidenciaFiscal debe ser una clave vigente de c_Pais.",
    check=in_catalog("c_Pais", "ResidenciaFiscal"),
    applies=has_residence,
)


CFDI40151 = row(
    "CFDI40151",
    Receptor,
    at="Receptor/@ResidenciaFiscal",
    says="ResidenciaFiscal no debe existir si el receptor está inscrito o es XAXX010101000.",
    check=is_absent_when_national("ResidenciaFiscal"),
    applies=has_residence,
)


CFDI40152 = row(
    "CFDI40152",
    Receptor,
    at="Receptor/@ResidenciaFiscal",
    says="ResidenciaFiscal no debe ser MEX.",
    check=residence_is_not_mexico,
    applies=has_residence,
)


CFDI40153 = row(
    "CFDI40153",
    Receptor,
    at="Receptor/@ResidenciaFiscal",
    says="ResidenciaFiscal debe existir para un receptor extranjero con Comercio Exterior o NumRegIdTrib.",
    check=has_residence_when_foreign,
    applies=is_generic,
)


CFDI40154 = row(
    "CFDI40154",
    Receptor,
    at="Receptor/@NumRegIdTrib",
    says="NumRegIdTrib no debe existir si el receptor está inscrito o es XAXX010101000.",
    check=is_absent_when_national("NumRegIdTrib"),
    applies=has_foreign_id,
)


CFDI40155 = row(
    "CFDI40155",
    Receptor,
    at="Receptor/@NumRegIdTrib",
    says="NumRegIdTrib debe existir para un receptor extranjero con Comercio Exterior.",
    check=has_foreign_id_in_exports,
    applies=is_generic,
)


CFDI40156 = row(
    "CFDI40156",
    Receptor,
    at="Receptor/@NumRegIdTrib",
    says="NumRegIdTrib debe cumplir el formato o estar en el registro del país de residencia.",
    check=foreign_id_matches_country,
    applies=has_foreign_id,
)


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
