"""Goods that COFEPRIS watches: CP159 to CP166."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from timbra.cfdi.nodes.cartaporte31 import Mercancia
from timbra.rules.cartaporte31.envio import envio_of
from timbra.rules.cartaporte31.verdicts import exactly_when
from timbra.rules.case import Case
from timbra.rules.finding import Breach, Verdict
from timbra.rules.rule import rule

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


def _tells(mercancia: Mercancia, sector: str) -> Verdict:
    """Where it is the sector all that it demands; elsewhere nothing of that, but for what the own sector demands."""
    own, written = mercancia.SectorCOFEPRIS, mercancia.sanitarios
    if own == sector:
        missing = [name for name in DEMANDED[sector] if name not in written]
        return Breach(expected=f"{missing[0]}, por SectorCOFEPRIS {sector}", at=f"@{missing[0]}") if missing else None
    needless = [name for name in DEMANDED[sector] if name in written and name not in DEMANDED.get(own or "", ())]
    if not needless:
        return None
    return Breach(found=needless[0], expected=f"que no exista sin SectorCOFEPRIS {sector}", at=f"@{needless[0]}")


@rule("CP159", at=AT, reads=READS)
def medicines_tell_what_they_are(mercancia: Mercancia, _case: Case) -> Verdict:
    return _tells(mercancia, MEDICINES)


@rule("CP160", at=AT, reads=READS)
def precursors_tell_what_they_are(mercancia: Mercancia, _case: Case) -> Verdict:
    return _tells(mercancia, PRECURSORS)


@rule("CP161", at=AT, reads=READS)
def narcotics_tell_what_they_are(mercancia: Mercancia, _case: Case) -> Verdict:
    return _tells(mercancia, NARCOTICS)


@rule("CP162", at=AT, reads=READS)
def toxics_tell_what_they_are(mercancia: Mercancia, _case: Case) -> Verdict:
    return _tells(mercancia, TOXICS)


@rule("CP163", at=AT, reads=READS)
def pesticides_tell_what_they_are(mercancia: Mercancia, _case: Case) -> Verdict:
    return _tells(mercancia, PESTICIDES)


@rule("CP164", at=f"{AT}/@PermisoImportacion")
def imported_medicines_have_a_permit(mercancia: Mercancia, case: Case) -> Verdict:
    return _of_imports(mercancia, case, mercancia.PermisoImportacion, (MEDICINES, PRECURSORS, NARCOTICS))


@rule("CP165", at=f"{AT}/@FolioImpoVUCEM")
def imported_goods_have_a_folio(mercancia: Mercancia, case: Case) -> Verdict:
    return _of_imports(mercancia, case, mercancia.FolioImpoVUCEM, (MEDICINES, PRECURSORS, TOXICS, PESTICIDES))


@rule("CP166", at=f"{AT}/@RazonSocialEmpImp")
def imported_toxics_have_an_importer(mercancia: Mercancia, case: Case) -> Verdict:
    return _of_imports(mercancia, case, mercancia.RazonSocialEmpImp, (TOXICS,))


def _of_imports(mercancia: Mercancia, case: Case, found: str | None, sectors: tuple[str, ...]) -> Verdict:
    """There exactly when goods of these sectors are imported."""
    sector = mercancia.SectorCOFEPRIS
    concerned = sector in sectors and envio_of(mercancia, case).is_import
    otherwise = f"fuera de importaciones con SectorCOFEPRIS {', '.join(sectors)}"
    return exactly_when(concerned, found, f"el dato de la importación, por SectorCOFEPRIS {sector}", otherwise)
