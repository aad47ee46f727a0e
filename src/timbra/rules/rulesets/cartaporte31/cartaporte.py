"""The complement itself: CP112 to CP116, CP119 to CP127."""

from __future__ import annotations

from datetime import date
from typing import Final

from lxml import etree

from timbra.cfdi.nodes.cartaporte31 import TAG, VERSION, CartaPorte
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cartaporte31.envio import YES, envio_of, is_by_land, is_domestic, is_international
from timbra.rules.shared.predicates import COMERCIO_EXTERIOR, absent, is_absent
from timbra.rules.shared.presence import (
    element_name,
    is_present,
    is_present_exactly_if,
    is_present_key,
    present,
    present_exactly_if,
)

DOMESTIC: Final = "por TranspInternac No"
COMPATIBLE: Final = frozenset(
    {
        TAG,
        *COMERCIO_EXTERIOR,
        "{http://www.sat.gob.mx/TimbreFiscalDigital}TimbreFiscalDigital",
        "{http://www.sat.gob.mx/pfic}PFintegranteCoordinado",
        "{http://www.sat.gob.mx/implocal}ImpuestosLocales",
        "{http://www.sat.gob.mx/leyendasFiscales}LeyendasFiscales",
    }
)
"""Complements that a document with Carta Porte may have."""
HYDROCARBONS: Final = "{http://www.sat.gob.mx/hidrocarburospetroliferos}HidroYPetro"
HYDROCARBONS_SINCE: Final = date(2026, 4, 1)
"""First day on which a document with Carta Porte may have HidroYPetro too."""


def is_first(carta: CartaPorte, _ctx: EvaluationContext) -> bool:
    return carta.complement[1] <= 1


def has_total(carta: CartaPorte, _ctx: EvaluationContext) -> bool:
    return carta.TotalDistRec is not None


@rule(
    "CP112",
    at="Complemento/CartaPorte",
    says="Debe haber un solo nodo CartaPorte en el Complemento del comprobante.",
)
def is_only_node_of_complement(carta: CartaPorte, _ctx: EvaluationContext) -> RuleResult:
    copy = carta.complement[1]
    return Violation(found=f"CartaPorte[{copy}]", expected="un solo nodo CartaPorte") if copy > 1 else None


@rule(
    "CP113",
    at="Complemento/CartaPorte",
    says="Carta Porte solo puede coexistir con los complementos que su estándar permite.",
    note="Los complementos de un concepto no se limitan.",
    applies=is_first,
)
def has_only_compatible_complements(_carta: CartaPorte, ctx: EvaluationContext) -> RuleResult:
    allowed = COMPATIBLE | {HYDROCARBONS} if ctx.on >= HYDROCARBONS_SINCE else COMPATIBLE
    others = [element for element in ctx.comprobante.complementos if element.tag not in allowed]
    if not others:
        return None
    names = ", ".join(sorted({etree.QName(element).localname for element in others}))
    return Violation(found=names, expected="ningún complemento que no pueda coexistir con Carta Porte")


@rule(
    "CP114",
    at="Complemento/CartaPorte",
    says="El complemento Carta Porte solo va en comprobantes de tipo I o T.",
)
def is_in_document_of_type_i_or_t(_carta: CartaPorte, ctx: EvaluationContext) -> RuleResult:
    tipo = ctx.comprobante.TipoDeComprobante
    return None if tipo in ("I", "T") else Violation(found=f"tipo {tipo}", expected="un comprobante de tipo I o T")


@rule(
    "CP115",
    at="Complemento/CartaPorte/@Version",
    says="La versión del complemento Carta Porte debe ser 3.1.",
)
def has_version_3_1(carta: CartaPorte, _ctx: EvaluationContext) -> RuleResult:
    return None if carta.Version == VERSION else Violation(found=carta.Version, expected=VERSION)


@rule(
    "CP116",
    at="Complemento/CartaPorte/RegimenesAduaneros",
    says="RegimenesAduaneros debe existir con TranspInternac Sí y no debe existir con No.",
    note="El estándar permite el nodo y la matriz lo exige; se sigue la matriz.",
)
def has_customs_regimes_exactly_when_international(carta: CartaPorte, ctx: EvaluationContext) -> RuleResult:
    found = element_name(carta.has_regimenes, "RegimenesAduaneros")
    if is_international(carta, ctx):
        return present(found, "el nodo, por TranspInternac Sí")
    return absent(found, DOMESTIC) if is_domestic(carta, ctx) else None


CP119 = row(
    "CP119",
    CartaPorte,
    at="Complemento/CartaPorte/@EntradaSalidaMerc",
    says="Con TranspInternac Sí debe existir EntradaSalidaMerc.",
    check=is_present("EntradaSalidaMerc", "Entrada o Salida, por TranspInternac Sí"),
    applies=is_international,
)


CP120 = row(
    "CP120",
    CartaPorte,
    at="Complemento/CartaPorte/@EntradaSalidaMerc",
    says="Con TranspInternac No, EntradaSalidaMerc no debe existir.",
    check=is_absent("EntradaSalidaMerc", DOMESTIC),
    applies=is_domestic,
)


CP121 = row(
    "CP121",
    CartaPorte,
    at="Complemento/CartaPorte/@PaisOrigenDestino",
    says="Con TranspInternac Sí, PaisOrigenDestino debe ser una clave vigente de c_Pais.",
    check=is_present_key("c_Pais", "PaisOrigenDestino", "una clave de c_Pais, por TranspInternac Sí"),
    applies=is_international,
)


CP122 = row(
    "CP122",
    CartaPorte,
    at="Complemento/CartaPorte/@PaisOrigenDestino",
    says="Con TranspInternac No, PaisOrigenDestino no debe existir.",
    check=is_absent("PaisOrigenDestino", DOMESTIC),
    applies=is_domestic,
)


CP123 = row(
    "CP123",
    CartaPorte,
    at="Complemento/CartaPorte/@ViaEntradaSalida",
    says="Con TranspInternac Sí, ViaEntradaSalida debe ser una clave vigente de c_CveTransporte.",
    check=is_present_key(
        "cartaporte31:c_CveTransporte", "ViaEntradaSalida", "una clave de c_CveTransporte, por TranspInternac Sí"
    ),
    applies=is_international,
)


CP124 = row(
    "CP124",
    CartaPorte,
    at="Complemento/CartaPorte/@ViaEntradaSalida",
    says="Con TranspInternac No, ViaEntradaSalida no debe existir.",
    check=is_absent("ViaEntradaSalida", DOMESTIC),
    applies=is_domestic,
)


CP125 = row(
    "CP125",
    CartaPorte,
    at="Complemento/CartaPorte/@TotalDistRec",
    says="TotalDistRec debe existir solo con Autotransporte o TransporteFerroviario.",
    check=is_present_exactly_if(
        "TotalDistRec",
        is_by_land,
        expected="la distancia total, por Autotransporte o TransporteFerroviario",
        otherwise="sin Autotransporte ni TransporteFerroviario",
    ),
)


@rule(
    "CP126",
    at="Complemento/CartaPorte/@TotalDistRec",
    says="TotalDistRec debe ser la suma de DistanciaRecorrida de los destinos.",
    applies=has_total,
)
def total_distance_equals_sum_of_destinations(carta: CartaPorte, ctx: EvaluationContext) -> RuleResult:
    total = envio_of(carta, ctx).distance
    if carta.total == total:
        return None
    return Violation(found=carta.TotalDistRec, expected=f"{total:f}, de la suma de DistanciaRecorrida de los destinos")


@rule(
    "CP127",
    at="Complemento/CartaPorte/@RegistroISTMO",
    says="UbicacionPoloOrigen y UbicacionPoloDestino deben existir solo con RegistroISTMO Sí.",
)
def has_poles_exactly_with_registro_istmo(carta: CartaPorte, _ctx: EvaluationContext) -> RuleResult:
    for name in ("UbicacionPoloOrigen", "UbicacionPoloDestino"):
        found = getattr(carta, name)
        result = present_exactly_if(
            carta.RegistroISTMO == YES, found, f"{name}, por RegistroISTMO Sí", "sin RegistroISTMO"
        )
        if isinstance(result, Violation):
            return Violation(found=result.found, expected=result.expected, at=f"@{name}")
    return None
