"""Keys that the SAT's schema enumerates, without a code of their own: CP999."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.cartaporte31 import (
    Autotransporte,
    Carro,
    CartaPorte,
    Contenedor,
    ContenedorMaritimo,
    DerechosDePaso,
    DetalleMercancia,
    DocumentacionAduanera,
    DomicilioFigura,
    DomicilioUbicacion,
    Mercancia,
    Mercancias,
    PartesTransporte,
    Remolque,
    RemolqueCCP,
    TiposFigura,
    TransporteAereo,
    TransporteFerroviario,
    TransporteMaritimo,
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


def has_no_foreign_id(aereo: TransporteAereo, _ctx: EvaluationContext) -> bool:
    return not aereo.NumRegIdTribEmbarc


CP999_Autotransporte_PermSCT = row(
    "CP999:Autotransporte-PermSCT",
    Autotransporte,
    at="Complemento/CartaPorte/Mercancias/Autotransporte/@PermSCT",
    says="PermSCT de Autotransporte debe ser una clave vigente de c_TipoPermiso.",
    check=in_catalog("cartaporte31:c_TipoPermiso", "PermSCT"),
    cites=SCHEMA,
)


CP999_ConfigVehicular = row(
    "CP999:ConfigVehicular",
    Autotransporte,
    at="Complemento/CartaPorte/Mercancias/Autotransporte/IdentificacionVehicular/@ConfigVehicular",
    says="ConfigVehicular debe ser una clave vigente de c_ConfigAutotransporte.",
    check=in_catalog("cartaporte31:c_ConfigAutotransporte", "ConfigVehicular"),
    cites=SCHEMA,
)


CP999_SubTipoRem = row(
    "CP999:SubTipoRem",
    Remolque,
    at="Complemento/CartaPorte/Mercancias/Autotransporte/Remolques/Remolque/@SubTipoRem",
    says="SubTipoRem debe ser una clave vigente de c_SubTipoRem.",
    check=in_catalog("cartaporte31:c_SubTipoRem", "SubTipoRem"),
    cites=SCHEMA,
)


CP999_TransporteMaritimo_PermSCT = row(
    "CP999:TransporteMaritimo-PermSCT",
    TransporteMaritimo,
    at="Complemento/CartaPorte/Mercancias/TransporteMaritimo/@PermSCT",
    says="PermSCT de TransporteMaritimo debe ser una clave vigente de c_TipoPermiso.",
    check=in_catalog("cartaporte31:c_TipoPermiso", "PermSCT"),
    cites=SCHEMA,
)


CP999_TipoEmbarcacion = row(
    "CP999:TipoEmbarcacion",
    TransporteMaritimo,
    at="Complemento/CartaPorte/Mercancias/TransporteMaritimo/@TipoEmbarcacion",
    says="TipoEmbarcacion debe ser una clave vigente de c_ConfigMaritima.",
    check=in_catalog("cartaporte31:c_ConfigMaritima", "TipoEmbarcacion"),
    cites=SCHEMA,
)


CP999_NacionalidadEmbarc = row(
    "CP999:NacionalidadEmbarc",
    TransporteMaritimo,
    at="Complemento/CartaPorte/Mercancias/TransporteMaritimo/@NacionalidadEmbarc",
    says="NacionalidadEmbarc debe ser una clave vigente de c_Pais.",
    check=in_catalog("c_Pais", "NacionalidadEmbarc"),
    cites=SCHEMA,
)


CP999_TipoCarga = row(
    "CP999:TipoCarga",
    TransporteMaritimo,
    at="Complemento/CartaPorte/Mercancias/TransporteMaritimo/@TipoCarga",
    says="TipoCarga debe ser una clave vigente de c_ClaveTipoCarga.",
    check=in_catalog("cartaporte31:c_ClaveTipoCarga", "TipoCarga"),
    cites=SCHEMA,
)


CP999_NumAutorizacionNaviero = row(
    "CP999:NumAutorizacionNaviero",
    TransporteMaritimo,
    at="Complemento/CartaPorte/Mercancias/TransporteMaritimo/@NumAutorizacionNaviero",
    says="NumAutorizacionNaviero debe ser una clave vigente de c_NumAutorizacionNaviero.",
    check=in_catalog("cartaporte31:c_NumAutorizacionNaviero", "NumAutorizacionNaviero"),
    cites=SCHEMA,
)


CP999_TransporteMaritimo_TipoContenedor = row(
    "CP999:TransporteMaritimo-TipoContenedor",
    ContenedorMaritimo,
    at="Complemento/CartaPorte/Mercancias/TransporteMaritimo/Contenedor/@TipoContenedor",
    says="TipoContenedor de TransporteMaritimo debe ser una clave vigente de c_ContenedorMaritimo.",
    check=in_catalog("cartaporte31:c_ContenedorMaritimo", "TipoContenedor"),
    cites=SCHEMA,
)


CP999_SubTipoRemCCP = row(
    "CP999:SubTipoRemCCP",
    RemolqueCCP,
    at="Complemento/CartaPorte/Mercancias/TransporteMaritimo/Contenedor/RemolquesCCP/RemolqueCCP/@SubTipoRemCCP",
    says="SubTipoRemCCP debe ser una clave vigente de c_SubTipoRem.",
    check=in_catalog("cartaporte31:c_SubTipoRem", "SubTipoRemCCP"),
    cites=SCHEMA,
)


CP999_TransporteAereo_PermSCT = row(
    "CP999:TransporteAereo-PermSCT",
    TransporteAereo,
    at="Complemento/CartaPorte/Mercancias/TransporteAereo/@PermSCT",
    says="PermSCT de TransporteAereo debe ser una clave vigente de c_TipoPermiso.",
    check=in_catalog("cartaporte31:c_TipoPermiso", "PermSCT"),
    cites=SCHEMA,
)


CP999_CodigoTransportista = row(
    "CP999:CodigoTransportista",
    TransporteAereo,
    at="Complemento/CartaPorte/Mercancias/TransporteAereo/@CodigoTransportista",
    says="CodigoTransportista debe ser una clave vigente de c_CodigoTransporteAereo.",
    check=in_catalog("cartaporte31:c_CodigoTransporteAereo", "CodigoTransportista"),
    cites=SCHEMA,
)


CP999_ResidenciaFiscalEmbarc = row(
    "CP999:ResidenciaFiscalEmbarc",
    TransporteAereo,
    at="Complemento/CartaPorte/Mercancias/TransporteAereo/@ResidenciaFiscalEmbarc",
    says="ResidenciaFiscalEmbarc debe ser una clave vigente de c_Pais.",
    note="Con NumRegIdTribEmbarc se informa CP190.",
    check=in_catalog("c_Pais", "ResidenciaFiscalEmbarc"),
    applies=has_no_foreign_id,
    cites=SCHEMA,
)


CP999_TipoDeServicio = row(
    "CP999:TipoDeServicio",
    TransporteFerroviario,
    at="Complemento/CartaPorte/Mercancias/TransporteFerroviario/@TipoDeServicio",
    says="TipoDeServicio debe ser una clave vigente de c_TipoDeServicio.",
    check=in_catalog("cartaporte31:c_TipoDeServicio", "TipoDeServicio"),
    cites=SCHEMA,
)


CP999_TipoDeTrafico = row(
    "CP999:TipoDeTrafico",
    TransporteFerroviario,
    at="Complemento/CartaPorte/Mercancias/TransporteFerroviario/@TipoDeTrafico",
    says="TipoDeTrafico debe ser una clave vigente de c_TipoDeTrafico.",
    check=in_catalog("cartaporte31:c_TipoDeTrafico", "TipoDeTrafico"),
    cites=SCHEMA,
)


CP999_TipoDerechoDePaso = row(
    "CP999:TipoDerechoDePaso",
    DerechosDePaso,
    at="Complemento/CartaPorte/Mercancias/TransporteFerroviario/DerechosDePaso/@TipoDerechoDePaso",
    says="TipoDerechoDePaso debe ser una clave vigente de c_DerechosDePaso.",
    check=in_catalog("cartaporte31:c_DerechosDePaso", "TipoDerechoDePaso"),
    cites=SCHEMA,
)


CP999_TipoCarro = row(
    "CP999:TipoCarro",
    Carro,
    at="Complemento/CartaPorte/Mercancias/TransporteFerroviario/Carro/@TipoCarro",
    says="TipoCarro debe ser una clave vigente de c_TipoCarro.",
    check=in_catalog("cartaporte31:c_TipoCarro", "TipoCarro"),
    cites=SCHEMA,
)


CP999_TransporteFerroviario_TipoContenedor = row(
    "CP999:TransporteFerroviario-TipoContenedor",
    Contenedor,
    at="Complemento/CartaPorte/Mercancias/TransporteFerroviario/Carro/Contenedor/@TipoContenedor",
    says="TipoContenedor de TransporteFerroviario debe ser una clave vigente de c_Contenedor.",
    check=in_catalog("cartaporte31:c_Contenedor", "TipoContenedor"),
    cites=SCHEMA,
)
