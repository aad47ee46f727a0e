"""The receiver in the list of taxpayers: CFDI40143 to CFDI40149."""

from __future__ import annotations

from timbra.cfdi.nodes import Receptor
from timbra.cfdi.rfc import NATIONAL
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.conditions import PUBLIC, with_meaning
from timbra.rules.shared.invoice.parties import has_registered_name, is_generic, is_not_generic, is_registered_name
from timbra.rules.shared.predicates import is_registered

TAXPAYERS = (DataRequirement.TAXPAYERS,)


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
