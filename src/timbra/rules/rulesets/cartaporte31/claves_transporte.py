"""Keys of the means of transport that the SAT's schema enumerates, without a code of their own: CP999."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import (
    Autotransporte,
    Carro,
    Contenedor,
    ContenedorMaritimo,
    DerechosDePaso,
    Remolque,
    RemolqueCCP,
    TransporteAereo,
    TransporteFerroviario,
    TransporteMaritimo,
)
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.cartaporte31.sources import SCHEMA
from timbra.rules.shared.predicates import in_catalog


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
