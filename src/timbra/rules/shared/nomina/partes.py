"""Employer and worker: contract, regime, type of payroll, account of the wages, mark SNCF of l_RFC."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes import Receptor
from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.nomina12 import EmisorNomina, EntidadSNCF, Nomina, ReceptorNomina
from timbra.cfdi.rfc import NATIONAL
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.nomina.recibos import paid_sum, payroll_of

MORAL, FISICA = 12, 13
"""Characters of the RFC of a persona moral and of a persona física."""
EMPLOYMENT_CONTRACTS: Final = frozenset(f"{number:02}" for number in range(1, 9))
"""TipoContrato of workers with an employer."""
OTHER_CONTRACTS: Final = frozenset({"09", "10", "99"})
WAGE_REGIMES: Final = ("02", "03", "04")
"""TipoRegimen of wages and pensions."""
ORDINARY, EXTRAORDINARY, OTHER_PERIOD = "O", "E", "99"
MIXED: Final = "IM"
SOCIAL_SECURITY: Final = (
    "NumSeguridadSocial",
    "FechaInicioRelLaboral",
    "Antigüedad",
    "RiesgoPuesto",
    "SalarioDiarioIntegrado",
)
CLABE: Final = 18
LENGTHS: Final = (10, 11, 16, CLABE)
"""Mobile telephone, account, card, CLABE."""
_WEIGHTS: Final = (3, 7, 1)


def has_no_curp_of_persona_moral(nomina: Nomina, ctx: EvaluationContext) -> RuleResult:
    """Curp of the employer is absent when the issuer's RFC has 12 characters."""
    curp, rfc = nomina.emisor.Curp if nomina.emisor is not None else None, ctx.comprobante.emisor.Rfc
    if curp is None or len(rfc) != MORAL:
        return None
    return Violation(found=curp, expected=f"que no exista: {rfc} es una persona moral")


def has_curp_of_persona_fisica(nomina: Nomina, ctx: EvaluationContext) -> RuleResult:
    """Curp of the employer is present when the issuer's RFC has 13 characters."""
    curp, rfc = nomina.emisor.Curp if nomina.emisor is not None else None, ctx.comprobante.emisor.Rfc
    if curp is not None or len(rfc) != FISICA:
        return None
    return Violation(expected=f"la CURP del patrón: {rfc} es una persona física")


def is_persona_fisica(receptor: Receptor, _ctx: EvaluationContext) -> RuleResult:
    """The receiver's RFC has 13 characters."""
    return None if len(receptor.Rfc) == FISICA else Violation(found=receptor.Rfc, expected="un RFC de persona física")


def has_own_rfc(receptor: Receptor, _ctx: EvaluationContext) -> bool:
    """Whether the RFC is not the generic one, which payrolls of deceased workers have."""
    return receptor.Rfc != NATIONAL


def has_rfc_patron_origen(emisor: EmisorNomina, _ctx: EvaluationContext) -> bool:
    """Whether RfcPatronOrigen is present."""
    return emisor.RfcPatronOrigen is not None


def has_registro_patronal_with_employment(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    """RegistroPatronal is present with a TipoContrato of 01 to 08."""
    contract = nomina.receptor.TipoContrato
    if contract not in EMPLOYMENT_CONTRACTS or (
        nomina.emisor is not None and nomina.emisor.RegistroPatronal is not None
    ):
        return None
    return Violation(expected=f"el registro patronal, por TipoContrato {contract}")


def has_no_registro_patronal_with_other_contract(emisor: EmisorNomina, ctx: EvaluationContext) -> RuleResult:
    """RegistroPatronal is absent with a TipoContrato of 09, 10 or 99."""
    if emisor.RegistroPatronal is None:
        return None
    contract = payroll_of(emisor, ctx).receptor.TipoContrato
    if contract not in OTHER_CONTRACTS:
        return None
    return Violation(found=emisor.RegistroPatronal, expected=f"que no exista, por TipoContrato {contract}")


def has_social_security_with_registro_patronal(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    """The five attributes of social security are present with RegistroPatronal."""
    nomina = payroll_of(receptor, ctx)
    if nomina.emisor is None or nomina.emisor.RegistroPatronal is None:
        return None
    missing = [name for name in SOCIAL_SECURITY if getattr(receptor, name) is None]
    if not missing:
        return None
    return Violation(at=f"@{missing[0]}", expected=f"{', '.join(missing)}, por el RegistroPatronal del patrón")


def has_own_funds_with_mixed_origin(entidad: EntidadSNCF, _ctx: EvaluationContext) -> RuleResult:
    """MontoRecursoPropio is present with OrigenRecurso IM."""
    if entidad.OrigenRecurso != MIXED or entidad.MontoRecursoPropio is not None:
        return None
    return Violation(expected="el monto de los ingresos propios, por OrigenRecurso IM")


def has_no_own_funds_with_other_origin(entidad: EntidadSNCF, _ctx: EvaluationContext) -> RuleResult:
    """MontoRecursoPropio is absent with an OrigenRecurso other than IM."""
    if entidad.OrigenRecurso == MIXED or entidad.MontoRecursoPropio is None:
        return None
    expected = f"que no exista, por OrigenRecurso {entidad.OrigenRecurso}"
    return Violation(found=entidad.MontoRecursoPropio, expected=expected)


def own_funds_are_less_than_paid_sum(entidad: EntidadSNCF, ctx: EvaluationContext) -> RuleResult:
    """MontoRecursoPropio, when present, is less than the sum that the payroll pays."""
    if entidad.MontoRecursoPropio is None:
        return None
    total = paid_sum(payroll_of(entidad, ctx))
    if entidad.monto < total:
        return None
    expected = f"menor que {total:f}, la suma de TotalPercepciones y TotalOtrosPagos"
    return Violation(found=entidad.MontoRecursoPropio, expected=expected)


def has_period_in_ordinary_payroll(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    """PeriodicidadPago is not 99 with TipoNomina O."""
    nomina = payroll_of(receptor, ctx)
    if nomina.TipoNomina != ORDINARY or receptor.PeriodicidadPago != OTHER_PERIOD:
        return None
    return Violation(found=OTHER_PERIOD, expected="distinta de 99, por TipoNomina O")


def has_other_period_in_extraordinary_payroll(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    """PeriodicidadPago is 99 with TipoNomina E."""
    nomina = payroll_of(receptor, ctx)
    if nomina.TipoNomina != EXTRAORDINARY or receptor.PeriodicidadPago == OTHER_PERIOD:
        return None
    return Violation(found=receptor.PeriodicidadPago, expected="99, por TipoNomina E")


def has_wage_regime_with_employment(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    """TipoRegimen is 02, 03 or 04 with a TipoContrato of 01 to 08."""
    if receptor.TipoContrato not in EMPLOYMENT_CONTRACTS or receptor.TipoRegimen in WAGE_REGIMES:
        return None
    return Violation(found=receptor.TipoRegimen, expected=f"02, 03 o 04, por TipoContrato {receptor.TipoContrato}")


def has_other_regime_with_other_contract(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    """TipoRegimen is 05 to 99 with a TipoContrato of 09, 10 or 99."""
    if receptor.TipoContrato not in OTHER_CONTRACTS or receptor.TipoRegimen not in WAGE_REGIMES:
        return None
    return Violation(found=receptor.TipoRegimen, expected=f"05 a 99, por TipoContrato {receptor.TipoContrato}")


def percentages_sum_to_100(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    """The sum of PorcentajeTiempo of all SubContratacion, when there are any, is 100."""
    parts = receptor.subcontrataciones
    total = sum([part.porcentaje for part in parts], ZERO)
    return None if not parts or total == 100 else Violation(found=f"{total:f}", expected="100 por ciento en total")


def account(receptor: ReceptorNomina) -> str:
    """Return CuentaBancaria, empty when absent."""
    return (receptor.CuentaBancaria or "").strip()


def has_account_length(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    """CuentaBancaria, when present, has 10, 11, 16 or 18 positions."""
    text = account(receptor)
    if receptor.CuentaBancaria is None or len(text) in LENGTHS:
        return None
    return Violation(found=text, expected="10, 11, 16 o 18 posiciones")


def has_no_bank_with_clabe(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    """Banco is absent with a CLABE, which contains the key of the bank."""
    if receptor.Banco is None or len(account(receptor)) != CLABE:
        return None
    return Violation(found=receptor.Banco, expected="que no exista: la CLABE ya dice el banco")


def has_bank_with_other_account(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    """Banco is present with an account of 10, 11 or 16 positions."""
    length = len(account(receptor))
    if receptor.Banco is not None or length not in LENGTHS or length == CLABE:
        return None
    return Violation(expected=f"la clave del banco, por la cuenta de {length} posiciones")


def has_check_digit(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    """The last digit of a CLABE is its check digit; an account that is not 18 digits passes."""
    text = account(receptor)
    if len(text) != CLABE or not (text.isascii() and text.isdecimal()):
        return None
    expected = check_digit(text)
    return None if text[-1] == expected else Violation(found=text, expected=f"el dígito de control {expected}")


def check_digit(clabe: str) -> str:
    """Return the check digit of the first 17 digits, weighted 3, 7, 1 in turn."""
    total = sum(int(digit) * _WEIGHTS[place % 3] % 10 for place, digit in enumerate(clabe[: CLABE - 1]))
    return str(-total % 10)


def is_coordinated(ctx: EvaluationContext) -> bool:
    """Whether l_RFC has the mark SNCF for the issuer."""
    marked = ctx.reference_data.coordinated
    return marked is not None and marked.is_coordinated(ctx.comprobante.emisor.Rfc)


def has_entidad_sncf_when_marked(nomina: Nomina, ctx: EvaluationContext) -> RuleResult:
    """EntidadSNCF is present for an issuer with the mark."""
    is_present = nomina.emisor is not None and nomina.emisor.entidad is not None
    if is_present or not is_coordinated(ctx):
        return None
    return Violation(expected=f"el nodo: {ctx.comprobante.emisor.Rfc} tiene la marca SNCF (l_RFC)")


def is_marked_in_l_rfc(_entidad: EntidadSNCF, ctx: EvaluationContext) -> RuleResult:
    """The issuer of a payroll with EntidadSNCF has the mark."""
    if is_coordinated(ctx):
        return None
    expected = f"que no exista: {ctx.comprobante.emisor.Rfc} no tiene la marca SNCF (l_RFC)"
    return Violation(found="EntidadSNCF", expected=expected)
