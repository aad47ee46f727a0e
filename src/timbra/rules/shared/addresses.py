"""Predicates of addresses for Comercio Exterior and Carta Porte: attributes that are keys which depend on others.

Each predicate checks one attribute of a Domicilio; the rule selects the countries with `applies`. The catalog is an
argument where the standards have their own.
"""

from __future__ import annotations

import re
from operator import attrgetter
from typing import Final

from timbra.cfdi.nodes.domicilio import Domicilio
from timbra.cfdi.structure.value_phrases import format_phrase
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.predicates import Predicate

MEXICO: Final = "MEX"
WITH_STATES: Final = frozenset({"MEX", "USA", "CAN"})
"""Countries whose states c_Estado has."""


def is_in_mexico(domicilio: Domicilio, _ctx: EvaluationContext) -> bool:
    """Whether the country is Mexico."""
    return domicilio.Pais == MEXICO


def is_abroad(domicilio: Domicilio, _ctx: EvaluationContext) -> bool:
    """Whether the country is another one than Mexico, or absent."""
    return domicilio.Pais != MEXICO


def has_states(domicilio: Domicilio, _ctx: EvaluationContext) -> bool:
    """Whether c_Estado has the states of the country."""
    return domicilio.Pais in WITH_STATES


def is_key_below(catalog: str, name: str, parent: str, of: str) -> Predicate:
    """The attribute, when present, is a key of a catalog whose keys are unique below a parent key.

    Args:
        catalog: name of the catalog, with the standard as prefix when it is not one of the invoice.
        name: name of the attribute.
        parent: name of the attribute with the parent key.
        of: Spanish name of the parent after "una clave": `del estado`.
    """
    read, read_parent = attrgetter(name), attrgetter(parent)

    def check(domicilio: Domicilio, ctx: EvaluationContext) -> RuleResult:
        key, above = read(domicilio), read_parent(domicilio)
        if key is None or ctx.in_force(catalog, f"{key}|{above or ''}"):
            return None
        return Violation(
            found=key, expected=f"una clave vigente de {catalog.rpartition(':')[2]} {of} {above or '(ausente)'}"
        )

    return check


colonia_is_of_postal_code: Final = is_key_below("c_Colonia", "Colonia", "CodigoPostal", "del código postal")
"""Colonia, when present, is a key of c_Colonia for CodigoPostal."""


def localidad_is_of_state(catalog: str) -> Predicate:
    """Localidad, when present, is a key of c_Localidad for Estado."""
    return is_key_below(catalog, "Localidad", "Estado", "del estado")


def municipio_is_of_state(catalog: str) -> Predicate:
    """Municipio, when present, is a key of c_Municipio for Estado."""
    return is_key_below(catalog, "Municipio", "Estado", "del estado")


def estado_is_of_country(catalog: str) -> Predicate:
    """Estado is a key of c_Estado for Pais."""

    return lambda domicilio, ctx: _state_of(domicilio, ctx, catalog, domicilio.Pais)


def estado_is_of_mexico(catalog: str) -> Predicate:
    """Estado is a key of c_Estado for Mexico, whatever Pais is."""

    return lambda domicilio, ctx: _state_of(domicilio, ctx, catalog, MEXICO)


def _state_of(domicilio: Domicilio, ctx: EvaluationContext, catalog: str, country: str | None) -> RuleResult:
    row = ctx.row(catalog, domicilio.Estado or "")
    if row is not None and row["pais"] == country:
        return None
    return Violation(found=domicilio.Estado, expected=f"una clave vigente de c_Estado del país {country}")


def postal_code_is_of_places(domicilio: Domicilio, ctx: EvaluationContext) -> RuleResult:
    """CodigoPostal is a key of c_CodigoPostal for Estado and, when present, Municipio and Localidad."""
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
            where = f"le asigna {name} {assigned}" if assigned else f"no le asigna {name}"
            return Violation(
                found=domicilio.CodigoPostal,
                expected=f"un código postal con {name} {place}",
                hint=f"c_CodigoPostal {where}.",
            )
    return None


def postal_code_has_format_of_country(domicilio: Domicilio, ctx: EvaluationContext) -> RuleResult:
    """CodigoPostal has the format that c_Pais states for Pais; any text passes when c_Pais states none."""
    row = ctx.row("c_Pais", domicilio.Pais or "")
    pattern = row["patron_codigo_postal"] if row is not None else ""
    if not pattern or re.fullmatch(pattern, domicilio.CodigoPostal or ""):
        return None
    return Violation(found=domicilio.CodigoPostal, expected=f"el formato de {domicilio.Pais}: {format_phrase(pattern)}")
