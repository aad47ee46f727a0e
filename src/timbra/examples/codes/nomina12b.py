"""Examples of rules about Nómina 1.2 for CFDI 3.3: NOM132 to NOM229."""

from __future__ import annotations

from timbra.examples.codes.example import Example, at
from timbra.examples.codes.nomina12 import (
    CONCEPTO,
    DEMANDS,
    NOMINA,
    OTHERS,
    UNKNOWN,
    WORKER,
    differ,
    payrolls,
    plain,
    rows,
    subsidised,
    worker,
)
from timbra.examples.codes.receipt import Demand, Receipt
from timbra.examples.comprobante import ROBOTICA
from timbra.examples.nomina12 import balance, other, payroll
from timbra.examples.nomina12b import nomina33
from timbra.examples.tree import ExampleNode
from timbra.messages.rules.nomina12b import LATER

refunded = Receipt(lambda: payroll(others=[other("004", "50.00", balance("2021"))]))
BALANCE = f"{OTHERS}/OtroPago/CompensacionSaldosAFavor"

_ALIKE: dict[str, Demand] = {code: DEMANDS[later] for code, later in LATER.items()}
"""What both matrices demand in the same words."""

_OF_THE_INVOICE: dict[str, Demand] = {
    "NOM132": payrolls({"@Moneda": "USD", "@TipoCambio": "18.50"}),
    "NOM133": payrolls({"@FormaPago": "03"}),
    "NOM134": payrolls({"@TipoDeComprobante": "I"}),
    "NOM137": Demand(plain, Receipt(receiver=ROBOTICA)),
    "NOM138": payrolls(at("Receptor", Rfc=UNKNOWN)),
    "NOM139": payrolls({f"{CONCEPTO}/CuentaPredial": ExampleNode("cfdi:CuentaPredial", {"Numero": "1"})}),
    "NOM149": payrolls({"Impuestos": ExampleNode("cfdi:Impuestos")}),
}

_OF_THE_TIME: dict[str, Demand] = {
    "NOM155": payrolls(at(NOMINA, FechaInicialPago="2022-11-18")),
    "NOM173": payrolls(at(WORKER, FechaInicioRelLaboral="2022-11-18"), at(WORKER, FechaInicioRelLaboral="2022-11-17")),
    "NOM174": differ(worker, at(WORKER, Antigüedad="P151W"), at(WORKER, Antigüedad="P150W")),
    "NOM175": differ(worker, at(WORKER, Antigüedad="P2Y10M15D"), at(WORKER, Antigüedad="P2Y10M17D")),
    "NOM218": differ(refunded, {BALANCE: None}),
    "NOM221": rows(subsidised("002", "0.00", "407.03"), subsidised("002", "0.00", "407.02")),
    "NOM222": differ(refunded, at(BALANCE, RemanenteSalFav="200.01")),
    "NOM223": differ(refunded, at(BALANCE, Año="2022")),
    "NOM229": rows(subsidised("002", "0.00", "535.61", "40"), subsidised("002", "0.00", "535.60", "40")),
    "NOM225:TotalOtrosPagos": DEMANDS["NOM111:TotalOtrosPagos"],
    "NOM225:TotalOtrasDeducciones": DEMANDS["NOM111:TotalOtrasDeducciones"],
}
"""Dates and limits that were others in the time of CFDI 3.3; what the standard demands without a code."""

NOMINA12B: dict[str, Example] = {
    code: demand.example(nomina33) for code, demand in {**_ALIKE, **_OF_THE_INVOICE, **_OF_THE_TIME}.items()
}
