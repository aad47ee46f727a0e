"""What the keys of the small catalogs are called, for people: `labels/<standard>.csv` with catalog, key and text.

The texts are SAT's and come from the pinned wheel; rules never read them.
"""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from timbra.snapshot.build.pickles import read_texts

LABELS = {
    "cfdi40": (
        "C756",
        "Exportacion FormaPago Impuesto Meses MetodoPago ObjetoImp Pais Periodicidad RegimenFiscal"
        " TipoDeComprobante TipoRelacion UsoCFDI ClaveUnidad",
    ),
    "nomina12": (
        "C75b",
        "Banco PeriodicidadPago RiesgoPuesto TipoContrato TipoDeduccion TipoHoras TipoIncapacidad TipoJornada"
        " TipoNomina TipoOtroPago TipoPercepcion TipoRegimen",
    ),
    "cartaporte31": ("C592", "CveTransporte FiguraTransporte TipoPermiso ConfigAutotransporte RegimenAduanero"),
    "comercioexterior20": ("C5bc", "INCOTERM MotivoTraslado UnidadAduana"),
}
"""By standard: how the wheel's database begins the names of its tables, and which catalogs people see."""


def write_labels(database: sqlite3.Connection, destination: Path) -> None:
    """database: the wheel's catalogs. sqlite3.Error where a catalog is missing, ValueError where one holds no texts."""
    target = destination / "labels"
    target.mkdir(parents=True, exist_ok=True)
    for standard, (prefix, names) in LABELS.items():
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        for name in names.split():
            writer.writerows((f"c_{name}", *label) for label in _labels(database, f"{prefix}_c_{name}"))
        (target / f"{standard}.csv").write_text(text.getvalue(), "utf-8", newline="")


def _labels(database: sqlite3.Connection, table: str) -> Iterator[tuple[str, str]]:
    for key, value in database.execute(f"SELECT key, value FROM {table} ORDER BY rowid"):  # noqa: S608 (constants above)
        yield read_texts(key)[0], read_texts(value)[0]
