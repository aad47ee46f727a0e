"""Keys of goods, places and those who take part, which SAT's schema lists and no code names: CP999."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.cartaporte31 import (
    CartaPorte,
    DetalleMercancia,
    DocumentacionAduanera,
    DomicilioFigura,
    DomicilioUbicacion,
    Mercancia,
    Mercancias,
    PartesTransporte,
    TiposFigura,
)
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.cartaporte31.verdicts import listed_in, plain_key

AT: Final = "Complemento/CartaPorte"
POLES: Final = ("UbicacionPoloOrigen", "UbicacionPoloDestino")


@rule("CP999:UbicacionPolo", at=AT, reads=POLES)
def poles_are_keys(carta: CartaPorte, ctx: EvaluationContext) -> RuleResult:
    for name in POLES:
        result = listed_in(ctx, "c_RegistroISTMO", getattr(carta, name))
        if isinstance(result, Violation):
            return Violation(found=result.found, expected=result.expected, at=f"@{name}")
    return None


@rule("CP999:Ubicacion-Pais", at=f"{AT}/Ubicaciones/Ubicacion/Domicilio/@Pais", reads=("Pais",))
def country_of_place_is_a_key(domicilio: DomicilioUbicacion, ctx: EvaluationContext) -> RuleResult:
    return plain_key(ctx, "c_Pais", domicilio.Pais)


@rule("CP999:UnidadPeso", at=f"{AT}/Mercancias/@UnidadPeso", reads=("UnidadPeso",))
def unit_of_weight_is_a_key(mercancias: Mercancias, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_ClaveUnidadPeso", mercancias.UnidadPeso)


@rule("CP999:BienesTransp", at=f"{AT}/Mercancias/Mercancia/@BienesTransp", reads=("BienesTransp",))
def goods_are_a_key(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_ClaveProdServCP", mercancia.BienesTransp)


@rule("CP999:ClaveUnidad", at=f"{AT}/Mercancias/Mercancia/@ClaveUnidad", reads=("ClaveUnidad",))
def unit_is_a_key(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    return plain_key(ctx, "c_ClaveUnidad", mercancia.ClaveUnidad)


@rule("CP999:FormaFarmaceutica", at=f"{AT}/Mercancias/Mercancia/@FormaFarmaceutica", reads=("FormaFarmaceutica",))
def form_of_medicine_is_a_key(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_FormaFarmaceutica", mercancia.FormaFarmaceutica)


@rule(
    "CP999:CondicionesEspTransp", at=f"{AT}/Mercancias/Mercancia/@CondicionesEspTransp", reads=("CondicionesEspTransp",)
)
def condition_of_transport_is_a_key(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_CondicionesEspeciales", mercancia.CondicionesEspTransp)


@rule("CP999:Moneda", at=f"{AT}/Mercancias/Mercancia/@Moneda", reads=("Moneda",))
def currency_is_a_key(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    return plain_key(ctx, "c_Moneda", mercancia.Moneda)


@rule("CP999:FraccionArancelaria", at=f"{AT}/Mercancias/Mercancia/@FraccionArancelaria", reads=("FraccionArancelaria",))
def tariff_item_is_a_key(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    return plain_key(ctx, "comercioexterior20:c_FraccionArancelaria", mercancia.FraccionArancelaria)


@rule(
    "CP999:TipoDocumento",
    at=f"{AT}/Mercancias/Mercancia/DocumentacionAduanera/@TipoDocumento",
    reads=("TipoDocumento",),
)
def paper_is_a_key(documento: DocumentacionAduanera, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_DocumentoAduanero", documento.TipoDocumento)


@rule(
    "CP999:UnidadPesoMerc", at=f"{AT}/Mercancias/Mercancia/DetalleMercancia/@UnidadPesoMerc", reads=("UnidadPesoMerc",)
)
def unit_of_weight_of_goods_is_a_key(detalle: DetalleMercancia, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_ClaveUnidadPeso", detalle.UnidadPesoMerc)


@rule("CP999:TipoFigura", at=f"{AT}/FiguraTransporte/TiposFigura/@TipoFigura", reads=("TipoFigura",))
def figure_is_a_key(figura: TiposFigura, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_FiguraTransporte", figura.TipoFigura)


@rule(
    "CP999:ParteTransporte",
    at=f"{AT}/FiguraTransporte/TiposFigura/PartesTransporte/@ParteTransporte",
    reads=("ParteTransporte",),
)
def part_is_a_key(parte: PartesTransporte, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_ParteTransporte", parte.ParteTransporte)


@rule("CP999:TiposFigura-Pais", at=f"{AT}/FiguraTransporte/TiposFigura/Domicilio/@Pais", reads=("Pais",))
def country_of_figure_is_a_key(domicilio: DomicilioFigura, ctx: EvaluationContext) -> RuleResult:
    return plain_key(ctx, "c_Pais", domicilio.Pais)
