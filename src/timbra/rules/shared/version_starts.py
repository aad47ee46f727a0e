"""The first day of each version of documents and complements.

Source: the first day of validity in the catalogs of each version. Versions whose catalogs name no day are not in the
table; CFDI 3.3 is valid from the day that Anexo 20 names, six weeks before the SAT published its catalogs again.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType

from lxml import etree

from timbra.cfdi.document import CFD3, CFD4, RETENCIONES2
from timbra.cfdi.structure.check import iter_complements

SAT = "http://www.sat.gob.mx/"
STARTS: Mapping[tuple[str, str], date] = MappingProxyType(
    {
        (f"{{{CFD3}}}Comprobante", "3.3"): date(2017, 7, 1),
        (f"{{{CFD4}}}Comprobante", "4.0"): date(2022, 1, 1),
        (f"{{{RETENCIONES2}}}Retenciones", "2.0"): date(2022, 1, 1),
        (f"{{{SAT}CartaPorte20}}CartaPorte", "2.0"): date(2021, 12, 1),
        (f"{{{SAT}CartaPorte30}}CartaPorte", "3.0"): date(2023, 11, 25),
        (f"{{{SAT}CartaPorte31}}CartaPorte", "3.1"): date(2024, 7, 17),
        (f"{{{SAT}ComercioExterior20}}ComercioExterior", "2.0"): date(2024, 1, 18),
        (f"{{{SAT}Pagos20}}Pagos", "2.0"): date(2022, 1, 1),
        (f"{{{SAT}hidrocarburospetroliferos}}HidroYPetro", "1.0"): date(2026, 4, 24),
    }
)
"""First day by qualified name and version."""
_LAST_START = max(STARTS.values()).isoformat()


def start_of(element: etree._Element) -> date | None:
    """Return the first day of the version of a document or complement; None when it is not known."""
    written = element.get("Version") or element.get("version") or ""
    return STARTS.get((str(element.tag), written.strip()))


def issue_day(root: etree._Element) -> str:
    """Return the day of issue as written, `2026-11-17`; empty without one."""
    return (root.get("Fecha") or root.get("FechaExp") or "")[:10]


def later_starts(root: etree._Element) -> dict[str, date]:
    """Return the first days that are later than the document: of its version and of each complement, by tag."""
    day = issue_day(root)
    if not "" < day < _LAST_START:
        return {}
    starts = {str(element.tag): start_of(element) for element in (root, *iter_complements(root))}
    return {tag: start for tag, start in starts.items() if start is not None and day < start.isoformat()}
