"""Receivers who reside abroad: ResidenciaFiscal and NumRegIdTrib."""

from __future__ import annotations

import re
from operator import attrgetter

from timbra.cfdi.nodes import Receptor
from timbra.cfdi.rfc import FOREIGN, NATIONAL
from timbra.cfdi.structure.value_phrases import format_phrase
from timbra.rules.engine.bound_rules import Predicate
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import TAXPAYER_LIST, DataRequirement, Indeterminate, RuleResult, Violation
from timbra.rules.shared.conditions import absent, has_comercio_exterior

MEXICO = "MEX"


def has_residence(receptor: Receptor, _ctx: EvaluationContext) -> bool:
    """Whether the receiver has ResidenciaFiscal."""
    return receptor.ResidenciaFiscal is not None


def has_foreign_id(receptor: Receptor, _ctx: EvaluationContext) -> bool:
    """Whether the receiver has NumRegIdTrib."""
    return receptor.NumRegIdTrib is not None


def residence_is_not_mexico(receptor: Receptor, _ctx: EvaluationContext) -> RuleResult:
    """ResidenciaFiscal is not MEX."""
    return Violation(found=MEXICO, expected="otro país") if receptor.ResidenciaFiscal == MEXICO else None


def has_residence_when_foreign(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    """ResidenciaFiscal is present with RFC XEXX010101000 and either NumRegIdTrib or Comercio Exterior."""
    if receptor.Rfc != FOREIGN or receptor.ResidenciaFiscal is not None:
        return None
    if receptor.NumRegIdTrib is not None:
        return Violation(expected="el país de residencia, por NumRegIdTrib")
    if has_comercio_exterior(ctx.comprobante):
        return Violation(expected="el país de residencia, por el complemento Comercio Exterior")
    return None


def has_foreign_id_in_exports(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    """NumRegIdTrib is present with RFC XEXX010101000 and the complement Comercio Exterior."""
    if receptor.Rfc != FOREIGN or receptor.NumRegIdTrib is not None or not has_comercio_exterior(ctx.comprobante):
        return None
    return Violation(expected="el registro tributario del receptor, por el complemento Comercio Exterior")


def foreign_id_matches_country(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    """NumRegIdTrib matches the pattern of the country of residence, when c_Pais has one."""
    country = receptor.ResidenciaFiscal
    row = ctx.row("c_Pais", country) if country is not None else None
    if row is None:
        return None
    if row["validacion_identidad_tributaria"]:
        return Indeterminate(f"registro de identidades tributarias de {country}")
    pattern = row["patron_identidad_tributaria"]
    if not pattern or re.fullmatch(pattern, receptor.NumRegIdTrib or ""):
        return None
    return Violation(found=receptor.NumRegIdTrib, expected=f"el formato de {country}: {format_phrase(pattern)}")


def is_absent_when_national(name: str) -> Predicate:
    """The attribute is absent when the RFC is XAXX010101000 or registered in l_RFC.

    Args:
        name: name of the attribute of Receptor.
    """
    read = attrgetter(name)

    def is_absent_when_national(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
        found = read(receptor)
        if receptor.Rfc == NATIONAL:
            return absent(found, f"por el RFC {NATIONAL}")
        if receptor.is_generic:
            return None
        if ctx.reference_data.taxpayers is None:
            return Indeterminate(DataRequirement.TAXPAYERS)
        if ctx.taxpayer(receptor.Rfc) is None:
            return None
        return absent(found, f"porque {receptor.Rfc} está inscrito (l_RFC)", TAXPAYER_LIST)

    return is_absent_when_national
