"""Conceptos, product and amounts: CFDI40162 to CFDI40169, Descuento of types T and P."""

from __future__ import annotations

from timbra.cfdi.nodes import Concepto
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.cfdi40.sources import ANEXO_20
from timbra.rules.shared.invoice import line
from timbra.rules.shared.invoice.document_type import is_absent_in_type
from timbra.rules.shared.predicates import in_catalog

CFDI40162 = row(
    "CFDI40162",
    Concepto,
    at="Conceptos/Concepto/@ClaveProdServ",
    says="ClaveProdServ debe ser una clave vigente de c_ClaveProdServ.",
    check=in_catalog("c_ClaveProdServ", "ClaveProdServ"),
)


CFDI40163 = row(
    "CFDI40163",
    Concepto,
    at="Conceptos/Concepto/@ClaveProdServ",
    says="Debe existir el complemento que la ClaveProdServ exige.",
    note="En la edición vigente de c_ClaveProdServ ninguna clave exige un complemento: no se evalúa.",
    check=line.has_required_complement,
    columns=(line.COMPLEMENT_COLUMN,),
    needs_values=True,
)


CFDI40164 = row(
    "CFDI40164",
    Concepto,
    at="Conceptos/Concepto/@ClaveProdServ",
    says="El concepto debe trasladar el impuesto que su ClaveProdServ exige.",
    check=line.has_required_taxes,
    columns=line.REQUIRED_TAX_COLUMNS,
)


CFDI40165 = row(
    "CFDI40165",
    Concepto,
    at="Conceptos/Concepto/@ClaveUnidad",
    says="ClaveUnidad debe ser una clave vigente de c_ClaveUnidad.",
    check=in_catalog("c_ClaveUnidad", "ClaveUnidad"),
)


CFDI40166 = row(
    "CFDI40166",
    Concepto,
    at="Conceptos/Concepto/@ValorUnitario",
    says="ValorUnitario debe ser mayor que cero en comprobantes de tipo I, E o N.",
    check=line.price_is_positive,
    types="IEN",
)


CFDI40167 = row(
    "CFDI40167",
    Concepto,
    at="Conceptos/Concepto/@Importe",
    says="Importe del concepto debe estar entre los límites de Cantidad por ValorUnitario.",
    check=line.amount_equals_quantity_times_price,
)


CFDI40168 = row(
    "CFDI40168",
    Concepto,
    at="Conceptos/Concepto/@Descuento",
    says="Descuento del concepto no debe tener más decimales que su Importe.",
    check=line.discount_has_decimals_of_amount,
)


CFDI40169 = row(
    "CFDI40169",
    Concepto,
    at="Conceptos/Concepto/@Descuento",
    says="Descuento del concepto no debe ser mayor que su Importe.",
    check=line.discount_is_at_most_amount,
)


CFDI40999_Concepto_Descuento = row(
    "CFDI40999:Concepto-Descuento",
    Concepto,
    at="Conceptos/Concepto/@Descuento",
    says="Descuento del concepto no debe existir en comprobantes de tipo T o P.",
    check=is_absent_in_type("Descuento"),
    types="TP",
    cites=ANEXO_20,
)
