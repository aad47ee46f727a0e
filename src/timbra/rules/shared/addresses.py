"""Addresses, as Comercio Exterior and Carta Porte demand them: keys of SAT's catalogs that belong together.

The functions judge one attribute of a node; in which country a standard asks them is its own matter. Names of catalogs
are told where standards have their own.
"""

from __future__ import annotations

import re
from typing import Final

from timbra.cfdi.nodes.domicilio import Domicilio
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation

MEXICO: Final = "MEX"
WITH_STATES: Final = frozenset({"MEX", "USA", "CAN"})
"""The countries whose states c_Estado lists."""
READS: Final = ("Colonia", "Localidad", "Municipio", "Estado", "Pais", "CodigoPostal")
"""All that the functions read of a node."""


def in_mexico(domicilio: Domicilio, _ctx: EvaluationContext) -> bool:
    return domicilio.Pais == MEXICO


def has_states(domicilio: Domicilio, _ctx: EvaluationContext) -> bool:
    """Whether c_Estado lists the states of its country."""
    return domicilio.Pais in WITH_STATES


def colonia_holds(domicilio: Domicilio, ctx: EvaluationContext) -> RuleResult:
    """A key of c_Colonia at its postal code, if it is there."""
    return _key_holds(ctx, "c_Colonia", domicilio.Colonia, domicilio.CodigoPostal, "del código postal")


def localidad_holds(domicilio: Domicilio, ctx: EvaluationContext, catalog: str) -> RuleResult:
    """A key of c_Localidad in its state, if it is there."""
    return _key_holds(ctx, catalog, domicilio.Localidad, domicilio.Estado, "del estado")


def municipio_holds(domicilio: Domicilio, ctx: EvaluationContext, catalog: str) -> RuleResult:
    """A key of c_Municipio in its state, if it is there."""
    return _key_holds(ctx, catalog, domicilio.Municipio, domicilio.Estado, "del estado")


def _key_holds(ctx: EvaluationContext, catalog: str, key: str | None, parent: str | None, of: str) -> RuleResult:
    if key is None or ctx.in_force(catalog, f"{key}|{parent or ''}"):
        return None
    return Violation(
        found=key, expected=f"una clave vigente de {catalog.rpartition(':')[2]} {of} {parent or '(ausente)'}"
    )


def estado_holds(domicilio: Domicilio, ctx: EvaluationContext, catalog: str) -> RuleResult:
    """A key of c_Estado in its country."""
    row = ctx.row(catalog, domicilio.Estado or "")
    if row is not None and row["pais"] == domicilio.Pais:
        return None
    return Violation(found=domicilio.Estado, expected=f"una clave vigente de c_Estado del país {domicilio.Pais}")


def codigo_postal_holds(domicilio: Domicilio, ctx: EvaluationContext) -> RuleResult:
    """A key of c_CodigoPostal in its state and, where they are there, in its municipality and locality."""
    row = ctx.row("c_CodigoPostal", domicilio.CodigoPostal or "")
    if row is None:
        return Violation(found=domicilio.CodigoPostal, expected="una clave de c_CodigoPostal")
    for name, place in (
        ("Estado", domicilio.Estado),
        ("Municipio", domicilio.Municipio),
        ("Localidad", domicilio.Localidad),
    ):
        assigned = row[name.lower()]
        if place is not None and place != assigned:
            where = f"{name} {assigned}" if assigned else f"ningún {name}"
            return Violation(
                found=domicilio.CodigoPostal,
                expected=f"un código postal con {name} {place}",
                hint=f"c_CodigoPostal le asigna {where}.",
            )
    return None


def foreign_codigo_postal_holds(domicilio: Domicilio, ctx: EvaluationContext) -> RuleResult:
    """The form that c_Pais gives the postal codes of its country; without one any text."""
    row = ctx.row("c_Pais", domicilio.Pais or "")
    pattern = row["patron_codigo_postal"] if row is not None else ""
    if not pattern or re.fullmatch(pattern, domicilio.CodigoPostal or ""):
        return None
    return Violation(found=domicilio.CodigoPostal, expected=f"el formato de {domicilio.Pais}: {pattern}")
