"""Receivers who reside abroad."""

from __future__ import annotations

import re

from timbra.cfdi.nodes import Receptor
from timbra.cfdi.rfc import FOREIGN, NATIONAL
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import TAXPAYER_LIST, DataRequirement, Indeterminate, RuleResult, Violation
from timbra.rules.shared.conditions import absent, has_comercio_exterior

MEXICO = "MEX"


def resides_abroad(receptor: Receptor, _ctx: EvaluationContext) -> bool:
    """Whether the receiver has ResidenciaFiscal."""
    return receptor.ResidenciaFiscal is not None


def has_foreign_id(receptor: Receptor, _ctx: EvaluationContext) -> bool:
    """Whether the receiver has NumRegIdTrib."""
    return receptor.NumRegIdTrib is not None


def residence_is_not_mexico(receptor: Receptor) -> RuleResult:
    """Check that ResidenciaFiscal is not Mexico."""
    return Violation(found=MEXICO, expected="otro país") if receptor.ResidenciaFiscal == MEXICO else None


def foreigner_has_a_residence(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    """Check ResidenciaFiscal with the generic RFC of foreigners and either NumRegIdTrib or Comercio Exterior."""
    if receptor.Rfc != FOREIGN or receptor.ResidenciaFiscal is not None:
        return None
    if receptor.NumRegIdTrib is not None:
        return Violation(expected="el país de residencia, por NumRegIdTrib")
    if has_comercio_exterior(ctx.comprobante):
        return Violation(expected="el país de residencia, por el complemento Comercio Exterior")
    return None


def foreigner_of_exports_has_an_id(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    """Check NumRegIdTrib of a foreigner with the complement Comercio Exterior."""
    if receptor.Rfc != FOREIGN or receptor.NumRegIdTrib is not None or not has_comercio_exterior(ctx.comprobante):
        return None
    return Violation(expected="el registro tributario del receptor, por el complemento Comercio Exterior")


def id_has_the_form_of_its_country(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    """Check the form of NumRegIdTrib; passes when the country is absent or has no form."""
    country = receptor.ResidenciaFiscal
    row = ctx.row("c_Pais", country) if country is not None else None
    if row is None:
        return None
    if row["validacion_identidad_tributaria"]:
        return Indeterminate(f"registro de identidades tributarias de {country}")
    pattern = row["patron_identidad_tributaria"]
    if not pattern or re.fullmatch(pattern, receptor.NumRegIdTrib or ""):
        return None
    return Violation(found=receptor.NumRegIdTrib, expected=f"el formato de {country}: {pattern}")


def absent_when_national(receptor: Receptor, ctx: EvaluationContext, found: str | None) -> RuleResult:
    """Check that an attribute of foreigners is absent for the general public and for registered receivers.

    Args:
        receptor: the receiver.
        ctx: evaluation context.
        found: the attribute.
    """
    if receptor.Rfc == NATIONAL:
        return absent(found, f"por el RFC {NATIONAL}")
    if receptor.is_generic:
        return None
    if ctx.reference_data.taxpayers is None:
        return Indeterminate(DataRequirement.TAXPAYERS)
    if ctx.taxpayer(receptor.Rfc) is None:
        return None
    return absent(found, f"porque {receptor.Rfc} está inscrito (l_RFC)", TAXPAYER_LIST)
