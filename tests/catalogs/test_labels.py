"""Names of keys in Spanish."""

from __future__ import annotations

from pathlib import Path

from tests.catalogs.wheels import catalogs_snapshot, database_of, small_tables, small_wheel

from timbra.catalogs.labels import CatalogLabels
from timbra.snapshot import locate, open_snapshot


def test_get_returns_text_by_standard_and_catalog(tmp_path: Path) -> None:
    labels = CatalogLabels(catalogs_snapshot(small_wheel(database_of(small_tables())), tmp_path))

    assert labels.get("c_UsoCFDI", "01") == "UsoCFDI"
    assert labels.get("c_TipoPercepcion", "01", "nomina12") == "TipoPercepcion"
    assert labels.get("c_TipoPercepcion", "01") == ""
    assert labels.get("c_UsoCFDI", "ZZ9") == ""


def test_get_has_texts_of_common_keys() -> None:
    labels = CatalogLabels(open_snapshot(locate(None)))

    assert labels.get("c_UsoCFDI", "G03") == "Gastos en general"
    assert labels.get("c_RegimenFiscal", "616")
    assert labels.get("c_ClaveUnidad", "H87") == "Pieza"
