"""The receiver against the list of taxpayers: CFDI40143 to CFDI40149."""

from __future__ import annotations

from timbra.cfdi.nodes import Receptor
from timbra.cfdi.rfc import NATIONAL
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, Indeterminate, RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import PUBLIC, name_of_its_rfc, with_meaning

TAXPAYERS = (DataRequirement.TAXPAYERS,)
KEYS = ("is_generic", "RegimenFiscalReceptor", "UsoCFDI", "ResidenciaFiscal", "NumRegIdTrib")
"""What rules about the keys of Receptor read, or the conditions of others."""


def is_generic(receptor: Receptor, _ctx: EvaluationContext) -> bool:
    return receptor.is_generic


def has_own_rfc(receptor: Receptor, _ctx: EvaluationContext) -> bool:
    return not receptor.is_generic


@rule("CFDI40143", at="Receptor/@Rfc", needs=TAXPAYERS, applies=has_own_rfc, applies_reads=KEYS)
def receiver_is_registered(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    if ctx.taxpayer(receptor.Rfc) is not None:
        return None
    return Violation(
        found=receptor.Rfc, expected="un RFC inscrito y no cancelado (l_RFC)", hint=ctx.reference_data.registry_hint
    )


@rule(
    "CFDI40144",
    at="Receptor/@Nombre",
    needs=TAXPAYERS,
    applies=has_own_rfc,
    inseparable=("CFDI40145",),
    applies_reads=KEYS,
)
def receiver_name_is_registered(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    """Whether anybody has the name; the list is kept by RFC, so other names can only be judged by an index of names."""
    taxpayer = ctx.taxpayer(receptor.Rfc)
    if taxpayer is None or taxpayer.has_name(receptor.Nombre):
        return None
    if ctx.reference_data.names is None:
        return Indeterminate("l_RFC por nombre")
    if ctx.reference_data.names.is_registered(receptor.Nombre):
        return None
    listed = taxpayer.disclosed_name
    expected = f"un nombre inscrito (l_RFC): {listed}" if listed else "un nombre inscrito (l_RFC)"
    return Violation(found=receptor.Nombre, expected=expected)


@rule("CFDI40145", at="Receptor/@Nombre", needs=TAXPAYERS, applies=has_own_rfc, applies_reads=KEYS)
def receiver_name_is_that_of_its_rfc(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    return name_of_its_rfc(receptor.Nombre, ctx.taxpayer(receptor.Rfc))


@rule("CFDI40146", at="Receptor/@Rfc")
def general_public_has_its_rfc(receptor: Receptor, _ctx: EvaluationContext) -> RuleResult:
    if receptor.Nombre != PUBLIC or receptor.Rfc == NATIONAL:
        return None
    return Violation(found=receptor.Rfc, expected=f"{NATIONAL}, por el nombre {PUBLIC}")


@rule("CFDI40147", at="Receptor/@DomicilioFiscalReceptor", needs=TAXPAYERS, applies=has_own_rfc, applies_reads=KEYS)
def receiver_postal_code_exists(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    """No taxpayer is registered at a postal code that does not exist."""
    code = receptor.DomicilioFiscalReceptor
    taxpayer = ctx.taxpayer(receptor.Rfc)
    if ctx.in_force("c_CodigoPostal", code) or (taxpayer is not None and taxpayer.is_at(code)):
        return None
    listed = taxpayer.disclosed_postal_code if taxpayer is not None else ""
    expected = f"{listed}, el" if listed else "un"
    return Violation(found=code, expected=f"{expected} código postal del domicilio fiscal inscrito (l_RFC)")


@rule("CFDI40148", at="Receptor/@DomicilioFiscalReceptor", needs=TAXPAYERS, applies=has_own_rfc, applies_reads=KEYS)
def receiver_postal_code_is_that_of_its_rfc(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    """A commercial or delivery postal code is the usual mistake; one that does not exist is CFDI40147."""
    code = receptor.DomicilioFiscalReceptor
    taxpayer = ctx.taxpayer(receptor.Rfc)
    if taxpayer is None or taxpayer.has_postal_code(code) or not ctx.in_force("c_CodigoPostal", code):
        return None
    return Violation(
        found=code,
        expected=with_meaning(taxpayer.disclosed_postal_code, "el código postal del domicilio fiscal inscrito (l_RFC)"),
        hint="Se usa el código postal de la Constancia de Situación Fiscal, no el comercial ni el de entrega.",
    )


@rule("CFDI40149", at="Receptor/@DomicilioFiscalReceptor", applies=is_generic, applies_reads=KEYS)
def generic_receiver_lives_where_it_is_issued(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    place = ctx.comprobante.LugarExpedicion
    if receptor.DomicilioFiscalReceptor == place:
        return None
    return Violation(found=receptor.DomicilioFiscalReceptor, expected=f"{place}, el LugarExpedicion")
