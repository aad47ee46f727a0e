"""The place of issue: postal code, municipality, state and time zone."""

from __future__ import annotations

from datetime import date

from timbra.catalogs import SnapshotCatalogs
from timbra.catalogs.labels import CatalogLabels

POSTAL_CODES = "c_CodigoPostal"
DATE_LENGTH = len("2026-11-17")


class IssuePlaces:
    """Describes postal codes.

    Args:
        labels: names of states and municipalities.
        catalogs: has c_CodigoPostal.
    """

    def __init__(self, labels: CatalogLabels, catalogs: SnapshotCatalogs) -> None:
        self._labels = labels
        self._catalogs = catalogs

    def describe(self, postal_code: str | None, moment: str | None) -> str:
        """Return `64000, Monterrey, Nuevo León (Tiempo del Centro)`; an unknown code unchanged.

        Args:
            postal_code: LugarExpedicion.
            moment: Fecha of the document, whose day selects the row of the catalog.
        """
        try:
            day = date.fromisoformat((moment or "")[:DATE_LENGTH])
        except ValueError:
            return postal_code or ""
        row = self._catalogs.row(POSTAL_CODES, postal_code, day) if postal_code else None
        if not row:
            return postal_code or ""
        state, municipality = row["estado"], row["municipio"]
        names = (self._labels.get("c_Municipio", f"{municipality}|{state}"), self._labels.get("c_Estado", state))
        return f"{', '.join(filter(None, (postal_code, *names)))} ({row['huso_horario']})"
