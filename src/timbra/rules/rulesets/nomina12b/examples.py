"""The documents that violate the rules, by code, and the tables that replace the data in force."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples.codes.nomina12 import plain, with_subsidy, worker
from timbra.examples.codes.nomina12b import with_balance_of_2021
from timbra.examples.codes.receipt import Receipt, ReceiptPair
from timbra.examples.comprobante import ROBOTICA
from timbra.examples.nomina12b import nomina33
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.rule import Fails
from timbra.rules.engine.tables import Tables
from timbra.rules.rulesets.nomina12 import examples as nomina12
from timbra.rules.rulesets.nomina12b.from_nomina12 import CODES

BASE = nomina33
"""Builder of the document that the changes of `FAILS` concern."""
NOMINA = "Complemento/Nomina"
RECEPTOR = f"{NOMINA}/Receptor"
BALANCE = f"{NOMINA}/OtrosPagos/OtroPago/CompensacionSaldosAFavor"
FAILS: Mapping[str, Fails] = {
    **{code: nomina12.FAILS[other] for code, other in CODES.items()},
    "NOM132": {"@Moneda": "USD", "@TipoCambio": "18.50"},
    "NOM133": {"@FormaPago": "03"},
    "NOM134": {"@TipoDeComprobante": "I"},
    "NOM137": ReceiptPair(plain, Receipt(receiver=ROBOTICA)),
    "NOM138": {"Receptor/@Rfc": "AAAA800101AB1"},
    "NOM139": {"Conceptos/Concepto/CuentaPredial": ExampleNode("cfdi:CuentaPredial", {"Numero": "1"})},
    "NOM149": {"Impuestos": ExampleNode("cfdi:Impuestos")},
    "NOM155": {f"{NOMINA}/@FechaInicialPago": "2022-11-18"},
    "NOM173": plain.example(
        {f"{RECEPTOR}/@FechaInicioRelLaboral": "2022-11-18"},
        passes={f"{RECEPTOR}/@FechaInicioRelLaboral": "2022-11-17"},
    ),
    "NOM174": worker.example({f"{RECEPTOR}/@Antigüedad": "P151W"}, passes={f"{RECEPTOR}/@Antigüedad": "P150W"}),
    "NOM175": worker.example({f"{RECEPTOR}/@Antigüedad": "P2Y10M15D"}, passes={f"{RECEPTOR}/@Antigüedad": "P2Y10M17D"}),
    "NOM218": with_balance_of_2021.example({BALANCE: None}),
    "NOM221": ReceiptPair(with_subsidy("0.00", "407.02"), with_subsidy("0.00", "407.03")),
    "NOM222": with_balance_of_2021.example({f"{BALANCE}/@RemanenteSalFav": "200.01"}),
    "NOM223": with_balance_of_2021.example({f"{BALANCE}/@Año": "2022"}),
    "NOM229": ReceiptPair(with_subsidy("0.00", "535.60", days="40"), with_subsidy("0.00", "535.61", days="40")),
}
FAILS_WITH: Mapping[str, Tables] = {
    **{code: nomina12.FAILS_WITH[other] for code, other in CODES.items() if other in nomina12.FAILS_WITH},
}
