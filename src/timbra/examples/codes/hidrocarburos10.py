"""Examples of rules about hydrocarbon contracts: IEEH102 to IEEH113, GCEH102 to GCEH143."""

from __future__ import annotations

from timbra.examples import hidrocarburos10
from timbra.examples.cfdi40 import global_invoice
from timbra.examples.codes.example import Example, differ
from timbra.examples.comprobante import CASAS, ROBOTICA, with_schema
from timbra.examples.conceptos import impuestos, tax
from timbra.examples.hidrocarburos10 import gastos_hidrocarburos, income, ingresos_hidrocarburos
from timbra.examples.tree import Change, ExampleNode

INCOME = "Complemento/IngresosHidrocarburos"
EXPENSE = "Complemento/GastosHidrocarburos/Erogacion"
CONCEPTO = "Conceptos/Concepto"
SCHOOL = "http://www.sat.gob.mx/iedu"
CUSTOMS = "26  48  3009  0000001"


def third_party() -> dict[str, Change]:
    third = {
        "RfcACuentaTerceros": CASAS.rfc,
        "NombreACuentaTerceros": CASAS.name,
        "RegimenFiscalACuentaTerceros": CASAS.regime,
        "DomicilioFiscalACuentaTerceros": CASAS.postal_code,
    }
    return {f"{CONCEPTO}/ACuentaTerceros": ExampleNode("cfdi:ACuentaTerceros", third)}


def imported() -> dict[str, Change]:
    return {f"{CONCEPTO}/InformacionAduanera/@NumeroPedimento": CUSTOMS}


def rented() -> dict[str, Change]:
    return {f"{CONCEPTO}/CuentaPredial/@Numero": "1"}


def school(complement: str) -> dict[str, Change]:
    """A complement of the Concepto, whichever. complement: namespace and schema of the one that the invoice carries."""
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


def acquired() -> dict[str, Change]:
    return {"Emisor/@FacAtrAdquirente": "0000000001"}


def income_of(changes: dict[str, Change]) -> Example:
    return differ(ingresos_hidrocarburos, changes)


IEEH10: dict[str, Example] = {
    "IEEH102": income_of({"@TipoDeComprobante": "E"}),
    "IEEH103": income_of({f"{INCOME}/DocumentoRelacionado/@Mes": "09"}),
    "IEEH104": income_of({f"{INCOME}/@Porcentaje": "0.000"}),
    "IEEH105": income_of({f"{INCOME}/@ContraprestacionPagadaOperador": "231.99"}),
    "IEEH106": income_of({"@Exportacion": "03"}),
    "IEEH107": Example(ingresos_hidrocarburos, lambda: global_invoice(income())),
    "IEEH108": income_of(acquired()),
    "IEEH109": income_of(third_party()),
    "IEEH110": income_of(imported()),
    "IEEH111": income_of(rented()),
    "IEEH112": income_of(school(f"{hidrocarburos10.INCOME} {hidrocarburos10.INCOME_SCHEMA}")),
    "IEEH113": income_of(parts()),
}


def expense_of(failing: dict[str, Change], passing: dict[str, Change] | None = None) -> Example:
    return differ(gastos_hidrocarburos, failing, passing)


def document(**attributes: str | None) -> dict[str, Change]:
    """Attributes of the document behind the expense."""
    return {f"{EXPENSE}/DocumentoRelacionado/@{name}": value for name, value in attributes.items()}


def foreign(**attributes: str | None) -> dict[str, Change]:
    """An expense abroad, imported."""
    no_invoice = {"FolioFiscalVinculado": None, "RFCProveedor": None, "MontoTotalIVA": None}
    declaration = {
        "NumeroPedimentoVinculado": CUSTOMS,
        "ClavePedimentoVinculado": "A1",
        "ClavePagoPedimentoVinculado": "00",
        "MontoIVAPedimento": "32.00",
    }
    return document(**{"OrigenErogacion": "Extranjero", **no_invoice, **declaration, **attributes})


def abroad(**attributes: str | None) -> dict[str, Change]:
    """An expense abroad without any import."""
    nothing = dict.fromkeys(
        ("NumeroPedimentoVinculado", "ClavePedimentoVinculado", "ClavePagoPedimentoVinculado", "MontoIVAPedimento")
    )
    return foreign(**{**nothing, **attributes})


def levels(names: tuple[str, str, str], *values: str | None) -> dict[str, Change]:
    """Elements of three levels, as many as values; None leaves the attribute out."""
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
    return expense_of(levels(ACTIVITY, *values), levels(ACTIVITY, "01", "001", "0001"))


def costs(*values: str | None) -> Example:
    return expense_of(levels(COSTS, *values), levels(COSTS, "C", "Y", "P"))


_COMPROBANTE: dict[str, Example] = {
    "GCEH102": expense_of({"@TipoDeComprobante": "I"}),
    "GCEH134": expense_of({"@Exportacion": "03"}),
    "GCEH135": expense_of(
        {"InformacionGlobal/@Periodicidad": "01", "InformacionGlobal/@Meses": "11", "InformacionGlobal/@Año": "2026"}
    ),
    "GCEH136": expense_of(acquired()),
    "GCEH137": expense_of({f"{CONCEPTO}/@ObjetoImp": "03"}),
    "GCEH138": expense_of(
        {
            f"{CONCEPTO}/@ObjetoImp": "02",
            f"{CONCEPTO}/Impuestos": impuestos([tax("200.00", "002", None)], []),
            "Impuestos/Traslados/Traslado": ExampleNode("cfdi:Traslado", tax("200.00", "002", None)),
        }
    ),
    "GCEH139": expense_of(third_party()),
    "GCEH140": expense_of(imported()),
    "GCEH141": expense_of(rented()),
    "GCEH142": expense_of(school(f"{hidrocarburos10.EXPENSES} {hidrocarburos10.EXPENSES_SCHEMA}")),
    "GCEH143": expense_of(parts()),
}

_DOCUMENT: dict[str, Example] = {
    "GCEH103": expense_of(document(OrigenErogacion="Extranjero")),
    "GCEH104": expense_of(abroad(RFCProveedor=ROBOTICA.rfc), abroad()),
    "GCEH105": expense_of(document(RFCProveedor=None)),
    "GCEH106": expense_of(abroad(MontoTotalIVA="32.00"), abroad()),
    "GCEH107": expense_of(document(MontoTotalIVA=None)),
    "GCEH108": expense_of(foreign(OrigenErogacion="Nacional"), foreign()),
    "GCEH109": expense_of(abroad(ClavePedimentoVinculado="A1"), abroad()),
    "GCEH110": expense_of(foreign(ClavePedimentoVinculado=None), foreign()),
    "GCEH111": expense_of(abroad(ClavePagoPedimentoVinculado="00"), abroad()),
    "GCEH112": expense_of(foreign(ClavePagoPedimentoVinculado=None), foreign()),
    "GCEH113": expense_of(abroad(MontoIVAPedimento="32.00"), abroad()),
    "GCEH114": expense_of(foreign(MontoIVAPedimento=None), foreign()),
    "GCEH115": expense_of(document(Mes="09"), document(Mes="10")),
    "GCEH116": expense_of({f"{EXPENSE}/@Porcentaje": "0.000"}),
    "GCEH132": expense_of(document(FechaFolioFiscalVinculado=None)),
    "GCEH133": expense_of(foreign(NumeroPedimentoVinculado="15  48  3009  0000001"), foreign()),
}

_LEVELS: dict[str, Example] = {
    "GCEH117": activity(None, "001", "0001"),
    "GCEH118": activity("01"),
    "GCEH119": activity("01", None),
    "GCEH120": activity("01", "001"),
    "GCEH121": activity("01", "001", None),
    "GCEH122": activity(None, None, "0001"),
    "GCEH123": activity("06", "001", "0001"),
    "GCEH124": activity("01", "040", "0001"),
    "GCEH125": activity("01", "001", "0156"),
    "GCEH126": costs(None, "Y", "P"),
    "GCEH127": costs("C"),
    "GCEH128": costs("C", None),
    "GCEH129": costs("C", "Y"),
    "GCEH130": costs("C", "Y", None),
    "GCEH131": costs(None, None, "P"),
}

GCEH10: dict[str, Example] = {**_COMPROBANTE, **_DOCUMENT, **_LEVELS}
