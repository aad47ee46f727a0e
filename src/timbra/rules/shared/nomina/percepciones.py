"""Earnings: the totals and nodes that a TipoPercepcion requires."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.nomina12 import JubilacionPensionRetiro, Nomina, Percepcion, Percepciones
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.nomina.totales import RETIREMENT, SEPARATION, is_wage

OVERTIME, SHARES, INCAPACITY = "019", "045", "014"
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


def is_not_empty(row: Percepcion) -> RuleResult:
    """Check that the taxed and the exempt amount are together greater than zero."""
    if row.importe > ZERO:
        return None
    return Violation(found=row.ImporteGravado, expected="mayor que cero, por ImporteExento 0")


def wages_have_a_total(rows: Percepciones) -> RuleResult:
    """Check that TotalSueldos is present with a row that is neither separation nor retirement."""
    if rows.TotalSueldos is not None or not any(is_wage(row.TipoPercepcion) for row in rows.filas):
        return None
    return Violation(expected="el total, por las percepciones que no son 022, 023, 025, 039 ni 044")


def separation_has_its_parts(rows: Percepciones) -> RuleResult:
    """Check that TotalSeparacionIndemnizacion and SeparacionIndemnizacion are present exactly with 022, 023 or 025."""
    parts = (
        ("@TotalSeparacionIndemnizacion", rows.TotalSeparacionIndemnizacion),
        ("SeparacionIndemnizacion", rows.separacion),
    )
    return _exactly(parts, has(rows, SEPARATION), "022, 023 o 025")


def retirement_has_its_parts(rows: Percepciones) -> RuleResult:
    """Check that TotalJubilacionPensionRetiro and JubilacionPensionRetiro are present exactly with 039 or 044."""
    parts = (
        ("@TotalJubilacionPensionRetiro", rows.TotalJubilacionPensionRetiro),
        ("JubilacionPensionRetiro", rows.jubilacion),
    )
    return _exactly(parts, has(rows, RETIREMENT), "039 o 044")


def _exactly(parts: Sequence[Attribute], required: bool, kinds: str) -> RuleResult:
    wrong = [name for name, value in parts if (value is not None) != required]
    if not wrong:
        return None
    if required:
        return Violation(at=wrong[0], expected=f"{_names(wrong)}, por las percepciones {kinds}")
    return Violation(at=wrong[0], found=_names(wrong), expected=f"que no exista sin percepciones {kinds}")


def _names(parts: Iterable[str]) -> str:
    return " y ".join(part.removeprefix("@") for part in parts)


def single_retirement(node: JubilacionPensionRetiro, nomina: Nomina) -> RuleResult:
    """Check that 039 has TotalUnaExhibicion, and neither TotalParcialidad nor MontoDiario."""
    return _paid(node, there=("TotalUnaExhibicion",), why="039") if earns(nomina, SINGLE) else None


def retirement_in_parts(node: JubilacionPensionRetiro, nomina: Nomina) -> RuleResult:
    """Check that 044 has TotalParcialidad and MontoDiario, and no TotalUnaExhibicion."""
    return _paid(node, there=("TotalParcialidad", "MontoDiario"), why="044") if earns(nomina, INSTALMENTS) else None


def _paid(node: JubilacionPensionRetiro, *, there: Sequence[str], why: str) -> RuleResult:
    everything = ("TotalUnaExhibicion", "TotalParcialidad", "MontoDiario")
    wrong = [name for name in everything if (getattr(node, name) is not None) != (name in there)]
    if not wrong:
        return None
    expected = f"solo {' y '.join(there)}, por la percepción {why}"
    return Violation(at=f"@{wrong[0]}", found=getattr(node, wrong[0]), expected=expected)


def single_total_stands_alone(node: JubilacionPensionRetiro) -> RuleResult:
    """Check that neither TotalParcialidad nor MontoDiario is present with TotalUnaExhibicion."""
    others = [name for name in ("TotalParcialidad", "MontoDiario") if getattr(node, name) is not None]
    if node.TotalUnaExhibicion is None or not others:
        return None
    return Violation(found=node.TotalUnaExhibicion, expected=f"que no exista {' ni '.join(others)} junto a él")


def parts_have_their_day(node: JubilacionPensionRetiro) -> RuleResult:
    """Check that TotalParcialidad has MontoDiario, and no TotalUnaExhibicion."""
    if node.TotalParcialidad is None or (node.MontoDiario is not None and node.TotalUnaExhibicion is None):
        return None
    return Violation(found=node.TotalParcialidad, expected="MontoDiario junto a él, y no TotalUnaExhibicion")


def belongs(row: Percepcion, kind: str, *, is_there: bool, node: str) -> tuple[RuleResult, RuleResult]:
    """Check a node that exactly one TipoPercepcion has.

    Args:
        row: the row.
        kind: TipoPercepcion of the rows that have the node.
        is_there: whether the row has the node.
        node: name of the node.

    Returns:
        The violation of a row of that kind without the node, and that of another row with it.
    """
    if (row.TipoPercepcion == kind) == is_there:
        return None, None
    if is_there:
        return None, Violation(found=node, expected=f"que no exista, por TipoPercepcion {row.TipoPercepcion}")
    return Violation(expected=f"el nodo, por TipoPercepcion {kind}"), None


def shares(row: Percepcion) -> tuple[RuleResult, RuleResult]:
    """Check AccionesOTitulos as `belongs` does, for 045."""
    return belongs(row, SHARES, is_there=row.acciones is not None, node="AccionesOTitulos")


def overtime(row: Percepcion) -> tuple[RuleResult, RuleResult]:
    """Check HorasExtra as `belongs` does, for 019."""
    return belongs(row, OVERTIME, is_there=bool(row.horas_extra), node="HorasExtra")


def earned_incapacity_is_told(nomina: Nomina) -> RuleResult:
    """Check that Incapacidades is present with 014."""
    if nomina.has_incapacidades or not earns(nomina, INCAPACITY):
        return None
    return Violation(expected="el nodo, por la percepción 014")


def earned_incapacity_adds_up(nomina: Nomina) -> RuleResult:
    """Check that the incapacities are together the amount of the rows 014. Passes without Incapacidades."""
    rows = nomina.percepciones.filas if nomina.percepciones is not None else ()
    paid = [row.importe for row in rows if row.TipoPercepcion == INCAPACITY]
    if not nomina.has_incapacidades or not paid:
        return None
    expected = sum(paid, ZERO)
    total = sum([row.importe for row in nomina.incapacidades], ZERO)
    if total == expected:
        return None
    return Violation(found=f"{total:f} en total", expected=f"{expected:f}, el importe de la percepción 014")
