"""Conceptos, product and amounts: CFDI33142 to CFDI33145, CFDI33147, CFDI33149 to CFDI33152."""

from __future__ import annotations

from timbra.cfdi.nodes import Concepto
from timbra.examples.codes.cfdi33 import concepto_pair, with_conceptos
from timbra.examples.codes.conceptos import IEPS
from timbra.examples.codes.example import Example
from timbra.examples.conceptos import concepto
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule import row
from timbra.rules.engine.tables import tables
from timbra.rules.rulesets.cfdi33.sources import MATRIX_2022_01
from timbra.rules.shared.invoice import line
from timbra.rules.shared.predicates import in_catalog

CFDI33142 = row(
    "CFDI33142",
    Concepto,
    at="Conceptos/Concepto/@ClaveProdServ",
    says="ClaveProdServ debe ser una clave vigente de c_ClaveProdServ.",
    note="Se usan los productos de CFDI 4.0, los únicos disponibles.",
    check=in_catalog("c_ClaveProdServ", "ClaveProdServ"),
    severity=Severity.WARNING,
    cites=MATRIX_2022_01,
    fails=concepto_pair(lambda: concepto({"@ClaveProdServ": "00000009"})),
)


CFDI33143 = row(
    "CFDI33143",
    Concepto,
    at="Conceptos/Concepto/@ClaveProdServ",
    says="Debe existir el complemento que la ClaveProdServ exige.",
    note="Se usan los productos de CFDI 4.0; en su edición vigente ninguna clave exige un complemento: no se evalúa.",
    check=line.has_required_complement,
    columns=(line.COMPLEMENT_COLUMN,),
    needs_values=True,
    severity=Severity.WARNING,
    fails_with=tables({"cfdi33:c_ClaveProdServ": {"50211503": {"complemento": "instEducativas"}}}),
    cites=MATRIX_2022_01,
    fails={"Conceptos/Concepto/@ClaveProdServ": "50211503"},
)


CFDI33144 = row(
    "CFDI33144",
    Concepto,
    at="Conceptos/Concepto/@ClaveProdServ",
    says="El concepto debe trasladar el impuesto que su ClaveProdServ exige.",
    note="Se usan los productos de CFDI 4.0, los únicos disponibles.",
    check=line.has_required_taxes,
    columns=line.REQUIRED_TAX_COLUMNS,
    severity=Severity.WARNING,
    cites=MATRIX_2022_01,
    fails=concepto_pair(
        lambda: concepto({"@ClaveProdServ": "80111700"}, traslados=IEPS),
        lambda: concepto({"@ClaveProdServ": "80111700"}),
    ),
)


CFDI33145 = row(
    "CFDI33145",
    Concepto,
    at="Conceptos/Concepto/@ClaveUnidad",
    says="ClaveUnidad debe ser una clave vigente de c_ClaveUnidad.",
    check=in_catalog("c_ClaveUnidad", "ClaveUnidad"),
    cites=MATRIX_2022_01,
    fails=concepto_pair(lambda: concepto({"@ClaveUnidad": "ZZZ"})),
)


CFDI33147 = row(
    "CFDI33147",
    Concepto,
    at="Conceptos/Concepto/@ValorUnitario",
    says="ValorUnitario debe ser mayor que cero en comprobantes de tipo I, E o N.",
    check=line.price_is_positive,
    types="IEN",
    cites=MATRIX_2022_01,
    fails=concepto_pair(lambda: concepto(price="0.00", traslados=[])),
)


CFDI33149 = row(
    "CFDI33149",
    Concepto,
    at="Conceptos/Concepto/@Importe",
    says="Importe del concepto debe estar entre los límites de Cantidad por ValorUnitario.",
    check=line.amount_equals_quantity_times_price,
    cites=MATRIX_2022_01,
    fails=concepto_pair(lambda: concepto({"@Cantidad": "1.0000", "@Importe": "201.00"})),
)


CFDI33150 = row(
    "CFDI33150",
    Concepto,
    at="Conceptos/Concepto/@Descuento",
    says="Descuento del concepto no debe tener más decimales que su Importe.",
    check=line.discount_has_decimals_of_amount,
    cites=MATRIX_2022_01,
    fails=concepto_pair(lambda: concepto({"@Descuento": "10.000"}), lambda: concepto({"@Descuento": "10.00"})),
)


CFDI33151 = row(
    "CFDI33151",
    Concepto,
    at="Conceptos/Concepto/@Descuento",
    says="Descuento del concepto no debe ser mayor que su Importe.",
    check=line.discount_is_at_most_amount,
    cites=MATRIX_2022_01,
    fails=Example(
        lambda: with_conceptos(concepto({"@Descuento": "200.00"})),
        lambda: with_conceptos(concepto({"@Descuento": "201.00"}), concepto()),
    ),
)


CFDI33152 = row(
    "CFDI33152",
    Concepto,
    at="Conceptos/Concepto/Impuestos",
    says="El nodo Impuestos del concepto debe tener al menos un traslado o una retención.",
    check=line.tax_node_is_not_empty,
    applies=line.has_tax_node,
    cites=MATRIX_2022_01,
    fails=concepto_pair(lambda: concepto({"Impuestos": ExampleNode("cfdi:Impuestos")}, traslados=[])),
)
