"""Keys of locations, goods and figures that the SAT's schema enumerates, without a code of their own: CP999."""

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
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cartaporte31.sources import SCHEMA
from timbra.rules.shared.predicates import in_catalog

POLES: Final = {
    name: in_catalog("cartaporte31:c_RegistroISTMO", name) for name in ("UbicacionPoloOrigen", "UbicacionPoloDestino")
}
"""By attribute: the predicate of its key."""


@rule(
    "CP999:UbicacionPolo",
    at="Complemento/CartaPorte",
    says="UbicacionPoloOrigen y UbicacionPoloDestino deben ser claves vigentes de c_RegistroISTMO.",
    cites=SCHEMA,
)
def poles_are_keys(carta: CartaPorte, ctx: EvaluationContext) -> RuleResult:
    for name, check in POLES.items():
        result = check(carta, ctx)
        if isinstance(result, Violation):
            return Violation(found=result.found, expected=result.expected, at=f"@{name}")
    return None


CP999_Ubicacion_Pais = row(
    "CP999:Ubicacion-Pais",
    DomicilioUbicacion,
    at="Complemento/CartaPorte/Ubicaciones/Ubicacion/Domicilio/@Pais",
    says="Pais del domicilio de la ubicación debe ser una clave vigente de c_Pais.",
    check=in_catalog("c_Pais", "Pais"),
    cites=SCHEMA,
)


CP999_UnidadPeso = row(
    "CP999:UnidadPeso",
    Mercancias,
    at="Complemento/CartaPorte/Mercancias/@UnidadPeso",
    says="UnidadPeso debe ser una clave vigente de c_ClaveUnidadPeso.",
    check=in_catalog("cartaporte31:c_ClaveUnidadPeso", "UnidadPeso"),
    cites=SCHEMA,
)


CP999_BienesTransp = row(
    "CP999:BienesTransp",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia/@BienesTransp",
    says="BienesTransp debe ser una clave vigente de c_ClaveProdServCP.",
    check=in_catalog("cartaporte31:c_ClaveProdServCP", "BienesTransp"),
    cites=SCHEMA,
)


CP999_ClaveUnidad = row(
    "CP999:ClaveUnidad",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia/@ClaveUnidad",
    says="ClaveUnidad de la mercancía debe ser una clave vigente de c_ClaveUnidad.",
    check=in_catalog("c_ClaveUnidad", "ClaveUnidad"),
    cites=SCHEMA,
)


CP999_FormaFarmaceutica = row(
    "CP999:FormaFarmaceutica",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia/@FormaFarmaceutica",
    says="FormaFarmaceutica debe ser una clave vigente de c_FormaFarmaceutica.",
    check=in_catalog("cartaporte31:c_FormaFarmaceutica", "FormaFarmaceutica"),
    cites=SCHEMA,
)


CP999_CondicionesEspTransp = row(
    "CP999:CondicionesEspTransp",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia/@CondicionesEspTransp",
    says="CondicionesEspTransp debe ser una clave vigente de c_CondicionesEspeciales.",
    check=in_catalog("cartaporte31:c_CondicionesEspeciales", "CondicionesEspTransp"),
    cites=SCHEMA,
)


CP999_Moneda = row(
    "CP999:Moneda",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia/@Moneda",
    says="Moneda de la mercancía debe ser una clave vigente de c_Moneda.",
    check=in_catalog("c_Moneda", "Moneda"),
    cites=SCHEMA,
)


CP999_FraccionArancelaria = row(
    "CP999:FraccionArancelaria",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia/@FraccionArancelaria",
    says="FraccionArancelaria de la mercancía debe ser una clave vigente de c_FraccionArancelaria.",
    check=in_catalog("comercioexterior20:c_FraccionArancelaria", "FraccionArancelaria"),
    cites=SCHEMA,
)


CP999_TipoDocumento = row(
    "CP999:TipoDocumento",
    DocumentacionAduanera,
    at="Complemento/CartaPorte/Mercancias/Mercancia/DocumentacionAduanera/@TipoDocumento",
    says="TipoDocumento debe ser una clave vigente de c_DocumentoAduanero.",
    check=in_catalog("cartaporte31:c_DocumentoAduanero", "TipoDocumento"),
    cites=SCHEMA,
)


CP999_UnidadPesoMerc = row(
    "CP999:UnidadPesoMerc",
    DetalleMercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia/DetalleMercancia/@UnidadPesoMerc",
    says="UnidadPesoMerc debe ser una clave vigente de c_ClaveUnidadPeso.",
    check=in_catalog("cartaporte31:c_ClaveUnidadPeso", "UnidadPesoMerc"),
    cites=SCHEMA,
)


CP999_TipoFigura = row(
    "CP999:TipoFigura",
    TiposFigura,
    at="Complemento/CartaPorte/FiguraTransporte/TiposFigura/@TipoFigura",
    says="TipoFigura debe ser una clave vigente de c_FiguraTransporte.",
    check=in_catalog("cartaporte31:c_FiguraTransporte", "TipoFigura"),
    cites=SCHEMA,
)


CP999_ParteTransporte = row(
    "CP999:ParteTransporte",
    PartesTransporte,
    at="Complemento/CartaPorte/FiguraTransporte/TiposFigura/PartesTransporte/@ParteTransporte",
    says="ParteTransporte debe ser una clave vigente de c_ParteTransporte.",
    check=in_catalog("cartaporte31:c_ParteTransporte", "ParteTransporte"),
    cites=SCHEMA,
)


CP999_TiposFigura_Pais = row(
    "CP999:TiposFigura-Pais",
    DomicilioFigura,
    at="Complemento/CartaPorte/FiguraTransporte/TiposFigura/Domicilio/@Pais",
    says="Pais del domicilio de la figura debe ser una clave vigente de c_Pais.",
    check=in_catalog("c_Pais", "Pais"),
    cites=SCHEMA,
)
