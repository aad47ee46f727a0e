"""Checks of addresses for Comercio Exterior and Carta Porte: attributes that are dependent keys of catalogs.

Each function checks one attribute of a node; the rule decides for which countries. The catalog is an argument where the
standards have their own.
"""

from __future__ import annotations

import re
from typing import Final

from timbra.cfdi.nodes.domicilio import Domicilio
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation

MEXICO: Final = "MEX"
WITH_STATES: Final = frozenset({"MEX", "USA", "CAN"})
"""Countries whose states c_Estado has."""
READS: Final = ("Colonia", "Localidad", "Municipio", "Estado", "Pais", "CodigoPostal")
"""Attributes that the functions read."""


def in_mexico(domicilio: Domicilio, _ctx: EvaluationContext) -> bool:
    """Whether the country is Mexico."""
    return domicilio.Pais == MEXICO


def has_states(domicilio: Domicilio, _ctx: EvaluationContext) -> bool:
    """Whether c_Estado has the states of the country."""
    return domicilio.Pais in WITH_STATES


def colonia_holds(domicilio: Domicilio, ctx: EvaluationContext) -> RuleResult:
    """Check that Colonia, when present, is a key of c_Colonia at the postal code."""
    return _key_holds(ctx, "c_Colonia", domicilio.Colonia, domicilio.CodigoPostal, "del código postal")


def localidad_holds(domicilio: Domicilio, ctx: EvaluationContext, catalog: str) -> RuleResult:
    """Check that Localidad, when present, is a key of c_Localidad in the state."""
    return _key_holds(ctx, catalog, domicilio.Localidad, domicilio.Estado, "del estado")


def municipio_holds(domicilio: Domicilio, ctx: EvaluationContext, catalog: str) -> RuleResult:
    """Check that Municipio, when present, is a key of c_Municipio in the state."""
    return _key_holds(ctx, catalog, domicilio.Municipio, domicilio.Estado, "del estado")


def _key_holds(ctx: EvaluationContext, catalog: str, key: str | None, parent: str | None, of: str) -> RuleResult:
    if key is None or ctx.in_force(catalog, f"{key}|{parent or ''}"):
        return None
    return Violation(
        found=key, expected=f"una clave vigente de {catalog.rpartition(':')[2]} {of} {parent or '(ausente)'}"
    )


def estado_holds(domicilio: Domicilio, ctx: EvaluationContext, catalog: str) -> RuleResult:
    """Check that Estado is a key of c_Estado in the country."""
    row = ctx.row(catalog, domicilio.Estado or "")
    if row is not None and row["pais"] == domicilio.Pais:
        return None
    return Violation(found=domicilio.Estado, expected=f"una clave vigente de c_Estado del país {domicilio.Pais}")


def codigo_postal_holds(domicilio: Domicilio, ctx: EvaluationContext) -> RuleResult:
    """Check that CodigoPostal is a key of c_CodigoPostal in the state and, when present, municipality and locality."""
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
    """Check that CodigoPostal has the form that c_Pais gives for the country; any text passes without one."""
    row = ctx.row("c_Pais", domicilio.Pais or "")
    pattern = row["patron_codigo_postal"] if row is not None else ""
    if not pattern or re.fullmatch(pattern, domicilio.CodigoPostal or ""):
        return None
    return Violation(found=domicilio.CodigoPostal, expected=f"el formato de {domicilio.Pais}: {pattern}")
