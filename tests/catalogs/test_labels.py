"""Keys have SAT's names, for people."""

from __future__ import annotations

from pathlib import Path

from tests.catalogs.wheels import catalogs_snapshot, database_of, small_tables, small_wheel

from timbra.catalogs.labels import Labels
from timbra.snapshot import locate, open_snapshot


def test_a_key_has_its_text_by_standard_and_catalog(tmp_path: Path) -> None:
    labels = Labels(catalogs_snapshot(small_wheel(database_of(small_tables())), tmp_path))

    assert labels.of("c_UsoCFDI", "01") == "UsoCFDI"
    assert labels.of("c_TipoPercepcion", "01", "nomina12") == "TipoPercepcion"
    assert labels.of("c_TipoPercepcion", "01") == ""
    assert labels.of("c_UsoCFDI", "ZZ9") == ""


def test_the_snapshot_names_the_keys_that_every_invoice_shows() -> None:
    labels = Labels(open_snapshot(locate(None)))

    assert labels.of("c_UsoCFDI", "G03") == "Gastos en general"
    assert labels.of("c_RegimenFiscal", "616")
    assert labels.of("c_ClaveUnidad", "H87") == "Pieza"
