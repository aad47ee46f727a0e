"""Goods that COFEPRIS watches: CP159 to CP166."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from timbra.cfdi.nodes.cartaporte31 import Mercancia
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.cartaporte31.envio import envio_of
from timbra.rules.rulesets.cartaporte31.verdicts import exactly_when

AT: Final = "Complemento/CartaPorte/Mercancias/Mercancia"
READS: Final = ("SectorCOFEPRIS", "sanitarios")
MEDICINES, PRECURSORS, NARCOTICS, TOXICS, PESTICIDES = "01", "02", "03", "04", "05"
_MEDICINE: Final = (
    "DenominacionGenericaProd",
    "DenominacionDistintivaProd",
    "Fabricante",
    "FechaCaducidad",
    "LoteMedicamento",
    "FormaFarmaceutica",
    "CondicionesEspTransp",
    "RegistroSanitarioFolioAutorizacion",
)
DEMANDED: Final[Mapping[str, tuple[str, ...]]] = {
    MEDICINES: _MEDICINE,
    PRECURSORS: ("NombreIngredienteActivo", "NomQuimico", *_MEDICINE[2:7]),
    NARCOTICS: _MEDICINE,
    TOXICS: ("NomQuimico", "NumCAS"),
    PESTICIDES: (
        "NombreIngredienteActivo",
        "NumRegSanPlagCOFEPRIS",
        "DatosFabricante",
        "DatosFormulador",
        "DatosMaquilador",
        "UsoAutorizado",
    ),
}
"""What a key of SectorCOFEPRIS demands."""


def _demanded(mercancia: Mercancia, sector: str) -> RuleResult:
    """Where it is the sector: all that it demands."""
    if mercancia.SectorCOFEPRIS != sector:
        return None
    missing = [name for name in DEMANDED[sector] if name not in mercancia.sanitarios]
    return Violation(expected=f"{missing[0]}, por SectorCOFEPRIS {sector}", at=f"@{missing[0]}") if missing else None


def _needless(mercancia: Mercancia, sector: str) -> RuleResult:
    """Where it is not the sector: nothing that it demands, but for what the own sector demands, too.

    An error to whoever validates. A provider stamps such documents, so stamping warns: see `profiles`.
    """
    own = mercancia.SectorCOFEPRIS
    if own == sector or not mercancia.sanitarios:
        return None
    wanted = DEMANDED.get(own or "", ())
    found = next((name for name in DEMANDED[sector] if name in mercancia.sanitarios and name not in wanted), None)
    if found is None:
        return None
    return Violation(found=found, expected=f"que no exista sin SectorCOFEPRIS {sector}", at=f"@{found}")


@rule("CP159", at=AT, reads=READS)
def medicines_tell_what_they_are(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
    return _demanded(mercancia, MEDICINES)


@rule("CP159:Needless", at=AT, reads=READS, inseparable=("CP161:Needless",))
def others_tell_nothing_of_medicines(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
    return _needless(mercancia, MEDICINES)


@rule("CP160", at=AT, reads=READS)
def precursors_tell_what_they_are(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
    return _demanded(mercancia, PRECURSORS)


@rule("CP160:Needless", at=AT, reads=READS, inseparable=("CP163:Needless",))
def others_tell_nothing_of_precursors(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
    return _needless(mercancia, PRECURSORS)


@rule("CP161", at=AT, reads=READS)
def narcotics_tell_what_they_are(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
    return _demanded(mercancia, NARCOTICS)


@rule("CP161:Needless", at=AT, reads=READS, inseparable=("CP159:Needless",))
def others_tell_nothing_of_narcotics(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
    return _needless(mercancia, NARCOTICS)


@rule("CP162", at=AT, reads=READS)
def toxics_tell_what_they_are(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
    return _demanded(mercancia, TOXICS)


@rule("CP162:Needless", at=AT, reads=READS)
def others_tell_nothing_of_toxics(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
    return _needless(mercancia, TOXICS)


@rule("CP163", at=AT, reads=READS)
def pesticides_tell_what_they_are(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
    return _demanded(mercancia, PESTICIDES)


@rule("CP163:Needless", at=AT, reads=READS)
def others_tell_nothing_of_pesticides(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
    return _needless(mercancia, PESTICIDES)


@rule("CP164", at=f"{AT}/@PermisoImportacion")
def imported_medicines_have_a_permit(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    return _of_imports(mercancia, ctx, mercancia.PermisoImportacion, (MEDICINES, PRECURSORS, NARCOTICS))


@rule("CP165", at=f"{AT}/@FolioImpoVUCEM")
def imported_goods_have_a_folio(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    return _of_imports(mercancia, ctx, mercancia.FolioImpoVUCEM, (MEDICINES, PRECURSORS, TOXICS, PESTICIDES))


@rule("CP166", at=f"{AT}/@RazonSocialEmpImp")
def imported_toxics_have_an_importer(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    return _of_imports(mercancia, ctx, mercancia.RazonSocialEmpImp, (TOXICS,))


def _of_imports(
    mercancia: Mercancia, ctx: EvaluationContext, found: str | None, sectors: tuple[str, ...]
) -> RuleResult:
    """There exactly when goods of these sectors are imported."""
    sector = mercancia.SectorCOFEPRIS
    concerned = sector in sectors and envio_of(mercancia, ctx).is_import
    otherwise = f"fuera de importaciones con SectorCOFEPRIS {', '.join(sectors)}"
    return exactly_when(concerned, found, f"el dato de la importación, por SectorCOFEPRIS {sector}", otherwise)
