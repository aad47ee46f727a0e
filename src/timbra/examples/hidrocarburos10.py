"""Minimal valid documents with the complements of hydrocarbon contracts, of income and of expenses."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples.carrying import carrying
from timbra.examples.cfdi40 import EARLIER, egreso, ingreso
from timbra.examples.comprobante import FECHA, KEMPER, ROBOTICA, ExampleParty
from timbra.examples.conceptos import concepto
from timbra.examples.tree import Change, ExampleNode

CFD = "http://www.sat.gob.mx/sitio_internet/cfd"
INCOME = "http://www.sat.gob.mx/IngresosHidrocarburos10"
INCOME_SCHEMA = f"{CFD}/IngresosHidrocarburos10/IngresosHidrocarburos.xsd"
EXPENSES = "http://www.sat.gob.mx/GastosHidrocarburos10"
EXPENSES_SCHEMA = f"{CFD}/GastosHidrocarburos10/GastosHidrocarburos10.xsd"
CONTRACT = {"Version": "1.0", "NumeroContrato": "CNH-R01-L01-A1/2015"}


def ingresos_hidrocarburos(
    changes: Mapping[str, Change] | None = None, *, fecha: str = FECHA, issuer: ExampleParty = KEMPER
) -> str:
    """Return the invoice for the whole consideration that a contract pays its operator."""
    return ingreso({**income(fecha), **(changes or {})}, fecha=fecha, issuer=issuer)


def income(fecha: str = FECHA, total: str = "232.00") -> dict[str, Change]:
    """Return the changes that add the complement to an invoice of that total."""
    head = {**CONTRACT, "ContraprestacionPagadaOperador": total, "Porcentaje": "100.000"}
    document = ExampleNode("ieeh:DocumentoRelacionado", {"FolioFiscalVinculado": EARLIER, **_dated(fecha)})
    return carrying(ExampleNode("ieeh:IngresosHidrocarburos", head, [document]), INCOME, INCOME_SCHEMA)


def gastos_hidrocarburos(
    changes: Mapping[str, Change] | None = None, *, fecha: str = FECHA, issuer: ExampleParty = KEMPER
) -> str:
    """Return a document for half of a national expense of 232.00 pesos that a contract pays."""
    lines = [concepto(traslados=[])]
    return egreso({**expenses(fecha), **(changes or {})}, fecha=fecha, issuer=issuer, concepts=lines)


def expenses(fecha: str = FECHA) -> dict[str, Change]:
    """Return the changes that add the complement to a document."""
    invoice = {
        "OrigenErogacion": "Nacional",
        "FolioFiscalVinculado": EARLIER,
        "RFCProveedor": ROBOTICA.rfc,
        "MontoTotalIVA": "32.00",
        "MontoTotalErogaciones": "232.00",
        **_dated(fecha),
    }
    expense = {"TipoErogacion": "Gasto", "MontocuErogacion": "116.00", "Porcentaje": "50.000"}
    node = ExampleNode("gceh:Erogacion", expense, [ExampleNode("gceh:DocumentoRelacionado", invoice)])
    return carrying(ExampleNode("gceh:GastosHidrocarburos", dict(CONTRACT), [node]), EXPENSES, EXPENSES_SCHEMA)


def _dated(fecha: str) -> dict[str, str]:
    day = fecha[:10]
    return {"FechaFolioFiscalVinculado": day, "Mes": day[5:7]}
