"""The permit: CCHYP107, CCHYP108, keys of TipoPermiso, length of NumeroPermiso."""

from __future__ import annotations

import re
from typing import Final

from timbra.cfdi.nodes.hidroypetro10 import HidroYPetro
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.hidroypetro10.matrix import ANEXO_29
from timbra.rules.shared.conditions import key_of

AT: Final = "Conceptos/Concepto/ComplementoConcepto/HidroYPetro"
KINDS: Final = "hidroypetro10:c_TipoPermiso"
PATTERN: Final = "patron"
SHORTEST, LONGEST = 15, 35


@rule("CFDI40999:HYP-TipoPermiso", at=f"{AT}/@TipoPermiso", source=ANEXO_29, reads=("TipoPermiso",))
def kind_of_permit_is_a_key(permiso: HidroYPetro, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, KINDS, permiso.TipoPermiso)


@rule(
    "CFDI40999:HYP-NumeroPermiso",
    at=f"{AT}/@NumeroPermiso",
    source=ANEXO_29,
    inseparable=("CCHYP107", "CCHYP107:L_CNE"),
)
def number_of_permit_has_its_length(permiso: HidroYPetro, _ctx: EvaluationContext) -> RuleResult:
    number = permiso.NumeroPermiso
    if SHORTEST <= len(number) <= LONGEST:
        return None
    return Violation(found=number, expected=f"de {SHORTEST} a {LONGEST} caracteres")


@rule("CCHYP107", at=f"{AT}/@NumeroPermiso", columns=((KINDS, PATTERN),), reads=("TipoPermiso", "NumeroPermiso"))
def number_follows_the_kind_of_permit(permiso: HidroYPetro, ctx: EvaluationContext) -> RuleResult:
    """Nothing to say about an unknown kind."""
    row = ctx.row(KINDS, permiso.TipoPermiso)
    number = permiso.NumeroPermiso
    if row is None or re.fullmatch(row[PATTERN], number):
        return None
    expected = f"un permiso con la forma {row[PATTERN]}, por TipoPermiso {permiso.TipoPermiso}"
    return Violation(found=number, expected=expected)


@rule("CCHYP107:L_CNE", at=f"{AT}/@NumeroPermiso", needs=(DataRequirement.PERMITS,))
def permit_is_in_force(permiso: HidroYPetro, ctx: EvaluationContext) -> RuleResult:
    """The list names permits in force and no others."""
    listed, number = ctx.reference_data.permits, permiso.NumeroPermiso
    if listed is None or listed.permit(number) is not None:
        return None
    return Violation(found=number, expected="un permiso vigente de la lista de la Comisión Nacional de Energía (L_CNE)")


@rule("CCHYP108", at=f"{AT}/@NumeroPermiso", needs=(DataRequirement.PERMITS,))
def permit_is_the_issuers(permiso: HidroYPetro, ctx: EvaluationContext) -> RuleResult:
    """Nothing to say about an unknown permit."""
    listed, rfc = ctx.reference_data.permits, ctx.comprobante.emisor.Rfc
    found = listed.permit(permiso.NumeroPermiso) if listed is not None else None
    if found is None or found.rfc == rfc:
        return None
    return Violation(found=permiso.NumeroPermiso, expected=f"un permiso del emisor {rfc}")
