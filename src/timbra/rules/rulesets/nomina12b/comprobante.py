"""The invoice that carries the complement: NOM132 to NOM134, NOM137, NOM138, NOM149."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, ImpuestosTotales, Receptor
from timbra.examples.codes.nomina12 import plain
from timbra.examples.codes.receipt import Receipt, ReceiptPair
from timbra.examples.comprobante import ROBOTICA
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.nomina12b.sources import MATRIX_B
from timbra.rules.shared.nomina.keys import TAXPAYERS, WHY
from timbra.rules.shared.nomina.partes import has_own_rfc, is_persona_fisica
from timbra.rules.shared.predicates import equals, is_registered
from timbra.rules.shared.single_concepto import is_forbidden

NOM132 = row(
    "NOM132",
    Comprobante,
    at="@Moneda",
    says="En un CFDI 3.3 de nómina, Moneda debe ser MXN.",
    check=equals("Moneda", "MXN", WHY),
    cites=MATRIX_B,
    fails={"@Moneda": "USD", "@TipoCambio": "18.50"},
)


NOM133 = row(
    "NOM133",
    Comprobante,
    at="@FormaPago",
    says="En un CFDI 3.3 de nómina, FormaPago debe ser 99.",
    check=equals("FormaPago", "99", WHY),
    cites=MATRIX_B,
    fails={"@FormaPago": "03"},
)


NOM134 = row(
    "NOM134",
    Comprobante,
    at="@TipoDeComprobante",
    says="En un CFDI 3.3 con el complemento Nómina, TipoDeComprobante debe ser N.",
    check=equals("TipoDeComprobante", "N", WHY),
    cites=MATRIX_B,
    fails={"@TipoDeComprobante": "I"},
)


NOM137 = row(
    "NOM137",
    Receptor,
    at="Receptor/@Rfc",
    says="El RFC del trabajador debe ser de persona física.",
    check=is_persona_fisica,
    cites=MATRIX_B,
    fails=ReceiptPair(plain, Receipt(receiver=ROBOTICA)),
)


NOM138 = row(
    "NOM138",
    Receptor,
    at="Receptor/@Rfc",
    says="El RFC del trabajador debe estar en la lista de RFC inscritos y no cancelados.",
    check=is_registered("Rfc"),
    applies=has_own_rfc,
    needs=TAXPAYERS,
    inseparable=("CFDI33132",),
    cites=MATRIX_B,
    fails={"Receptor/@Rfc": "AAAA800101AB1"},
)


NOM149 = row(
    "NOM149",
    ImpuestosTotales,
    at="Impuestos",
    says="En un CFDI 3.3 de nómina, el nodo Impuestos del comprobante no debe existir.",
    check=is_forbidden("Impuestos", WHY),
    cites=MATRIX_B,
    fails={"Impuestos": ExampleNode("cfdi:Impuestos")},
)
