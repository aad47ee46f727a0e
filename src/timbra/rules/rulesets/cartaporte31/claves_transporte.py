"""Keys of the ways to move goods, which SAT's schema lists and no code names: CP999."""

from __future__ import annotations

from typing import Final

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
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.cartaporte31.verdicts import listed_in, plain_key

AT: Final = "Complemento/CartaPorte/Mercancias"
SHIPPER: Final = ("NumRegIdTribEmbarc", "ResidenciaFiscalEmbarc")


@rule("CP999:Autotransporte-PermSCT", at=f"{AT}/Autotransporte/@PermSCT", reads=("PermSCT",))
def permit_by_road_is_a_key(auto: Autotransporte, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_TipoPermiso", auto.PermSCT)


@rule(
    "CP999:ConfigVehicular",
    at=f"{AT}/Autotransporte/IdentificacionVehicular/@ConfigVehicular",
    reads=("ConfigVehicular",),
)
def vehicle_is_a_key(auto: Autotransporte, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_ConfigAutotransporte", auto.ConfigVehicular)


@rule("CP999:SubTipoRem", at=f"{AT}/Autotransporte/Remolques/Remolque/@SubTipoRem", reads=("SubTipoRem",))
def trailer_is_a_key(remolque: Remolque, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_SubTipoRem", remolque.SubTipoRem)


@rule("CP999:TransporteMaritimo-PermSCT", at=f"{AT}/TransporteMaritimo/@PermSCT", reads=("PermSCT",))
def permit_by_sea_is_a_key(maritimo: TransporteMaritimo, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_TipoPermiso", maritimo.PermSCT)


@rule("CP999:TipoEmbarcacion", at=f"{AT}/TransporteMaritimo/@TipoEmbarcacion", reads=("TipoEmbarcacion",))
def ship_is_a_key(maritimo: TransporteMaritimo, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_ConfigMaritima", maritimo.TipoEmbarcacion)


@rule("CP999:NacionalidadEmbarc", at=f"{AT}/TransporteMaritimo/@NacionalidadEmbarc", reads=("NacionalidadEmbarc",))
def flag_is_a_key(maritimo: TransporteMaritimo, ctx: EvaluationContext) -> RuleResult:
    return plain_key(ctx, "c_Pais", maritimo.NacionalidadEmbarc)


@rule("CP999:TipoCarga", at=f"{AT}/TransporteMaritimo/@TipoCarga", reads=("TipoCarga",))
def cargo_is_a_key(maritimo: TransporteMaritimo, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_ClaveTipoCarga", maritimo.TipoCarga)


@rule(
    "CP999:NumAutorizacionNaviero",
    at=f"{AT}/TransporteMaritimo/@NumAutorizacionNaviero",
    reads=("NumAutorizacionNaviero",),
)
def authorization_of_agent_is_a_key(maritimo: TransporteMaritimo, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_NumAutorizacionNaviero", maritimo.NumAutorizacionNaviero)


@rule(
    "CP999:TransporteMaritimo-TipoContenedor",
    at=f"{AT}/TransporteMaritimo/Contenedor/@TipoContenedor",
    reads=("TipoContenedor",),
)
def container_at_sea_is_a_key(contenedor: ContenedorMaritimo, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_ContenedorMaritimo", contenedor.TipoContenedor)


@rule(
    "CP999:SubTipoRemCCP",
    at=f"{AT}/TransporteMaritimo/Contenedor/RemolquesCCP/RemolqueCCP/@SubTipoRemCCP",
    reads=("SubTipoRemCCP",),
)
def trailer_on_ferry_is_a_key(remolque: RemolqueCCP, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_SubTipoRem", remolque.SubTipoRemCCP)


@rule("CP999:TransporteAereo-PermSCT", at=f"{AT}/TransporteAereo/@PermSCT", reads=("PermSCT",))
def permit_by_air_is_a_key(aereo: TransporteAereo, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_TipoPermiso", aereo.PermSCT)


@rule("CP999:CodigoTransportista", at=f"{AT}/TransporteAereo/@CodigoTransportista", reads=("CodigoTransportista",))
def airline_is_a_key(aereo: TransporteAereo, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_CodigoTransporteAereo", aereo.CodigoTransportista)


@rule("CP999:ResidenciaFiscalEmbarc", at=f"{AT}/TransporteAereo/@ResidenciaFiscalEmbarc", reads=SHIPPER)
def residence_of_shipper_is_a_key(aereo: TransporteAereo, ctx: EvaluationContext) -> RuleResult:
    """With NumRegIdTribEmbarc it is CP190."""
    return None if aereo.NumRegIdTribEmbarc else plain_key(ctx, "c_Pais", aereo.ResidenciaFiscalEmbarc)


@rule("CP999:TipoDeServicio", at=f"{AT}/TransporteFerroviario/@TipoDeServicio", reads=("TipoDeServicio",))
def service_is_a_key(tren: TransporteFerroviario, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_TipoDeServicio", tren.TipoDeServicio)


@rule("CP999:TipoDeTrafico", at=f"{AT}/TransporteFerroviario/@TipoDeTrafico", reads=("TipoDeTrafico",))
def traffic_is_a_key(tren: TransporteFerroviario, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_TipoDeTrafico", tren.TipoDeTrafico)


@rule(
    "CP999:TipoDerechoDePaso",
    at=f"{AT}/TransporteFerroviario/DerechosDePaso/@TipoDerechoDePaso",
    reads=("TipoDerechoDePaso",),
)
def right_of_way_is_a_key(derecho: DerechosDePaso, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_DerechosDePaso", derecho.TipoDerechoDePaso)


@rule("CP999:TipoCarro", at=f"{AT}/TransporteFerroviario/Carro/@TipoCarro", reads=("TipoCarro",))
def car_is_a_key(carro: Carro, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_TipoCarro", carro.TipoCarro)


@rule(
    "CP999:TransporteFerroviario-TipoContenedor",
    at=f"{AT}/TransporteFerroviario/Carro/Contenedor/@TipoContenedor",
    reads=("TipoContenedor",),
)
def container_on_rails_is_a_key(contenedor: Contenedor, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_Contenedor", contenedor.TipoContenedor)
