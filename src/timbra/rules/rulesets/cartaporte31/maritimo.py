"""TransporteMaritimo: CP185 to CP187."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.cartaporte31 import ContenedorMaritimo, TransporteMaritimo
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.addresses import MEXICO
from timbra.rules.shared.presence import is_absent_unless, is_present_exactly_if, present_exactly_if

FERRY: Final = "CM011"
OF_CONTAINERS: Final = ("MatriculaContenedor", "NumPrecinto")
OF_FERRIES: Final = ("IdCCPRelacionado", "PlacaVMCCP", "FechaCertificacionCCP")


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
