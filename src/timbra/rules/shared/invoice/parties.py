"""Issuer and receiver: generic RFC, registered name, regime of the kind of person."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from timbra.cfdi.nodes import Emisor, Receptor
from timbra.rules.engine.bound_rules import Predicate
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import TAXPAYER_LIST, DataRequirement, Indeterminate, RuleResult, Violation
from timbra.rules.shared.conditions import name_of_its_rfc, regime_for

NAMES = "l_RFC por nombre"
"""Spanish name, in reports, of the index of registered names."""


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
