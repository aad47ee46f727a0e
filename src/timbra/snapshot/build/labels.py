"""Names of the keys of small catalogs, for display: `labels/<standard>.csv` with catalog, key and text.

The texts are those of the SAT, from the pinned wheel; no rule reads them.
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
    "retenciones20": (
        "Ccb0",
        "CveRetenc EntidadesFederativas Pais Periodicidad Periodo TipoContribuyenteSujetoRetencion"
        " TipoDividendoOUtilidadDistribuida TipoImpuesto TipoPagoRet",
    ),
    "plataformastecnologicas10": ("Cfc6", "FormaPagoServ SubTipoServ TipoDeServ"),
    "planesderetiro11": ("Cb58", "TipoAportODep"),
}
"""By standard: prefix of the tables in the wheel's database, and the catalogs that are displayed."""


def write_labels(database: sqlite3.Connection, destination: Path) -> None:
    """Write `destination/labels/`.

    Args:
        database: catalogs of the wheel.
        destination: folder of the new snapshot.

    Raises:
        sqlite3.Error: a catalog is missing.
        ValueError: a catalog has values other than texts.
    """
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
