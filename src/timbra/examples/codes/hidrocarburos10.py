"""Changes for the examples of rules about hydrocarbon contracts."""

from __future__ import annotations

from timbra.examples.codes.example import Example, example
from timbra.examples.comprobante import with_schema
from timbra.examples.hidrocarburos10 import gastos_hidrocarburos, ingresos_hidrocarburos
from timbra.examples.tree import Change, ExampleNode

INCOME = "Complemento/IngresosHidrocarburos"
EXPENSE = "Complemento/GastosHidrocarburos/Erogacion"
CONCEPTO = "Conceptos/Concepto"
SCHOOL = "http://www.sat.gob.mx/iedu"
CUSTOMS = "26  48  3009  0000001"


def imported() -> dict[str, Change]:
    return {f"{CONCEPTO}/InformacionAduanera/@NumeroPedimento": CUSTOMS}


def school(complement: str) -> dict[str, Change]:
    """Return changes that add a complement to the Concepto.

    Args:
        complement: namespace and schema of the complement of the document.
    """
    pupil = {"version": "1.0", "nombreAlumno": "Ingrid Xodar", "CURP": "XOJI740919MQTDMN02"}
    node = ExampleNode("iedu:instEducativas", {**pupil, "nivelEducativo": "Primaria", "autRVOE": "1"})
    location = with_schema(SCHOOL, "http://www.sat.gob.mx/sitio_internet/cfd/iedu/iedu.xsd")
    return {
        "@xmlns:iedu": SCHOOL,
        "@xsi:schemaLocation": f"{location} {complement}",
        f"{CONCEPTO}/ComplementoConcepto": ExampleNode("cfdi:ComplementoConcepto", children=[node]),
    }


def parts() -> dict[str, Change]:
    part = {"ClaveProdServ": "84111506", "Cantidad": "1", "Descripcion": "Pieza"}
    return {f"{CONCEPTO}/Parte": ExampleNode("cfdi:Parte", part)}


def income_of(changes: dict[str, Change]) -> Example:
    """Return an example of Ingresos de Hidrocarburos."""
    return example(ingresos_hidrocarburos, changes)


def expense_of(failing: dict[str, Change], passing: dict[str, Change] | None = None) -> Example:
    """Return an example of Gastos de Hidrocarburos."""
    return example(gastos_hidrocarburos, failing, passing)


def document(**attributes: str | None) -> dict[str, Change]:
    """Return changes of DocumentoRelacionado of the expense."""
    return {f"{EXPENSE}/DocumentoRelacionado/@{name}": value for name, value in attributes.items()}


def foreign(**attributes: str | None) -> dict[str, Change]:
    """Return changes that make the expense foreign, with an import declaration."""
    no_invoice = {"FolioFiscalVinculado": None, "RFCProveedor": None, "MontoTotalIVA": None}
    declaration = {
        "NumeroPedimentoVinculado": CUSTOMS,
        "ClavePedimentoVinculado": "A1",
        "ClavePagoPedimentoVinculado": "00",
        "MontoIVAPedimento": "32.00",
    }
    return document(**{"OrigenErogacion": "Extranjero", **no_invoice, **declaration, **attributes})


def abroad(**attributes: str | None) -> dict[str, Change]:
    """Return changes that make the expense foreign, without an import declaration."""
    nothing = dict.fromkeys(
        ("NumeroPedimentoVinculado", "ClavePedimentoVinculado", "ClavePagoPedimentoVinculado", "MontoIVAPedimento")
    )
    return foreign(**{**nothing, **attributes})


def levels(names: tuple[str, str, str], *values: str | None) -> dict[str, Change]:
    """Return changes that add elements of three levels.

    Args:
        names: names of the attributes of the levels.
        values: value of each level, None for an element without the attribute; fewer values add fewer levels.
    """
    elements = ELEMENTS[names]
    node: ExampleNode | None = None
    for element, name, value in reversed(list(zip(elements, names, values, strict=False))):
        below = [node] if node is not None else []
        node = ExampleNode(f"gceh:{element}", {} if value is None else {name: value}, below)
    return {f"{EXPENSE}/{elements[0]}": node}


ACTIVITY = ("ActividadRelacionada", "SubActividadRelacionada", "TareaRelacionada")
COSTS = ("Campo", "Yacimiento", "Pozo")
ELEMENTS = {
    ACTIVITY: ("Actividades", "SubActividades", "Tareas"),
    COSTS: ("CentroCostos", "Yacimientos", "Pozos"),
}


def activity(*values: str | None) -> Example:
    """Return an example of activities: all three levels, and these."""
    return expense_of(levels(ACTIVITY, *values), levels(ACTIVITY, "01", "001", "0001"))


def costs(*values: str | None) -> Example:
    """Return an example of cost centres: all three levels, and these."""
    return expense_of(levels(COSTS, *values), levels(COSTS, "C", "Y", "P"))
