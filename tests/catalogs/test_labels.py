"""Names of keys in Spanish."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.catalogs.wheels import catalogs_snapshot, database_of, small_tables, small_wheel

from timbra.catalogs.labels import LARGE_FILE, CatalogLabels
from timbra.core.errors import ServiceError
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


def test_get_returns_texts_of_large_catalogs_and_of_older_versions() -> None:
    labels = CatalogLabels(open_snapshot(locate(None)))

    assert labels.get("c_ClaveProdServ", "84111506") == "Servicios de facturación"
    assert labels.get("c_Municipio", "039|NLE") == "Monterrey"
    assert labels.get("c_TipoPermiso", "TPAF01", "cartaporte20") == labels.get(
        "c_TipoPermiso", "TPAF01", "cartaporte31"
    )
    assert labels.has("c_Colonia", "cfdi40")
    assert not labels.has("c_Unknown", "cfdi40")
    assert labels.get("c_Unknown", "1") == ""


def test_get_reports_a_damaged_file_of_large_catalogs(tmp_path: Path) -> None:
    snapshot = catalogs_snapshot(small_wheel(database_of(small_tables())), tmp_path)
    snapshot.path(LARGE_FILE).write_bytes(b"no database" * 1000)

    with pytest.raises(ServiceError, match="snapshot-damaged"):
        CatalogLabels(snapshot).get("c_ClaveProdServ", "84111506")
