"""Addresses of places and of those who take part: CP143 to CP147, CP200 to CP204."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import DomicilioFigura, DomicilioUbicacion
from timbra.rules.case import Case
from timbra.rules.domicilio import (
    READS,
    codigo_postal_holds,
    colonia_holds,
    estado_holds,
    has_states,
    in_mexico,
    localidad_holds,
    municipio_holds,
)
from timbra.rules.finding import Verdict
from timbra.rules.rule import rule

UBICACION = "Complemento/CartaPorte/Ubicaciones/Ubicacion/Domicilio"
FIGURA = "Complemento/CartaPorte/FiguraTransporte/TiposFigura/Domicilio"
ESTADOS, MUNICIPIOS, LOCALIDADES = "c_Estado", "cartaporte31:c_Municipio", "cartaporte31:c_Localidad"


@rule("CP143", at=f"{UBICACION}/@Colonia", reads=READS)
def colonia_is_at_its_postal_code(domicilio: DomicilioUbicacion, case: Case) -> Verdict:
    return colonia_holds(domicilio, case) if in_mexico(domicilio, case) else None


@rule("CP144", at=f"{UBICACION}/@Localidad", reads=READS, inseparable=("CP147",))
def localidad_is_in_its_state(domicilio: DomicilioUbicacion, case: Case) -> Verdict:
    return localidad_holds(domicilio, case, LOCALIDADES) if in_mexico(domicilio, case) else None


@rule("CP145", at=f"{UBICACION}/@Municipio", reads=READS, inseparable=("CP147",))
def municipio_is_in_its_state(domicilio: DomicilioUbicacion, case: Case) -> Verdict:
    return municipio_holds(domicilio, case, MUNICIPIOS) if in_mexico(domicilio, case) else None


@rule("CP146", at=f"{UBICACION}/@Estado", reads=READS)
def estado_is_in_its_country(domicilio: DomicilioUbicacion, case: Case) -> Verdict:
    return estado_holds(domicilio, case, ESTADOS) if has_states(domicilio, case) else None


@rule("CP147", at=f"{UBICACION}/@CodigoPostal", reads=READS)
def postal_code_is_at_its_place(domicilio: DomicilioUbicacion, case: Case) -> Verdict:
    return codigo_postal_holds(domicilio, case) if in_mexico(domicilio, case) else None


@rule("CP200", at=f"{FIGURA}/@Colonia", reads=READS)
def colonia_of_figure_is_at_its_postal_code(domicilio: DomicilioFigura, case: Case) -> Verdict:
    return colonia_holds(domicilio, case) if in_mexico(domicilio, case) else None


@rule("CP201", at=f"{FIGURA}/@Localidad", reads=READS, inseparable=("CP204",))
def localidad_of_figure_is_in_its_state(domicilio: DomicilioFigura, case: Case) -> Verdict:
    return localidad_holds(domicilio, case, LOCALIDADES) if in_mexico(domicilio, case) else None


@rule("CP202", at=f"{FIGURA}/@Municipio", reads=READS, inseparable=("CP204",))
def municipio_of_figure_is_in_its_state(domicilio: DomicilioFigura, case: Case) -> Verdict:
    return municipio_holds(domicilio, case, MUNICIPIOS) if in_mexico(domicilio, case) else None


@rule("CP203", at=f"{FIGURA}/@Estado", reads=READS)
def estado_of_figure_is_in_its_country(domicilio: DomicilioFigura, case: Case) -> Verdict:
    return estado_holds(domicilio, case, ESTADOS) if has_states(domicilio, case) else None


@rule("CP204", at=f"{FIGURA}/@CodigoPostal", reads=READS)
def postal_code_of_figure_is_at_its_place(domicilio: DomicilioFigura, case: Case) -> Verdict:
    return codigo_postal_holds(domicilio, case) if in_mexico(domicilio, case) else None
