"""Goods that COFEPRIS regulates: CP159 to CP166."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from timbra.cfdi.nodes.cartaporte31 import Mercancia
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.cartaporte31.envio import envio_of
from timbra.rules.rulesets.cartaporte31.sources import matrix_row
from timbra.rules.shared.predicates import Predicate
from timbra.rules.shared.presence import Condition, is_present_exactly_if

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
REQUIRED: Final[Mapping[str, tuple[str, ...]]] = {
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
"""By key of SectorCOFEPRIS: the attributes that it requires."""
_ANY_SECTOR: Final = frozenset(name for names in REQUIRED.values() for name in names)
SETTING: Final = "Con TIMBRA_VENDOR_LENIENCY=carta-porte es un aviso. Un dato de varias claves se informa una sola vez."
OF_IMPORT: Final = "el dato de la importación, por SectorCOFEPRIS {node.SectorCOFEPRIS}"
OUTSIDE_IMPORTS: Final = "fuera de importaciones con SectorCOFEPRIS "


def has_data_of_sector(sector: str) -> Predicate:
    """With this key of SectorCOFEPRIS, all attributes that it requires are present."""

    def check(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
        if mercancia.SectorCOFEPRIS != sector:
            return None
        missing = [name for name in REQUIRED[sector] if name not in mercancia.sanitarios]
        if not missing:
            return None
        return Violation(expected=f"{missing[0]}, por SectorCOFEPRIS {sector}", at=f"@{missing[0]}")

    return check


def needless_data(mercancia: Mercancia) -> Mapping[str, tuple[str, ...]]:
    """Return the attributes that the own key of SectorCOFEPRIS does not require, by the key that they belong to.

    Each attribute belongs to one key, so that one cause is one finding: to the key that requires most of the
    attributes, the lowest key of several; then the same for the remaining attributes.
    """
    own = REQUIRED.get(mercancia.SectorCOFEPRIS or "", ())
    remaining = {name for name in _ANY_SECTOR if name in mercancia.sanitarios and name not in own}
    found: dict[str, tuple[str, ...]] = {}
    while remaining:
        names = {sector: tuple(name for name in REQUIRED[sector] if name in remaining) for sector in REQUIRED}
        sector = max(REQUIRED, key=lambda each: len(names[each]))
        found[sector] = names[sector]
        remaining.difference_update(names[sector])
    return found


def has_no_data_of_sector(sector: str) -> Predicate:
    """With another key of SectorCOFEPRIS or none, the attributes are absent, except those that the own key requires.

    The vendor stamps documents that violate this rule: see `VendorLeniency`.
    """

    def check(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
        if not mercancia.sanitarios:
            return None
        names = needless_data(mercancia).get(sector)
        if names is None:
            return None
        others = f" (ni {', '.join(names[1:])})" if len(names) > 1 else ""
        expected = f"que no exista{others} sin SectorCOFEPRIS {sector}"
        return Violation(found=mercancia.sanitarios[names[0]], expected=expected, at=f"@{names[0]}")

    return check


def is_import_of(*sectors: str) -> Condition:
    """Return the condition that goods of one of the sectors are imported."""
    return lambda mercancia, ctx: mercancia.SectorCOFEPRIS in sectors and envio_of(mercancia, ctx).is_import


CP159 = row(
    "CP159",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia",
    says="Los datos de medicamentos deben existir todos con SectorCOFEPRIS 01, y ninguno sin ella.",
    note="Los datos que sobran se revisan en CP159:Needless.",
    check=has_data_of_sector(MEDICINES),
)


CP159_Needless = row(
    "CP159:Needless",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia",
    says="Sin SectorCOFEPRIS 01 no deben existir datos de medicamentos que la propia clave no requiera.",
    check=has_no_data_of_sector(MEDICINES),
    note=SETTING,
    cites=matrix_row("CP159"),
)


CP160 = row(
    "CP160",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia",
    says="Los datos de precursores deben existir todos con SectorCOFEPRIS 02, y ninguno sin ella.",
    note="Los datos que sobran se revisan en CP160:Needless.",
    check=has_data_of_sector(PRECURSORS),
)


CP160_Needless = row(
    "CP160:Needless",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia",
    says="Sin SectorCOFEPRIS 02 no deben existir datos de precursores químicos que la propia clave no requiera.",
    check=has_no_data_of_sector(PRECURSORS),
    note=SETTING,
    cites=matrix_row("CP160"),
)


CP161 = row(
    "CP161",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia",
    says="Los datos de psicotrópicos deben existir todos con SectorCOFEPRIS 03, y ninguno sin ella.",
    note="Requiere los mismos datos que CP159, así que los que sobran se informan solo con CP159:Needless.",
    check=has_data_of_sector(NARCOTICS),
)


CP162 = row(
    "CP162",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia",
    says=("Los datos de sustancias tóxicas deben existir todos con SectorCOFEPRIS 04, y ninguno sin ella."),
    note="Los datos que sobran se revisan en CP162:Needless.",
    check=has_data_of_sector(TOXICS),
)


CP162_Needless = row(
    "CP162:Needless",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia",
    says="Sin SectorCOFEPRIS 04 no deben existir datos de sustancias tóxicas que la propia clave no requiera.",
    check=has_no_data_of_sector(TOXICS),
    note=SETTING,
    cites=matrix_row("CP162"),
)


CP163 = row(
    "CP163",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia",
    says=("Los datos de plaguicidas y fertilizantes deben existir todos con SectorCOFEPRIS 05, y ninguno sin ella."),
    note="Los datos que sobran se revisan en CP163:Needless.",
    check=has_data_of_sector(PESTICIDES),
)


CP163_Needless = row(
    "CP163:Needless",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia",
    says="Sin SectorCOFEPRIS 05 no deben existir datos de plaguicidas o fertilizantes que la propia clave no requiera.",
    check=has_no_data_of_sector(PESTICIDES),
    note=SETTING,
    cites=matrix_row("CP163"),
)


CP164 = row(
    "CP164",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia/@PermisoImportacion",
    says="PermisoImportacion debe existir solo en importaciones con SectorCOFEPRIS 01, 02 o 03.",
    check=is_present_exactly_if(
        "PermisoImportacion",
        is_import_of(MEDICINES, PRECURSORS, NARCOTICS),
        expected=OF_IMPORT,
        otherwise=OUTSIDE_IMPORTS + "01, 02, 03",
    ),
)


CP165 = row(
    "CP165",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia/@FolioImpoVUCEM",
    says="FolioImpoVUCEM debe existir solo en importaciones con SectorCOFEPRIS 01, 02, 04 o 05.",
    check=is_present_exactly_if(
        "FolioImpoVUCEM",
        is_import_of(MEDICINES, PRECURSORS, TOXICS, PESTICIDES),
        expected=OF_IMPORT,
        otherwise=OUTSIDE_IMPORTS + "01, 02, 04, 05",
    ),
)


CP166 = row(
    "CP166",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia/@RazonSocialEmpImp",
    says="RazonSocialEmpImp debe existir solo en importaciones con SectorCOFEPRIS 04.",
    check=is_present_exactly_if(
        "RazonSocialEmpImp", is_import_of(TOXICS), expected=OF_IMPORT, otherwise=OUTSIDE_IMPORTS + "04"
    ),
)
