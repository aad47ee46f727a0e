"""The functions of `import timbra`; `timbra.__all__` has their names."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from timbra import catalogs

if TYPE_CHECKING:
    from timbra.library.catalogs import Catalog


class _CatalogsModule(ModuleType):
    def __getitem__(self, name: str) -> Catalog:
        """Return the catalog as it is today: `timbra.catalogs["c_UsoCFDI"]` is `timbra.catalog("c_UsoCFDI")`."""
        from timbra.library.catalogs import catalog

        return catalog(name)


catalogs.__class__ = _CatalogsModule
