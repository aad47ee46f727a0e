"""The complement itself: CP112 to CP116, CP119 to CP127."""

from __future__ import annotations

from datetime import date
from typing import Final

from lxml import etree

from timbra.cfdi.nodes.cartaporte31 import TAG, VERSION, CartaPorte
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.cartaporte31.envio import YES, envio_of
from timbra.rules.rulesets.cartaporte31.verdicts import STANDARD, exactly_when, named, needed
from timbra.rules.shared.conditions import COMERCIO_EXTERIOR, absent, key_of

AT: Final = "Complemento/CartaPorte"
DOMESTIC: Final = "por TranspInternac No"
COMPANIONS: Final = frozenset(
    {
        TAG,
        *COMERCIO_EXTERIOR,
        "{http://www.sat.gob.mx/TimbreFiscalDigital}TimbreFiscalDigital",
        "{http://www.sat.gob.mx/pfic}PFintegranteCoordinado",
        "{http://www.sat.gob.mx/implocal}ImpuestosLocales",
        "{http://www.sat.gob.mx/leyendasFiscales}LeyendasFiscales",
    }
)
"""What may stand beside the complement."""
HYDROCARBONS: Final = "{http://www.sat.gob.mx/hidrocarburospetroliferos}HidroYPetro"
WITH_HYDROCARBONS: Final = date(2026, 4, 1)
"""Since then they may stand beside it, too."""


def is_first(carta: CartaPorte, _ctx: EvaluationContext) -> bool:
    return carta.complement[1] <= 1


def is_international(carta: CartaPorte, ctx: EvaluationContext) -> bool:
    return envio_of(carta, ctx).is_international


def is_domestic(carta: CartaPorte, ctx: EvaluationContext) -> bool:
    return envio_of(carta, ctx).is_domestic


def has_total(carta: CartaPorte, _ctx: EvaluationContext) -> bool:
    return carta.TotalDistRec is not None


@rule("CP112", at=AT)
def complement_stands_once(carta: CartaPorte, _ctx: EvaluationContext) -> RuleResult:
    copy = carta.complement[1]
    return Violation(found=f"CartaPorte[{copy}]", expected="un solo nodo CartaPorte") if copy > 1 else None


@rule("CP113", at=AT, applies=is_first)
def complement_stands_beside_few(_carta: CartaPorte, ctx: EvaluationContext) -> RuleResult:
    """Complements inside a Concepto are free."""
    allowed = COMPANIONS | {HYDROCARBONS} if ctx.on >= WITH_HYDROCARBONS else COMPANIONS
    others = [element for element in ctx.comprobante.complementos if element.tag not in allowed]
    if not others:
        return None
    names = ", ".join(sorted({etree.QName(element).localname for element in others}))
    return Violation(found=names, expected="ningún complemento que no pueda coexistir con Carta Porte")


@rule("CP114", at=AT)
def complement_is_of_freight_or_transfer(_carta: CartaPorte, ctx: EvaluationContext) -> RuleResult:
    tipo = ctx.comprobante.TipoDeComprobante
    return None if tipo in ("I", "T") else Violation(found=f"tipo {tipo}", expected="un comprobante de tipo I o T")


@rule("CP115", at=f"{AT}/@Version")
def complement_is_of_version_3_1(carta: CartaPorte, _ctx: EvaluationContext) -> RuleResult:
    return None if carta.Version == VERSION else Violation(found=carta.Version, expected=VERSION)


@rule("CP116", at=f"{AT}/RegimenesAduaneros")
def customs_regimes_are_of_border_crossings(carta: CartaPorte, ctx: EvaluationContext) -> RuleResult:
    """The matrix demands the node where the standard's text allows it; the matrix is followed."""
    found = named(carta.has_regimenes, "RegimenesAduaneros")
    if is_international(carta, ctx):
        return needed(found, "el nodo, por TranspInternac Sí")
    return absent(found, DOMESTIC) if is_domestic(carta, ctx) else None


@rule("CP119", at=f"{AT}/@EntradaSalidaMerc", applies=is_international)
def crossing_has_its_direction(carta: CartaPorte, _ctx: EvaluationContext) -> RuleResult:
    return needed(carta.EntradaSalidaMerc, "Entrada o Salida, por TranspInternac Sí")


@rule("CP120", at=f"{AT}/@EntradaSalidaMerc", applies=is_domestic)
def domestic_transport_has_no_direction(carta: CartaPorte, _ctx: EvaluationContext) -> RuleResult:
    return absent(carta.EntradaSalidaMerc, DOMESTIC)


@rule("CP121", at=f"{AT}/@PaisOrigenDestino", applies=is_international)
def crossing_has_its_country(carta: CartaPorte, ctx: EvaluationContext) -> RuleResult:
    country = carta.PaisOrigenDestino
    if country is None:
        return Violation(expected="una clave de c_Pais, por TranspInternac Sí")
    return key_of(ctx, "c_Pais", country)


@rule("CP122", at=f"{AT}/@PaisOrigenDestino", applies=is_domestic)
def domestic_transport_has_no_country(carta: CartaPorte, _ctx: EvaluationContext) -> RuleResult:
    return absent(carta.PaisOrigenDestino, DOMESTIC)


@rule("CP123", at=f"{AT}/@ViaEntradaSalida", applies=is_international)
def crossing_has_its_way(carta: CartaPorte, ctx: EvaluationContext) -> RuleResult:
    way = carta.ViaEntradaSalida
    if way is None:
        return Violation(expected="una clave de c_CveTransporte, por TranspInternac Sí")
    return key_of(ctx, f"{STANDARD}:c_CveTransporte", way)


@rule("CP124", at=f"{AT}/@ViaEntradaSalida", applies=is_domestic)
def domestic_transport_has_no_way_across(carta: CartaPorte, _ctx: EvaluationContext) -> RuleResult:
    return absent(carta.ViaEntradaSalida, DOMESTIC)


@rule("CP125", at=f"{AT}/@TotalDistRec")
def distance_is_told_on_land(carta: CartaPorte, ctx: EvaluationContext) -> RuleResult:
    envio = envio_of(carta, ctx)
    return exactly_when(
        envio.by_road or envio.by_rail,
        carta.TotalDistRec,
        "la distancia total, por Autotransporte o TransporteFerroviario",
        "sin Autotransporte ni TransporteFerroviario",
    )


@rule("CP126", at=f"{AT}/@TotalDistRec", applies=has_total)
def distance_is_the_sum(carta: CartaPorte, ctx: EvaluationContext) -> RuleResult:
    total = envio_of(carta, ctx).distance
    if carta.total == total:
        return None
    return Violation(found=carta.TotalDistRec, expected=f"{total:f}, de la suma de DistanciaRecorrida de los destinos")


@rule("CP127", at=f"{AT}/@RegistroISTMO")
def poles_belong_to_the_isthmus(carta: CartaPorte, _ctx: EvaluationContext) -> RuleResult:
    for name in ("UbicacionPoloOrigen", "UbicacionPoloDestino"):
        found = getattr(carta, name)
        result = exactly_when(carta.RegistroISTMO == YES, found, f"{name}, por RegistroISTMO Sí", "sin RegistroISTMO")
        if isinstance(result, Violation):
            return Violation(found=result.found, expected=result.expected, at=f"@{name}")
    return None
