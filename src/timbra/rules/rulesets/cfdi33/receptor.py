"""The receiver: CFDI33132, CFDI33140, CFDI33141."""

from __future__ import annotations

from timbra.cfdi.nodes import Receptor
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cfdi33.sources import MATRIX_2022_01
from timbra.rules.shared.conditions import person_of
from timbra.rules.shared.invoice.parties import is_not_generic
from timbra.rules.shared.predicates import in_catalog, is_registered

CFDI33132 = row(
    "CFDI33132",
    Receptor,
    at="Receptor/@Rfc",
    says="El RFC del receptor debe estar en la lista de RFC inscritos y no cancelados.",
    note="Con una lista de otra fecha que el comprobante, el error se informa como aviso.",
    check=is_registered("Rfc"),
    applies=is_not_generic,
    needs=(DataRequirement.TAXPAYERS,),
    cites=MATRIX_2022_01,
    fails={"Receptor/@Rfc": "ZZZ010101AAA"},
)


CFDI33140 = row(
    "CFDI33140",
    Receptor,
    at="Receptor/@UsoCFDI",
    says="UsoCFDI debe ser una clave vigente de c_UsoCFDI.",
    check=in_catalog("c_UsoCFDI", "UsoCFDI"),
    cites=MATRIX_2022_01,
    fails={"Receptor/@UsoCFDI": "X01"},
)


@rule(
    "CFDI33141",
    at="Receptor/@UsoCFDI",
    says="UsoCFDI debe aplicar al tipo de persona del receptor.",
    cites=MATRIX_2022_01,
    fails={"Receptor/@UsoCFDI": "D01"},
)
def use_matches_person(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    row = ctx.row("c_UsoCFDI", receptor.UsoCFDI)
    if row is None or row[person_of(receptor.Rfc)]:
        return None
    expected = f"un uso que aplique al tipo de persona del RFC {receptor.Rfc}"
    return Violation(found=receptor.UsoCFDI, expected=expected)
