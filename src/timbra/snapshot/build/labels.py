"""Names of the keys of catalogs, for display.

`labels/<standard>.csv` has the small catalogs: catalog, key and text. `labels/large.sqlite` has the large ones, which
are not read into memory: tables `catalog` and `label`. The texts are those of the SAT, from the
pinned wheel; no rule reads them.
"""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from timbra.snapshot.build.pickles import read_text_at, read_texts

LABELS = {
    "cfdi40": (
        "C756",
        "Exportacion FormaPago Impuesto Meses MetodoPago ObjetoImp Pais Periodicidad RegimenFiscal"
        " TipoDeComprobante TipoRelacion UsoCFDI ClaveUnidad Moneda Estado",
    ),
    "nomina12": (
        "C75b",
        "Banco OrigenRecurso PeriodicidadPago RiesgoPuesto TipoContrato TipoDeduccion TipoHoras TipoIncapacidad"
        " TipoJornada TipoNomina TipoOtroPago TipoPercepcion TipoRegimen",
    ),
    "cartaporte31": (
        "C592",
        "ClaveTipoCarga ClaveUnidadPeso CodigoTransporteAereo CondicionesEspeciales ConfigAutotransporte"
        " ConfigMaritima Contenedor ContenedorMaritimo CveTransporte DerechosDePaso DocumentoAduanero"
        " FiguraTransporte FormaFarmaceutica ParteTransporte RegimenAduanero RegistroISTMO SectorCOFEPRIS SubTipoRem"
        " TipoCarro TipoDeServicio TipoDeTrafico TipoEmbalaje TipoEstacion TipoMateria TipoPermiso",
    ),
    "comercioexterior20": ("C5bc", "ClavePedimento INCOTERM MotivoTraslado TipoOperacion UnidadAduana"),
    "ecc12": ("C23d", "ClaveTipoCombustible"),
    "pagos20": ("C004", "TipoCadenaPago"),
    "retenciones20": (
        "Ccb0",
        "CveRetenc EntidadesFederativas Pais Periodicidad Periodo TipoContribuyenteSujetoRetencion"
        " TipoDividendoOUtilidadDistribuida TipoImpuesto TipoPagoRet",
    ),
    "plataformastecnologicas10": ("Cfc6", "FormaPagoServ SubTipoServ TipoDeServ"),
    "planesderetiro11": ("Cb58", "TipoAportODep"),
}
"""By standard: prefix of the tables in the wheel's database, and the small catalogs."""

LARGE_LABELS = {
    "cfdi40": ("C756", "ClaveProdServ Colonia Localidad Municipio"),
    "cartaporte31": ("C592", "ClaveProdServCP Estaciones MaterialPeligroso"),
    "comercioexterior20": ("C5bc", "FraccionArancelaria"),
}
"""By standard: prefix of the tables, and the large catalogs."""

UNTYPED = {
    "gceh10": (
        "C1b7",
        {
            "Actividades": "c_Actividad",
            "SubActividad": "c_SubActividad",
            "Tareas": "c_Tarea",
            "Meses": "Meses",
            "ClavePedimento": "ClavePedimento",
            "ClavePagoPedimento": "ClavePagoPedimento",
        },
    ),
    "ine11": ("Ca37", {"t_ClaveEntidad": "t_ClaveEntidad"}),
    "obrasarte10": (
        "Cc50",
        {name: name for name in ("c_TipoBien", "c_Tituloadquirido", "c_CaracterísticasDeObraoPieza")},
    ),
    "decreto10": (
        "C79b",
        {name: name for name in ("c_TipoDecreto", "c_TipoVehiculo_r", "c_TipoVehiculo_s", "c_VehiculoEnajenado")},
    ),
}
"""By standard: prefix of tables whose names have another form, and the name of each catalog."""

TEXT_COLUMNS = {"C756_c_Estado": 1, "Ca37_t_ClaveEntidad": 1}
"""Place of the text in the rows of a table; 0 for the other tables."""

LARGE_FILE = "labels/large.sqlite"


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
    small = {
        name: [(f"{prefix}_c_{each}", f"c_{each}") for each in names.split()]
        for name, (prefix, names) in LABELS.items()
    }
    small |= {
        name: [(f"{prefix}_{table}", catalog) for table, catalog in tables.items()]
        for name, (prefix, tables) in UNTYPED.items()
    }
    for standard, tables in small.items():
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        for table, catalog in tables:
            writer.writerows((catalog, *label) for label in _labels(database, table))
        (target / f"{standard}.csv").write_text(text.getvalue(), "utf-8", newline="")
    with closing(sqlite3.connect(destination / LARGE_FILE)) as large, large:
        large.execute("CREATE TABLE catalog (id INTEGER PRIMARY KEY, standard TEXT NOT NULL, name TEXT NOT NULL)")
        large.execute(
            "CREATE TABLE label (catalog_id INTEGER, key TEXT, text TEXT NOT NULL, PRIMARY KEY (catalog_id, key))"
            " WITHOUT ROWID"
        )
        catalogs = [
            (standard, prefix, f"c_{name}")
            for standard, (prefix, names) in LARGE_LABELS.items()
            for name in names.split()
        ]
        for number, (standard, prefix, name) in enumerate(catalogs):
            large.execute("INSERT INTO catalog VALUES (?, ?, ?)", (number, standard, name))
            rows = sorted(_labels(database, f"{prefix}_{name}"))
            large.executemany("INSERT INTO label VALUES (?, ?, ?)", ((number, *row) for row in rows))


def _labels(database: sqlite3.Connection, table: str) -> Iterator[tuple[str, str]]:
    place = TEXT_COLUMNS.get(table, 0)
    for key, value in database.execute(f"SELECT key, value FROM {table} ORDER BY rowid"):  # noqa: S608 (constants above)
        yield "|".join(read_texts(key)), read_text_at(value, place)
