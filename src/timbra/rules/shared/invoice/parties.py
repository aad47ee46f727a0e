"""Issuer and receiver: generic RFC, registered name, regime of the kind of person, residence abroad."""

from __future__ import annotations

import re
from operator import attrgetter
from typing import Any

from timbra.cfdi.nodes import Emisor, Receptor
from timbra.cfdi.rfc import FOREIGN, NATIONAL
from timbra.cfdi.structure.value_phrases import format_phrase
from timbra.rules.engine.bound_rules import Predicate
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import TAXPAYER_LIST, DataRequirement, Indeterminate, RuleResult, Violation
from timbra.rules.shared.predicates import absent, has_comercio_exterior, name_of_its_rfc, regime_for

NAMES = "l_RFC por nombre"
"""Spanish name, in reports, of the index of registered names."""
MEXICO = "MEX"


def is_generic(receptor: Receptor, _ctx: EvaluationContext) -> bool:
    """Whether the RFC of the receiver is XAXX010101000 or XEXX010101000."""
    return receptor.is_generic


def is_not_generic(receptor: Receptor, _ctx: EvaluationContext) -> bool:
    """Whether the RFC of the receiver is that of one taxpayer."""
    return not receptor.is_generic


def issuer_regime_matches_person(emisor: Emisor, ctx: EvaluationContext) -> RuleResult:
    """RegimenFiscal is a regime of the issuer's kind of person; an unknown regime passes."""
    return regime_for(ctx, emisor.RegimenFiscal, emisor.Rfc)


def is_registered_name(name: str, rfc: str) -> Predicate:
    """The name is the registered one; an RFC that is not registered passes. The rule needs the list of taxpayers.

    Args:
        name: name of the attribute with the name.
        rfc: name of the attribute with the RFC.
    """
    read_name, read_rfc = attrgetter(name), attrgetter(rfc)

    def is_registered_name(node: Any, ctx: EvaluationContext) -> RuleResult:
        return name_of_its_rfc(read_name(node), ctx.taxpayer(read_rfc(node)))

    return is_registered_name


def has_registered_name(name: str, rfc: str) -> Predicate:
    """Some taxpayer that is not cancelled has the name. The rule needs the list of taxpayers.

    A name that is not that of its RFC is looked up among all names of the list; without an index of names the rule
    cannot be evaluated.

    Args:
        name: name of the attribute with the name.
        rfc: name of the attribute with the RFC.
    """
    read_name, read_rfc = attrgetter(name), attrgetter(rfc)

    def has_registered_name(node: Any, ctx: EvaluationContext) -> RuleResult:
        return name_of_any_taxpayer(ctx, read_name(node), read_rfc(node))

    return has_registered_name


def name_of_any_taxpayer(ctx: EvaluationContext, name: str, rfc: str) -> RuleResult:
    """Check that some taxpayer that is not cancelled has the name; `rfc` is the taxpayer that the document names."""
    if ctx.reference_data.taxpayers is None:
        return Indeterminate(DataRequirement.TAXPAYERS)
    taxpayer = ctx.taxpayer(rfc)
    if taxpayer is not None and taxpayer.has_name(name):
        return None
    if ctx.reference_data.names is None:
        return Indeterminate(NAMES)
    if ctx.reference_data.names.is_registered(name):
        return None
    listed = taxpayer.disclosed_name if taxpayer is not None else ""
    return Violation(
        found=name,
        expected=f"un nombre inscrito (l_RFC): {listed}" if listed else "un nombre inscrito (l_RFC)",
        hint=taxpayer.name_hint(name) if taxpayer is not None else ctx.reference_data.registry_hint,
        rests_on=TAXPAYER_LIST,
    )


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
