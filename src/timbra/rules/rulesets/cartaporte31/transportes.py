"""Means of transport by road, sea, air and rail: CP182 to CP192."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.cartaporte31 import (
    Autotransporte,
    Carro,
    ContenedorMaritimo,
    TransporteAereo,
    TransporteMaritimo,
)
from timbra.core.money import half_up
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cartaporte31.envio import envio_of, has_dangerous_goods
from timbra.rules.rulesets.cartaporte31.predicates import TAXPAYERS, is_foreign_country_exactly_with
from timbra.rules.shared.addresses import MEXICO
from timbra.rules.shared.predicates import absent, is_registered
from timbra.rules.shared.presence import (
    element_name,
    is_absent_unless,
    is_present_exactly_if,
    present,
    present_exactly_if,
)

VEHICLES: Final = "cartaporte31:c_ConfigAutotransporte"
FERRY: Final = "CM011"
OF_CONTAINERS: Final = ("MatriculaContenedor", "NumPrecinto")
OF_FERRIES: Final = ("IdCCPRelacionado", "PlacaVMCCP", "FechaCertificacionCCP")
SERVICES: Final = "cartaporte31:c_TipoDeServicio"
KILOGRAMS: Final = Decimal(1000)
"""Kilograms of a ton."""
DECIMALS: Final = 3
"""Decimals of ToneladasNetasCarro in the SAT's schema."""


def has_environmental_insurer(auto: Autotransporte, _ctx: EvaluationContext) -> bool:
    return auto.AseguraMedAmbiente is not None


CP182 = row(
    "CP182",
    Autotransporte,
    at="Complemento/CartaPorte/Mercancias/Autotransporte/Seguros/@AseguraMedAmbiente",
    says="AseguraMedAmbiente debe existir solo si alguna mercancía es material peligroso.",
    check=is_present_exactly_if(
        "AseguraMedAmbiente",
        has_dangerous_goods,
        expected="la aseguradora de daños al medio ambiente, por MaterialPeligroso Sí",
        otherwise="sin mercancías con MaterialPeligroso Sí",
    ),
)


CP183 = row(
    "CP183",
    Autotransporte,
    at="Complemento/CartaPorte/Mercancias/Autotransporte/Seguros/@PolizaMedAmbiente",
    says="PolizaMedAmbiente debe existir solo con AseguraMedAmbiente.",
    check=is_present_exactly_if(
        "PolizaMedAmbiente",
        has_environmental_insurer,
        expected="la póliza de AseguraMedAmbiente",
        otherwise="sin AseguraMedAmbiente",
    ),
)


@rule(
    "CP184",
    at="Complemento/CartaPorte/Mercancias/Autotransporte/Remolques",
    says="Remolques debe corresponder a lo que c_ConfigAutotransporte indica para ConfigVehicular.",
    note="1: obligatorio; 0: prohibido; 0,1: opcional.",
    columns=((VEHICLES, "remolque"),),
)
def has_trailers_as_vehicle_requires(auto: Autotransporte, ctx: EvaluationContext) -> RuleResult:
    row = ctx.row(VEHICLES, auto.ConfigVehicular)
    trailers = row["remolque"] if row is not None else ""
    found, why = element_name(auto.has_remolques, "Remolques"), f"ConfigVehicular {auto.ConfigVehicular}"
    if trailers == "1":
        return present(found, f"el nodo, por {why}")
    return absent(found, f"con {why}") if trailers == "0" else None


def is_foreign_ship(maritimo: TransporteMaritimo, _ctx: EvaluationContext) -> bool:
    return maritimo.NacionalidadEmbarc != MEXICO


def is_ferry(contenedor: ContenedorMaritimo, _ctx: EvaluationContext) -> bool:
    return contenedor.TipoContenedor == FERRY


CP185 = row(
    "CP185",
    TransporteMaritimo,
    at="Complemento/CartaPorte/Mercancias/TransporteMaritimo/@PermisoTempNavegacion",
    says="PermisoTempNavegacion debe existir solo si NacionalidadEmbarc no es MEX.",
    check=is_present_exactly_if(
        "PermisoTempNavegacion",
        is_foreign_ship,
        expected="el permiso, por NacionalidadEmbarc {node.NacionalidadEmbarc}",
        otherwise="por NacionalidadEmbarc MEX",
    ),
)


@rule(
    "CP186",
    at="Complemento/CartaPorte/Mercancias/TransporteMaritimo/Contenedor/@TipoContenedor",
    says="El contenedor debe llevar los datos que corresponden a su TipoContenedor, y no los otros.",
    note=("Un transbordador lleva vehículos con sus propios datos; los demás llevan contenedores sellados."),
)
def has_attributes_of_container_type(contenedor: ContenedorMaritimo, _ctx: EvaluationContext) -> RuleResult:
    ferry, tipo = contenedor.TipoContenedor == FERRY, contenedor.TipoContenedor
    for names, condition in ((OF_CONTAINERS, not ferry), (OF_FERRIES, ferry)):
        for name in names:
            found = getattr(contenedor, name)
            result = present_exactly_if(
                condition, found, f"{name}, por TipoContenedor {tipo}", f"con TipoContenedor {tipo}"
            )
            if isinstance(result, Violation):
                return Violation(found=found, expected=result.expected, at=f"@{name}")
    return None


CP187 = row(
    "CP187",
    ContenedorMaritimo,
    at="Complemento/CartaPorte/Mercancias/TransporteMaritimo/Contenedor/RemolquesCCP",
    says="RemolquesCCP solo puede existir con TipoContenedor CM011.",
    check=is_absent_unless("has_remolques", is_ferry, f"sin TipoContenedor {FERRY}", element="RemolquesCCP"),
)


def has_rfc(aereo: TransporteAereo, _ctx: EvaluationContext) -> bool:
    return aereo.RFCEmbarcador is not None


def has_no_rfc(aereo: TransporteAereo, _ctx: EvaluationContext) -> bool:
    return aereo.RFCEmbarcador is None


def has_foreign_id(aereo: TransporteAereo, _ctx: EvaluationContext) -> bool:
    return aereo.NumRegIdTribEmbarc is not None


CP188 = row(
    "CP188",
    TransporteAereo,
    at="Complemento/CartaPorte/Mercancias/TransporteAereo/@RFCEmbarcador",
    says="RFCEmbarcador debe estar en la lista de RFC inscritos y no cancelados.",
    check=is_registered("RFCEmbarcador"),
    applies=has_rfc,
    needs=TAXPAYERS,
)


CP189 = row(
    "CP189",
    TransporteAereo,
    at="Complemento/CartaPorte/Mercancias/TransporteAereo/@NumRegIdTribEmbarc",
    says="NumRegIdTribEmbarc debe existir solo sin RFCEmbarcador.",
    check=is_present_exactly_if(
        "NumRegIdTribEmbarc",
        has_no_rfc,
        expected="el registro tributario del embarcador, sin RFCEmbarcador",
        otherwise="con RFCEmbarcador",
    ),
)


CP190 = row(
    "CP190",
    TransporteAereo,
    at="Complemento/CartaPorte/Mercancias/TransporteAereo/@ResidenciaFiscalEmbarc",
    says="Con NumRegIdTribEmbarc, ResidenciaFiscalEmbarc debe ser un país distinto de MEX.",
    check=is_foreign_country_exactly_with("ResidenciaFiscalEmbarc", "NumRegIdTribEmbarc"),
    applies=has_foreign_id,
)


@rule(
    "CP191",
    at="Complemento/CartaPorte/Mercancias/TransporteFerroviario/Carro/@ToneladasNetasCarro",
    says="ToneladasNetasCarro debe ser la suma de PesoNetoMercancia de sus contenedores, en toneladas.",
)
def net_tons_equal_sum_of_containers(carro: Carro, _ctx: EvaluationContext) -> RuleResult:
    if not carro.contenedores:
        return None
    total = half_up(sum([row.neto for row in carro.contenedores], ZERO) / KILOGRAMS, DECIMALS)
    if carro.toneladas == total:
        return None
    expected = f"{total:f}, la suma de PesoNetoMercancia de los contenedores entre 1000"
    return Violation(found=carro.ToneladasNetasCarro, expected=expected)


@rule(
    "CP192",
    at="Complemento/CartaPorte/Mercancias/TransporteFerroviario/Carro/Contenedor",
    says="El carro debe llevar Contenedor solo si c_TipoDeServicio lo indica.",
    columns=((SERVICES, "contenedor"),),
)
def has_containers_exactly_as_service_requires(carro: Carro, ctx: EvaluationContext) -> RuleResult:
    mercancias = envio_of(carro, ctx).carta.mercancias
    tren = None if mercancias is None else mercancias.ferroviario
    row = None if tren is None else ctx.row(SERVICES, tren.TipoDeServicio)
    if tren is None or row is None:
        return None
    found, why = element_name(carro.contenedores, "Contenedor"), f"TipoDeServicio {tren.TipoDeServicio}"
    return present_exactly_if(row["contenedor"] == "1", found, f"el nodo, por {why}", f"con {why}")
