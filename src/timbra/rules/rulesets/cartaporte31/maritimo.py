"""By sea: CP185 to CP187."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.cartaporte31 import ContenedorMaritimo, TransporteMaritimo
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.cartaporte31.verdicts import exactly_when, named
from timbra.rules.shared.addresses import MEXICO
from timbra.rules.shared.conditions import absent

AT: Final = "Complemento/CartaPorte/Mercancias/TransporteMaritimo"
FERRY: Final = "CM011"
OF_CONTAINERS: Final = ("MatriculaContenedor", "NumPrecinto")
OF_FERRIES: Final = ("IdCCPRelacionado", "PlacaVMCCP", "FechaCertificacionCCP")


@rule("CP185", at=f"{AT}/@PermisoTempNavegacion")
def foreign_ship_has_a_permit(maritimo: TransporteMaritimo, _ctx: EvaluationContext) -> RuleResult:
    return exactly_when(
        maritimo.NacionalidadEmbarc != MEXICO,
        maritimo.PermisoTempNavegacion,
        f"el permiso, por NacionalidadEmbarc {maritimo.NacionalidadEmbarc}",
        "por NacionalidadEmbarc MEX",
    )


@rule("CP186", at=f"{AT}/Contenedor/@TipoContenedor")
def container_tells_what_its_kind_demands(contenedor: ContenedorMaritimo, _ctx: EvaluationContext) -> RuleResult:
    """A ferry carries vehicles with papers of their own; all else carries sealed containers."""
    ferry, tipo = contenedor.TipoContenedor == FERRY, contenedor.TipoContenedor
    for names, condition in ((OF_CONTAINERS, not ferry), (OF_FERRIES, ferry)):
        for name in names:
            found = getattr(contenedor, name)
            result = exactly_when(condition, found, f"{name}, por TipoContenedor {tipo}", f"con TipoContenedor {tipo}")
            if isinstance(result, Violation):
                return Violation(found=found, expected=result.expected, at=f"@{name}")
    return None


@rule("CP187", at=f"{AT}/Contenedor/RemolquesCCP")
def trailers_stand_on_ferries(contenedor: ContenedorMaritimo, _ctx: EvaluationContext) -> RuleResult:
    if contenedor.TipoContenedor == FERRY:
        return None
    return absent(named(contenedor.has_remolques, "RemolquesCCP"), f"sin TipoContenedor {FERRY}")
