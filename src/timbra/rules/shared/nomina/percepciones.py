"""Earnings: the totals and nodes that a TipoPercepcion requires or forbids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.nomina12 import JubilacionPensionRetiro, Nomina, Percepcion, Percepciones
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.nomina.recibos import payroll_of
from timbra.rules.shared.nomina.totales import RETIREMENT, SEPARATION, is_wage
from timbra.rules.shared.predicates import Predicate

INCAPACITY = "014"
SINGLE, INSTALMENTS = "039", "044"
"""Retirement paid in a single payment, and in installments."""

Attribute = tuple[str, object]
"""Name and value of an attribute or node of a row."""


def has(rows: Percepciones, kinds: Iterable[str]) -> bool:
    """Whether a row has one of these values of TipoPercepcion."""
    selected = frozenset(kinds)
    return any(row.TipoPercepcion in selected for row in rows.filas)


def earns(nomina: Nomina, kind: str) -> bool:
    """Whether the payroll has a row of this TipoPercepcion."""
    return nomina.percepciones is not None and has(nomina.percepciones, (kind,))


def has_positive_amount(row: Percepcion, _ctx: EvaluationContext) -> RuleResult:
    """The sum of ImporteGravado and ImporteExento is greater than zero."""
    if row.importe > ZERO:
        return None
    return Violation(found=row.ImporteGravado, expected="mayor que cero, por ImporteExento 0")


def has_total_of_wages(rows: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    """TotalSueldos is present with a row that is neither separation nor retirement."""
    if rows.TotalSueldos is not None or not any(is_wage(row.TipoPercepcion) for row in rows.filas):
        return None
    return Violation(expected="el total, por las percepciones que no son 022, 023, 025, 039 ni 044")


def has_separation_parts(rows: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    """TotalSeparacionIndemnizacion and SeparacionIndemnizacion are present exactly with 022, 023 or 025."""
    parts = (
        ("@TotalSeparacionIndemnizacion", rows.TotalSeparacionIndemnizacion),
        ("SeparacionIndemnizacion", rows.separacion),
    )
    return _present_exactly(parts, has(rows, SEPARATION), "022, 023 o 025")


def has_retirement_parts(rows: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    """TotalJubilacionPensionRetiro and JubilacionPensionRetiro are present exactly with 039 or 044."""
    parts = (
        ("@TotalJubilacionPensionRetiro", rows.TotalJubilacionPensionRetiro),
        ("JubilacionPensionRetiro", rows.jubilacion),
    )
    return _present_exactly(parts, has(rows, RETIREMENT), "039 o 044")


def _present_exactly(parts: Sequence[Attribute], required: bool, kinds: str) -> RuleResult:
    wrong = [name for name, value in parts if (value is not None) != required]
    if not wrong:
        return None
    if required:
        return Violation(at=wrong[0], expected=f"{_names(wrong)}, por las percepciones {kinds}")
    return Violation(at=wrong[0], found=_names(wrong), expected=f"que no exista sin percepciones {kinds}")


def _names(parts: Iterable[str]) -> str:
    return " y ".join(part.removeprefix("@") for part in parts)


def has_single_payment_with_039(node: JubilacionPensionRetiro, ctx: EvaluationContext) -> RuleResult:
    """With 039, TotalUnaExhibicion is present and neither TotalParcialidad nor MontoDiario is."""
    nomina = payroll_of(node, ctx)
    return _has_only(node, names=("TotalUnaExhibicion",), why="039") if earns(nomina, SINGLE) else None


def has_installments_with_044(node: JubilacionPensionRetiro, ctx: EvaluationContext) -> RuleResult:
    """With 044, TotalParcialidad and MontoDiario are present and TotalUnaExhibicion is not."""
    nomina = payroll_of(node, ctx)
    return _has_only(node, names=("TotalParcialidad", "MontoDiario"), why="044") if earns(nomina, INSTALMENTS) else None


def _has_only(node: JubilacionPensionRetiro, *, names: Sequence[str], why: str) -> RuleResult:
    attributes = ("TotalUnaExhibicion", "TotalParcialidad", "MontoDiario")
    wrong = [name for name in attributes if (getattr(node, name) is not None) != (name in names)]
    if not wrong:
        return None
    expected = f"solo {' y '.join(names)}, por la percepción {why}"
    return Violation(at=f"@{wrong[0]}", found=getattr(node, wrong[0]), expected=expected)


def has_single_payment_alone(node: JubilacionPensionRetiro, _ctx: EvaluationContext) -> RuleResult:
    """Neither TotalParcialidad nor MontoDiario is present with TotalUnaExhibicion."""
    others = [name for name in ("TotalParcialidad", "MontoDiario") if getattr(node, name) is not None]
    if node.TotalUnaExhibicion is None or not others:
        return None
    return Violation(found=node.TotalUnaExhibicion, expected=f"que no exista {' ni '.join(others)} junto a él")


def has_daily_amount_with_installments(node: JubilacionPensionRetiro, _ctx: EvaluationContext) -> RuleResult:
    """With TotalParcialidad, MontoDiario is present and TotalUnaExhibicion is not."""
    if node.TotalParcialidad is None or (node.MontoDiario is not None and node.TotalUnaExhibicion is None):
        return None
    return Violation(found=node.TotalParcialidad, expected="MontoDiario junto a él, y no TotalUnaExhibicion")


def has_node_with(kind: str, attribute: str) -> Predicate:
    """The node is present with the TipoPercepcion.

    Args:
        kind: the TipoPercepcion.
        attribute: attribute of Percepcion with the node, None or empty when it is absent.
    """
    read = attrgetter(attribute)
    violation = Violation(expected=f"el nodo, por TipoPercepcion {kind}")
    return lambda row, _ctx: violation if row.TipoPercepcion == kind and not read(row) else None


def has_no_node_with_other_than(kind: str, node: str, attribute: str) -> Predicate:
    """The node is absent with any other TipoPercepcion.

    Args:
        kind: the TipoPercepcion.
        node: name of the node.
        attribute: attribute of Percepcion with the node, None or empty when it is absent.
    """
    read = attrgetter(attribute)

    def check(row: Percepcion, _ctx: EvaluationContext) -> RuleResult:
        if row.TipoPercepcion == kind or not read(row):
            return None
        return Violation(found=node, expected=f"que no exista, por TipoPercepcion {row.TipoPercepcion}")

    return check


def has_incapacidades_with_014(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    if nomina.has_incapacidades or not earns(nomina, INCAPACITY):
        return None
    return Violation(expected="el nodo, por la percepción 014")


def incapacidades_equal_earnings_014(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    """The sum of ImporteMonetario is that of the rows 014. A payroll without Incapacidades passes."""
    rows = nomina.percepciones.filas if nomina.percepciones is not None else ()
    paid = [row.importe for row in rows if row.TipoPercepcion == INCAPACITY]
    if not nomina.has_incapacidades or not paid:
        return None
    expected = sum(paid, ZERO)
    total = sum([row.importe for row in nomina.incapacidades], ZERO)
    if total == expected:
        return None
    return Violation(found=f"{total:f} en total", expected=f"{expected:f}, el importe de la percepción 014")
