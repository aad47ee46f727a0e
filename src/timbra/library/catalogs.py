"""The SAT's catalogs as dated mappings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING

from timbra.catalogs.search import DEFAULT_STANDARD
from timbra.core.errors import ServiceError
from timbra.library.resources import LOCK, When, catalog_search, catalogs, instant, labels

if TYPE_CHECKING:
    from timbra.catalogs.book import CatalogTable

TEXT = "texto"
"""The column with the SAT's text of a key."""


class Catalog(Mapping[str, Mapping[str, str]]):
    """One catalog of the SAT on one day: the columns of each valid key by the key.

    `clave` is the key, `texto` the SAT's text; the others are those of the catalog. Flags are "1" or empty.

    Attributes:
        name: The SAT's name, such as `c_RegimenFiscal`.
        on: The day.
    """

    def __init__(self, name: str, on: date, table: CatalogTable) -> None:
        self.name = name
        self.on = on
        self._table = table
        standard, _, self._local = name.rpartition(":")
        self._standard = standard or DEFAULT_STANDARD

    def __getitem__(self, key: str) -> Mapping[str, str]:
        row = self._table.row(key, self.on)
        if row is None:
            raise KeyError(key)
        with LOCK:
            return {**row, TEXT: labels().get(self._local, key, self._standard)}

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._table.contains(key, self.on)

    def __iter__(self) -> Iterator[str]:
        return (key for key in self._table.keys() if key in self)  # noqa: SIM118 (a table is no mapping)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def search(self, query: str = "", **columns: str) -> list[str]:
        """Return the keys that a query finds, the best first; without query in the order of the catalog.

        Args:
            query: A key or its beginning, or Spanish words in any form, with or without accents.
            columns: Values that columns must have. A column with several values, such as
                `regimenes_fiscales_receptores`, has each of them; `"0"` is an empty flag. Parts of composed keys are
                columns too, such as `codigo_postal` of `c_Colonia` and `estado` of `c_Municipio`.

        Raises:
            Error: "name-unknown" for a column that the catalog does not have.
        """
        with LOCK:
            try:
                return catalog_search().search(self.name, query, self.on, columns)
            except KeyError as error:
                raise ServiceError("name-unknown", f"{self.name} no tiene la columna {error.args[0]}.") from error

    def __repr__(self) -> str:
        return f"<Catalog {self.name} on {self.on.isoformat()}>"


def catalog(name: str, *, on: When | None = None) -> Catalog:
    """Return a catalog of the SAT as it is on a day.

    Args:
        name: The SAT's name: `c_UsoCFDI` of CFDI 4.0; other standards have a prefix, `nomina12:c_TipoNomina`.
        on: The day; today in central Mexico without it.

    Raises:
        Error: "name-unknown" when there is no such catalog.
    """
    from timbra.core.clock import CENTRAL_MEXICO

    day = instant(on).astimezone(CENTRAL_MEXICO).date()
    with LOCK:
        try:
            return Catalog(name, day, catalogs().table(name))
        except KeyError as error:
            raise ServiceError("name-unknown", f"No hay un catálogo {name}.") from error
