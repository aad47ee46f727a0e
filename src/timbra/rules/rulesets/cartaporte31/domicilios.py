"""Addresses of places and of those who take part: CP143 to CP147, CP200 to CP204."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import DomicilioFigura, DomicilioUbicacion
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.shared.addresses import (
    READS,
    codigo_postal_holds,
    colonia_holds,
    estado_holds,
    has_states,
    in_mexico,
    localidad_holds,
    municipio_holds,
)

UBICACION = "Complemento/CartaPorte/Ubicaciones/Ubicacion/Domicilio"
FIGURA = "Complemento/CartaPorte/FiguraTransporte/TiposFigura/Domicilio"
ESTADOS, MUNICIPIOS, LOCALIDADES = "c_Estado", "cartaporte31:c_Municipio", "cartaporte31:c_Localidad"


@rule("CP143", at=f"{UBICACION}/@Colonia", reads=READS)
def colonia_is_at_its_postal_code(domicilio: DomicilioUbicacion, ctx: EvaluationContext) -> RuleResult:
    return colonia_holds(domicilio, ctx) if in_mexico(domicilio, ctx) else None


@rule("CP144", at=f"{UBICACION}/@Localidad", reads=READS, inseparable=("CP147",))
def localidad_is_in_its_state(domicilio: DomicilioUbicacion, ctx: EvaluationContext) -> RuleResult:
    return localidad_holds(domicilio, ctx, LOCALIDADES) if in_mexico(domicilio, ctx) else None


@rule("CP145", at=f"{UBICACION}/@Municipio", reads=READS, inseparable=("CP147",))
def municipio_is_in_its_state(domicilio: DomicilioUbicacion, ctx: EvaluationContext) -> RuleResult:
    return municipio_holds(domicilio, ctx, MUNICIPIOS) if in_mexico(domicilio, ctx) else None


@rule("CP146", at=f"{UBICACION}/@Estado", reads=READS)
def estado_is_in_its_country(domicilio: DomicilioUbicacion, ctx: EvaluationContext) -> RuleResult:
    return estado_holds(domicilio, ctx, ESTADOS) if has_states(domicilio, ctx) else None


@rule("CP147", at=f"{UBICACION}/@CodigoPostal", reads=READS)
def postal_code_is_at_its_place(domicilio: DomicilioUbicacion, ctx: EvaluationContext) -> RuleResult:
    return codigo_postal_holds(domicilio, ctx) if in_mexico(domicilio, ctx) else None


@rule("CP200", at=f"{FIGURA}/@Colonia", reads=READS)
def colonia_of_figure_is_at_its_postal_code(domicilio: DomicilioFigura, ctx: EvaluationContext) -> RuleResult:
    return colonia_holds(domicilio, ctx) if in_mexico(domicilio, ctx) else None


@rule("CP201", at=f"{FIGURA}/@Localidad", reads=READS, inseparable=("CP204",))
def localidad_of_figure_is_in_its_state(domicilio: DomicilioFigura, ctx: EvaluationContext) -> RuleResult:
    return localidad_holds(domicilio, ctx, LOCALIDADES) if in_mexico(domicilio, ctx) else None


@rule("CP202", at=f"{FIGURA}/@Municipio", reads=READS, inseparable=("CP204",))
def municipio_of_figure_is_in_its_state(domicilio: DomicilioFigura, ctx: EvaluationContext) -> RuleResult:
    return municipio_holds(domicilio, ctx, MUNICIPIOS) if in_mexico(domicilio, ctx) else None


@rule("CP203", at=f"{FIGURA}/@Estado", reads=READS)
def estado_of_figure_is_in_its_country(domicilio: DomicilioFigura, ctx: EvaluationContext) -> RuleResult:
    return estado_holds(domicilio, ctx, ESTADOS) if has_states(domicilio, ctx) else None


@rule("CP204", at=f"{FIGURA}/@CodigoPostal", reads=READS)
def postal_code_of_figure_is_at_its_place(domicilio: DomicilioFigura, ctx: EvaluationContext) -> RuleResult:
    return codigo_postal_holds(domicilio, ctx) if in_mexico(domicilio, ctx) else None
