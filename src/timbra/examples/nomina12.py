"""Minimal valid documents with the complement Nómina 1.2.

nomina()                                             a day of 200.00 pesos, income assimilated to wages
nomina(payrolls=[employed()])                        the same for a worker with social security and a subsidy
nomina(payrolls=[payroll([earned("001")], withheld=[deduction("002", "20.00")])])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from timbra.examples.comprobante import FECHA, KEMPER, XODAR, ExampleParty, Frame, build, with_schema
from timbra.examples.conceptos import concepto
from timbra.examples.totals import total_of
from timbra.examples.tree import Change, ExampleNode, change

NAMESPACE = "http://www.sat.gob.mx/nomina12"
SCHEMA = "http://www.sat.gob.mx/sitio_internet/cfd/nomina/nomina12.xsd"
WORKER = XODAR
PAID = "200.00"
SEPARATION, RETIREMENT = ("022", "023", "025"), ("039", "044")
SINCE = "2020-01-01"
SOCIAL_SECURITY = {
    "NumSeguridadSocial": "45139846211",
    "FechaInicioRelLaboral": SINCE,
    "Antigüedad": "P100W",
    "TipoContrato": "01",
    "TipoRegimen": "02",
    "RiesgoPuesto": "1",
    "SalarioDiarioIntegrado": "210.00",
}
"""Attributes of an employed worker."""


def nomina(
    changes: Mapping[str, Change] | None = None,
    *,
    fecha: str = FECHA,
    issuer: ExampleParty = KEMPER,
    receiver: ExampleParty = WORKER,
    payrolls: Sequence[ExampleNode] | None = None,
) -> str:
    """Return a payroll receipt, by default of one day of income assimilated to wages."""
    payrolls = [payroll()] if payrolls is None else payrolls
    frame = Frame("N", "CN01", {"Moneda": "MXN", "MetodoPago": "PUE"})
    extra = carrying(payrolls, fecha, frame)
    return build(frame, [line(payrolls)], fecha=fecha, issuer=issuer, receiver=receiver, extra=extra, changes=changes)


def carrying(payrolls: Sequence[ExampleNode], fecha: str, frame: Frame) -> dict[str, Change]:
    """Return the changes that add payrolls to an invoice of that frame; payrolls without dates get those of `fecha`."""
    return {
        "@xmlns:nomina12": NAMESPACE,
        "@xsi:schemaLocation": with_schema(NAMESPACE, SCHEMA, frame.standard),
        "Complemento": ExampleNode("cfdi:Complemento", children=[dated(node, fecha[:10]) for node in payrolls]),
    }


def line(payrolls: Sequence[ExampleNode]) -> ExampleNode:
    """Return the only Concepto: the amount that is paid, with the deductions as its discount."""
    paid = total_of(payrolls, "TotalPercepciones") + total_of(payrolls, "TotalOtrosPagos")
    changes: dict[str, Change] = {
        "@ClaveProdServ": "84111505",
        "@ClaveUnidad": "ACT",
        "@Descripcion": "Pago de nómina",
    }
    if any("TotalDeducciones" in node.attributes for node in payrolls):
        changes["@Descuento"] = f"{total_of(payrolls, 'TotalDeducciones'):.2f}"
    return concepto(changes, price=f"{paid:.2f}", traslados=[])


def dated(node: ExampleNode, day: str) -> ExampleNode:
    """Set the missing dates of a payroll: paid on a day, for that day."""
    days = dict.fromkeys(("FechaPago", "FechaInicialPago", "FechaFinalPago"), day)
    node.attributes = {**days, **node.attributes}
    return node


def payroll(
    rows: Sequence[ExampleNode] | None = None,
    changes: Mapping[str, Change] | None = None,
    *,
    withheld: Sequence[ExampleNode] = (),
    others: Sequence[ExampleNode] = (),
    incapacities: Sequence[ExampleNode] = (),
) -> ExampleNode:
    """Return the node Nomina with its totals.

    Args:
        rows: Percepcion nodes; one of `PAID` when not given.
        changes: see `timbra.examples.tree.change`.
        withheld: Deduccion nodes.
        others: OtroPago nodes.
        incapacities: Incapacidad nodes.
    """
    earnings = [earned("046")] if rows is None else list(rows)
    head = {"Version": "1.2", "TipoNomina": "O", "NumDiasPagados": "1"}
    worker = {
        "Curp": "XOJI740919MQTDMN02",
        "TipoContrato": "99",
        "TipoRegimen": "09",
        "NumEmpleado": "1",
        "PeriodicidadPago": "01",
        "ClaveEntFed": "HID",
    }
    node = ExampleNode("nomina12:Nomina", head, [ExampleNode("nomina12:Receptor", worker)])
    if earnings:
        head["TotalPercepciones"] = _total(earnings, "ImporteGravado", "ImporteExento")
        node.children.append(ExampleNode("nomina12:Percepciones", _earned(earnings), [*earnings, *_ends(earnings)]))
    if withheld:
        head["TotalDeducciones"] = _total(withheld, "Importe")
        node.children.append(ExampleNode("nomina12:Deducciones", _withheld(withheld), list(withheld)))
    if others:
        head["TotalOtrosPagos"] = _total(others, "Importe")
        node.children.append(ExampleNode("nomina12:OtrosPagos", children=list(others)))
    if incapacities:
        node.children.append(ExampleNode("nomina12:Incapacidades", children=list(incapacities)))
    return change(node, changes or {})


def employed(
    rows: Sequence[ExampleNode] | None = None,
    changes: Mapping[str, Change] | None = None,
    *,
    withheld: Sequence[ExampleNode] = (),
    others: Sequence[ExampleNode] | None = None,
    incapacities: Sequence[ExampleNode] = (),
) -> ExampleNode:
    """Return the payroll of a worker with social security who began on `SINCE`; by default with a subsidy of 0."""
    made: dict[str, Change] = {"Emisor/@RegistroPatronal": "Y12345678910"}
    made |= {f"Receptor/@{name}": text for name, text in SOCIAL_SECURITY.items()}
    return payroll(
        [earned("001")] if rows is None else rows,
        {**made, **(changes or {})},
        withheld=withheld,
        others=[other("002", "0.00", subsidy("0.00"))] if others is None else others,
        incapacities=incapacities,
    )


def earned(kind: str, taxed: str = PAID, exempt: str = "0.00", *children: ExampleNode) -> ExampleNode:
    """Return a Percepcion."""
    attributes = {"TipoPercepcion": kind, "Clave": kind, "Concepto": "Percepción"}
    return ExampleNode(
        "nomina12:Percepcion", {**attributes, "ImporteGravado": taxed, "ImporteExento": exempt}, list(children)
    )


def overtime() -> ExampleNode:
    """Return two hours of overtime for 200.00."""
    attributes = {"Dias": "1", "TipoHoras": "01", "HorasExtra": "2", "ImportePagado": PAID}
    return ExampleNode("nomina12:HorasExtra", attributes)


def shares() -> ExampleNode:
    """Return shares granted below their price."""
    return ExampleNode("nomina12:AccionesOTitulos", {"ValorMercado": "300.00", "PrecioAlOtorgarse": "100.00"})


def deduction(kind: str, amount: str) -> ExampleNode:
    """Return a Deduccion."""
    attributes = {"TipoDeduccion": kind, "Clave": kind, "Concepto": "Deducción", "Importe": amount}
    return ExampleNode("nomina12:Deduccion", attributes)


def other(kind: str, amount: str, *children: ExampleNode) -> ExampleNode:
    """Return an OtroPago."""
    attributes = {"TipoOtroPago": kind, "Clave": kind, "Concepto": "Otro pago", "Importe": amount}
    return ExampleNode("nomina12:OtroPago", attributes, list(children))


def subsidy(due: str) -> ExampleNode:
    """Return a SubsidioAlEmpleo."""
    return ExampleNode("nomina12:SubsidioAlEmpleo", {"SubsidioCausado": due})


def balance(year: str, amount: str = PAID, remains: str = "0.00") -> ExampleNode:
    """Return a CompensacionSaldosAFavor."""
    attributes = {"SaldoAFavor": amount, "Año": year, "RemanenteSalFav": remains}
    return ExampleNode("nomina12:CompensacionSaldosAFavor", attributes)


def incapacity(amount: str) -> ExampleNode:
    """Return an Incapacidad of one day."""
    attributes = {"DiasIncapacidad": "1", "TipoIncapacidad": "02", "ImporteMonetario": amount}
    return ExampleNode("nomina12:Incapacidad", attributes)


def _total(rows: Sequence[ExampleNode], *names: str) -> str:
    return f"{sum((total_of(rows, name) for name in names), Decimal(0)):.2f}"


def _of(rows: Sequence[ExampleNode], kinds: Sequence[str]) -> list[ExampleNode]:
    return [row for row in rows if row.attributes["TipoPercepcion"] in kinds]


def _earned(rows: Sequence[ExampleNode]) -> dict[str, str]:
    """Return the totals of Percepciones."""
    ends = _of(rows, SEPARATION + RETIREMENT)
    groups = {
        "TotalSueldos": [row for row in rows if row not in ends],
        "TotalSeparacionIndemnizacion": _of(rows, SEPARATION),
        "TotalJubilacionPensionRetiro": _of(rows, RETIREMENT),
    }
    totals = {name: _total(group, "ImporteGravado", "ImporteExento") for name, group in groups.items() if group}
    totals["TotalGravado"] = _total(rows, "ImporteGravado")
    return totals | {"TotalExento": _total(rows, "ImporteExento")}


def _ends(rows: Sequence[ExampleNode]) -> list[ExampleNode]:
    """Return the nodes of retirement and separation that the rows require."""
    income = {"IngresoAcumulable": PAID, "IngresoNoAcumulable": "0.00"}
    nodes = []
    if _of(rows, ["039"]):
        nodes.append(ExampleNode("nomina12:JubilacionPensionRetiro", {"TotalUnaExhibicion": PAID, **income}))
    if _of(rows, ["044"]):
        attributes = {"TotalParcialidad": PAID, "MontoDiario": PAID, **income}
        nodes.append(ExampleNode("nomina12:JubilacionPensionRetiro", attributes))
    if _of(rows, SEPARATION):
        attributes = {"TotalPagado": PAID, "NumAñosServicio": "2", "UltimoSueldoMensOrd": "6000.00", **income}
        nodes.append(ExampleNode("nomina12:SeparacionIndemnizacion", attributes))
    return nodes


def _withheld(rows: Sequence[ExampleNode]) -> dict[str, str]:
    """Return the totals of Deducciones."""
    taxes = [row for row in rows if row.attributes["TipoDeduccion"] == "002"]
    groups = {"TotalOtrasDeducciones": [row for row in rows if row not in taxes], "TotalImpuestosRetenidos": taxes}
    return {name: _total(group, "Importe") for name, group in groups.items() if group}
