"""Conceptos and their Partes: CFDI40162 to CFDI40173, CFDI40194 to CFDI40200, CFDI140226 to CFDI140228."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import chain
from typing import Final

from timbra.cfdi.nodes import Concepto, InformacionAduanera, InformacionAduaneraDeParte, Parte
from timbra.cfdi.nodes.hidroypetro10 import TAG
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Severity, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.engine.shortcuts import determined_by, selects
from timbra.rules.rulesets.cfdi40.sources import ANEXO_20, INTERFACE, MATRIX_2026_03_25
from timbra.rules.shared.invoice.comprobante import is_absent_in_type
from timbra.rules.shared.invoice.concepto import (
    COMPLEMENT_COLUMN,
    REQUIRED_TAX_COLUMNS,
    amount_equals_quantity_times_price,
    discount_has_decimals_of_amount,
    discount_is_at_most_amount,
    has_required_complement,
    has_required_taxes,
    has_tax_node,
    part_amount_equals_quantity_times_price,
    part_price_is_positive,
    pedimento_is_absent_in_exports,
    pedimento_is_valid,
    price_is_positive,
    tax_node_is_not_empty,
)
from timbra.rules.shared.predicates import in_catalog

WITHOUT_TAXES = ("01", "03", "04", "05")
WITHOUT_TAXES_BEFORE_REVISION = ("01", "03")
REVISION = date(2023, 12, 12)
"""Date of the revision of the matrix that added 04 and 05."""
IVA, IEPS = "002", "003"
FUELS: Final = frozenset({"15101505", "15101514", "15101515"})
"""Keys of c_ClaveProdServ that the row of the matrix lists."""


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
    check=has_required_complement,
    columns=(COMPLEMENT_COLUMN,),
    needs_values=True,
)


CFDI40164 = row(
    "CFDI40164",
    Concepto,
    at="Conceptos/Concepto/@ClaveProdServ",
    says="El concepto debe trasladar el impuesto que su ClaveProdServ exige.",
    check=has_required_taxes,
    columns=REQUIRED_TAX_COLUMNS,
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
    check=price_is_positive,
    types="IEN",
)


CFDI40167 = row(
    "CFDI40167",
    Concepto,
    at="Conceptos/Concepto/@Importe",
    says="Importe del concepto debe estar entre los límites de Cantidad por ValorUnitario.",
    check=amount_equals_quantity_times_price,
)


CFDI40168 = row(
    "CFDI40168",
    Concepto,
    at="Conceptos/Concepto/@Descuento",
    says="Descuento del concepto no debe tener más decimales que su Importe.",
    check=discount_has_decimals_of_amount,
)


CFDI40169 = row(
    "CFDI40169",
    Concepto,
    at="Conceptos/Concepto/@Descuento",
    says="Descuento del concepto no debe ser mayor que su Importe.",
    check=discount_is_at_most_amount,
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


@determined_by("ObjetoImp")
def is_without_iva_and_ieps(concepto: Concepto, _ctx: EvaluationContext) -> bool:
    """Whether ObjetoImp is 06 or 08."""
    return concepto.ObjetoImp in ("06", "08")


@determined_by("ObjetoImp")
def is_without_iva(concepto: Concepto, _ctx: EvaluationContext) -> bool:
    """Whether ObjetoImp is 07."""
    return concepto.ObjetoImp == "07"


def _without_transfers(conceptos: Sequence[Concepto], _ctx: EvaluationContext) -> Sequence[Concepto]:
    return [concepto for concepto in conceptos if concepto.retenciones and not concepto.traslados]


CFDI40170 = row(
    "CFDI40170",
    Concepto,
    at="Conceptos/Concepto/@ObjetoImp",
    says="ObjetoImp debe ser una clave vigente de c_ObjetoImp.",
    check=in_catalog("c_ObjetoImp", "ObjetoImp"),
)


@rule(
    "CFDI40171",
    at="Conceptos/Concepto/Impuestos",
    says="Con ObjetoImp 02, el concepto debe desglosar sus impuestos.",
)
@determined_by("ObjetoImp", "has_impuestos")
def taxed_concepto_has_tax_node(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    if concepto.ObjetoImp != "02" or concepto.has_impuestos:
        return None
    return Violation(expected="el nodo Impuestos, por ObjetoImp 02")


@rule(
    "CFDI40999:ObjetoImp-Traslados",
    at="Conceptos/Concepto/Impuestos",
    says="Con ObjetoImp 02, el nodo Impuestos del concepto debe incluir Traslados (interfaz del servicio, 2.5.3).",
    note="La matriz del SAT (CFDI40171, CFDI40173) admite un concepto con Retenciones solas: es un aviso.",
    applies=has_tax_node,
    severity=Severity.WARNING,
    cites=INTERFACE,
)
@selects(_without_transfers)
def taxed_concepto_has_transfers(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    if concepto.ObjetoImp != "02" or concepto.traslados or not concepto.retenciones:
        return None
    return Violation(
        found="Retenciones",
        expected="el nodo Traslados",
        hint="Interfaz del servicio, 2.5.3: «ObjetoImp 02, objeto de impuesto: el nodo Impuestos debe "
        "incluirse, con los Traslados». La matriz del SAT admite Retenciones solas.",
    )


@rule(
    "CFDI40172",
    at="Conceptos/Concepto/Impuestos",
    says="Con ObjetoImp 01, 03, 04 o 05, el concepto no debe desglosar impuestos.",
    note="Antes del 2023-12-12, solo con 01 y 03.",
)
@determined_by("ObjetoImp", "has_impuestos")
def untaxed_concepto_has_no_tax_node(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    without = WITHOUT_TAXES if ctx.on >= REVISION else WITHOUT_TAXES_BEFORE_REVISION
    if not concepto.has_impuestos or concepto.ObjetoImp not in without:
        return None
    return Violation(found="Impuestos", expected=f"que no exista, por ObjetoImp {concepto.ObjetoImp}")


CFDI40173 = row(
    "CFDI40173",
    Concepto,
    at="Conceptos/Concepto/Impuestos",
    says="El nodo Impuestos del concepto debe tener al menos un traslado o una retención.",
    check=tax_node_is_not_empty,
    applies=has_tax_node,
)


@rule(
    "CFDI140226",
    at="Conceptos/Concepto/@ObjetoImp",
    says="Con ObjetoImp 06 u 08, el concepto no debe desglosar IVA ni IEPS.",
    note="Se puede retener ISR.",
    applies=is_without_iva_and_ieps,
    since=date(2024, 12, 13),
)
def concepto_has_no_iva_nor_ieps(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    found = next((tax for tax in chain(concepto.traslados, concepto.retenciones) if tax.Impuesto in (IVA, IEPS)), None)
    if found is None:
        return None
    expected = f"ningún impuesto 002 ni 003, por ObjetoImp {concepto.ObjetoImp}"
    return Violation(found=f"{type(found).__name__} con Impuesto {found.Impuesto}", expected=expected)


@rule(
    "CFDI140227",
    at="Conceptos/Concepto/@ObjetoImp",
    says="Con ObjetoImp 07, el concepto debe trasladar IEPS y no desglosar IVA.",
    note="Se puede retener IEPS e ISR.",
    applies=is_without_iva,
    since=date(2024, 12, 13),
)
def concepto_has_ieps_and_no_iva(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    if any(tax.Impuesto == IVA for tax in chain(concepto.traslados, concepto.retenciones)):
        return Violation(found="Impuesto 002", expected="ningún impuesto 002, por ObjetoImp 07")
    if any(tax.Impuesto == IEPS for tax in concepto.traslados):
        return None
    return Violation(found="ningún Traslado con Impuesto 003", expected="al menos uno, por ObjetoImp 07")


CFDI40194 = row(
    "CFDI40194",
    InformacionAduanera,
    at="Conceptos/Concepto/InformacionAduanera/@NumeroPedimento",
    says="NumeroPedimento del concepto debe tener un año, una aduana, una patente y un número válidos.",
    check=pedimento_is_valid,
)


CFDI40195 = row(
    "CFDI40195",
    InformacionAduanera,
    at="Conceptos/Concepto/InformacionAduanera/@NumeroPedimento",
    says="NumeroPedimento del concepto no debe existir con el complemento Comercio Exterior.",
    check=pedimento_is_absent_in_exports,
)


CFDI40199 = row(
    "CFDI40199",
    InformacionAduaneraDeParte,
    at="Conceptos/Concepto/Parte/InformacionAduanera/@NumeroPedimento",
    says="NumeroPedimento de la parte debe tener un año, una aduana, una patente y un número válidos.",
    check=pedimento_is_valid,
)


CFDI40200 = row(
    "CFDI40200",
    InformacionAduaneraDeParte,
    at="Conceptos/Concepto/Parte/InformacionAduanera/@NumeroPedimento",
    says="NumeroPedimento de la parte no debe existir con el complemento Comercio Exterior.",
    check=pedimento_is_absent_in_exports,
)


CFDI40196 = row(
    "CFDI40196",
    Parte,
    at="Conceptos/Concepto/Parte/@ClaveProdServ",
    says="ClaveProdServ de la parte debe ser una clave vigente de c_ClaveProdServ.",
    check=in_catalog("c_ClaveProdServ", "ClaveProdServ"),
)


CFDI40197 = row(
    "CFDI40197",
    Parte,
    at="Conceptos/Concepto/Parte/@ValorUnitario",
    says="ValorUnitario de la parte debe ser mayor que cero.",
    check=part_price_is_positive,
)


CFDI40198 = row(
    "CFDI40198",
    Parte,
    at="Conceptos/Concepto/Parte/@Importe",
    says="Importe de la parte debe estar entre los límites de Cantidad por ValorUnitario.",
    check=part_amount_equals_quantity_times_price,
)


def _fuels(conceptos: Sequence[Concepto], ctx: EvaluationContext) -> Sequence[Concepto]:
    return [concepto for concepto in conceptos if concepto.ClaveProdServ in FUELS and is_fuel(concepto, ctx)]


@selects(_fuels)
def is_fuel(concepto: Concepto, ctx: EvaluationContext) -> bool:
    """Whether ClaveProdServ is gasoline or diesel, on a day on which the code is applied."""
    return concepto.ClaveProdServ in FUELS and ctx.on >= ctx.reference_data.cfdi140228_since


@rule(
    "CFDI140228",
    at="Conceptos/Concepto/@ClaveProdServ",
    says="Cada concepto de gasolina o diésel debe llevar un complemento Hidrocarburos y Petrolíferos.",
    note="Se aplica desde el 2026-04-24, o desde el día de TIMBRA_CFDI140228_SINCE. Véanse RMF 2026, regla 2.7.1.48, y "
    "Anexo 29, III.3 y VI.1.9.",
    types="IE",
    applies=is_fuel,
    since=date.fromisoformat(MATRIX_2026_03_25.revision),
)
def fuel_has_one_hidroypetro(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    count = sum(element.tag == TAG for element in concepto.complementos)
    if count == 1:
        return None
    expected = f"un complemento Hidrocarburos y Petrolíferos, por ClaveProdServ {concepto.ClaveProdServ}"
    return Violation(found=f"{count} complementos" if count else None, expected=expected)
