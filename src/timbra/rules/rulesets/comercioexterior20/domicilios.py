"""Addresses of receivers and destinations: free text abroad, keys of SAT's catalogs at home."""

from __future__ import annotations

import re
from typing import Final

from timbra.cfdi.nodes.domicilio import Domicilio
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.shared import addresses as address

ESTADO: Final = "comercioexterior20:c_Estado"
MUNICIPIO: Final = "comercioexterior20:c_Municipio"
LOCALIDAD: Final = "comercioexterior20:c_Localidad"
_KEY: Final = re.compile(r"[0-9]{4}")


def colonia(domicilio: Domicilio, ctx: EvaluationContext) -> RuleResult:
    """In Mexico four digits are a key of c_Colonia; any other text is a name."""
    key = domicilio.Colonia is not None and _KEY.fullmatch(domicilio.Colonia)
    return address.colonia_holds(domicilio, ctx) if key and address.in_mexico(domicilio, ctx) else None


def localidad(domicilio: Domicilio, ctx: EvaluationContext) -> RuleResult:
    return address.localidad_holds(domicilio, ctx, LOCALIDAD) if address.in_mexico(domicilio, ctx) else None


def municipio(domicilio: Domicilio, ctx: EvaluationContext) -> RuleResult:
    return address.municipio_holds(domicilio, ctx, MUNICIPIO) if address.in_mexico(domicilio, ctx) else None


def estado(domicilio: Domicilio, ctx: EvaluationContext) -> RuleResult:
    return address.estado_holds(domicilio, ctx, ESTADO) if address.has_states(domicilio, ctx) else None


def foreign_codigo_postal(domicilio: Domicilio, ctx: EvaluationContext) -> RuleResult:
    return None if address.in_mexico(domicilio, ctx) else address.foreign_codigo_postal_holds(domicilio, ctx)


def codigo_postal(domicilio: Domicilio, ctx: EvaluationContext) -> RuleResult:
    return address.codigo_postal_holds(domicilio, ctx) if address.in_mexico(domicilio, ctx) else None
